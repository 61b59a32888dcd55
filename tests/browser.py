"""A real browser for tests of the page: Debian's Chromium, or any other, driven by Playwright."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 90_000
"""Milliseconds: a bound for a busy machine on which the bot is still being loaded, no measure."""
SHOTS = Path(__file__).parent / "shots"
"""Where a test leaves its screenshots; not committed."""


def chromium() -> str:
    """The path of a Chromium, empty where there is none. CHROMIUM names another one."""
    named = os.environ.get("CHROMIUM", "")
    return named or next(filter(None, map(shutil.which, NAMES)), "")


needs_chromium = pytest.mark.skipif(
    not chromium(),
    reason="no Chromium on this machine: install one (Debian: apt-get install chromium)",
)


@asynccontextmanager
async def launched() -> AsyncIterator:
    """A browser without any page, for several tests of one event loop."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium(), args=list(FLAGS), headless=True
        )
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def opened(
    browser, url: str, *, width: int = 1360, height: int = 860, expected: str = ""
) -> AsyncIterator:
    """The page in a context of its own. An error that the page reports fails the test, unless
    its words contain `expected`. A test that fails says what stood on the page."""
    errors: list[str] = []
    context = await browser.new_context(viewport={"width": width, "height": height})
    try:
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        await page.goto(url)
        try:
            yield page
        except Exception as failure:
            failure.add_note("On the page:\n" + await page.locator("body").inner_text())
            raise
    finally:
        await context.close()
    assert [error for error in errors if not expected or expected not in error] == []


async def shoot(page, name: str) -> None:
    """Leave a screenshot to be looked at."""
    SHOTS.mkdir(exist_ok=True)
    await page.screenshot(path=str(SHOTS / f"{name}.png"))
