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
async def opened(url: str, *, width: int = 1360, height: int = 860) -> AsyncIterator:
    """A fresh browser with the page open. What the page reports as an error fails the test."""
    from playwright.async_api import async_playwright

    errors: list[str] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium(), args=list(FLAGS), headless=True
        )
        try:
            page = await browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(5_000)
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
            await page.goto(url)
            yield page
        finally:
            await browser.close()
    assert errors == []


async def shoot(page, name: str) -> None:
    """Leave a screenshot to be looked at."""
    SHOTS.mkdir(exist_ok=True)
    await page.screenshot(path=str(SHOTS / f"{name}.png"))
