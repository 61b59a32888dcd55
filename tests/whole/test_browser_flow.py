"""The bot as a newcomer meets it: one command, a page in a real browser, answers in the thread."""

import asyncio
import io
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from openpyxl import load_workbook

from tests.browser import launched, needs_chromium, opened, shoot
from tests.whole.process import free_port, running

pytestmark = [pytest.mark.browser, needs_chromium]

COST = re.compile(r"demo · \d calls · [\d.]+k tokens · \$0 · [\d.]+ s")


@asynccontextmanager
async def visited(folder: Path) -> AsyncIterator:
    """The page of a bot that was started for it, and stopped cleanly behind it."""
    environment = {"COUNTERSIGN_WORKSPACE_PORT": str(free_port())}
    async with running(folder, "--workspace", environment=environment) as bot:
        async with launched() as browser, opened(browser, bot.page) as page:
            yield page
        assert await bot.stop() == 0


async def write(page, text: str, pane: str = "conversation") -> None:
    area = page.locator(f".{pane} .composer-text")
    await area.fill(text)
    await area.press("Escape")
    await area.press("Enter")


def reply(page, nth: int):
    """The nth message of the open thread after the question that began it, from 1."""
    return page.locator(".thread .message").nth(nth)


async def column(table, number: int) -> list[str]:
    await table.wait_for()
    return await table.locator(f"tbody tr td:nth-child({number})").all_inner_texts()


async def download(page) -> bytes:
    async with page.expect_download() as begun:
        await page.locator(".thread .file-card").get_by_role("button").click()
    path = await (await begun.value).path()
    return await asyncio.to_thread(Path(path).read_bytes)


async def test_a_newcomer_asks_reads_follows_up_and_takes_a_spreadsheet_home(
    tmp_path: Path,
) -> None:
    async with visited(tmp_path) as page:
        await page.locator(".hint").first.click()
        await shoot(page, "flow-1-hint")
        await page.locator(".conversation .composer-text").press("Enter")

        status = page.locator(".thread .status-words")
        # In one look: it may be gone before a second one.
        working = re.compile("Countersign is (thinking|working)")
        await status.filter(has_text=working).wait_for()
        await shoot(page, "flow-2-status")

        table = reply(page, 1).locator("table")
        regions = ["Nordics", "Iberia", "DACH", "Benelux", "UK & Ireland"]
        assert await column(table, 1) == regions
        await status.wait_for(state="detached")
        await shoot(page, "flow-3-answer")
        assert (await column(table, 4))[0] == "63,660.60"
        assert await table.locator("tbody tr td.to-right").count() == 3 * len(regions)
        words = await reply(page, 1).inner_text()
        assert "I am no language model" in words
        assert "[1] Sales by: region, Q3, 2026" in words
        assert COST.search(words)

        await write(page, "@Countersign And in Q2?", "thread")
        assert (await column(reply(page, 3).locator("table"), 4))[0] == "127,811.36"
        await shoot(page, "flow-4-follow-up")

        await write(page, "@Countersign Put the sales per product into a spreadsheet.")
        await page.locator(".thread .file-card").wait_for()
        await shoot(page, "flow-5-spreadsheet")
        words = await reply(page, 1).inner_text()
        assert "The file is in this thread." in words
        assert "application/" not in words
        sheet = load_workbook(io.BytesIO(await download(page))).active
        rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
        assert ["Product", "Orders", "Units", "Revenue (EUR)"] in rows
        assert any(row[0] == "Osprey" and row[3] > 0 for row in rows)


async def test_what_is_private_is_seen_by_the_one_who_asked_alone(tmp_path: Path) -> None:
    async with visited(tmp_path) as page:
        private = page.locator(".conversation .is-ephemeral")
        # Just after the start the tools are still being read, and help says so.
        told = private.filter(has_text="What Larkspur Cycles sold")
        for asked in range(1, 20):
            await write(page, "@Countersign help")
            await page.wait_for_function(
                "n => document.querySelectorAll('.conversation .is-ephemeral').length >= n",
                arg=asked,
            )
            if await told.count():
                break
        await write(page, "@Countersign model:nope what did we sell?")
        await private.filter(has_text="There is no model named “nope” here").wait_for()
        await shoot(page, "flow-6-private")
        assert await private.locator(".only-you").count() == await private.count() >= 2

        await page.locator("#me").click()
        await page.get_by_role("menuitem", name="Tomás Ferrer").click()
        await page.locator("[data-place=C0FINANCE]").wait_for()
        await page.locator(".conversation .message", has_text="model:nope").wait_for()
        assert await private.count() == 0
        assert await page.locator(".conversation .app-badge").count() == 0

        await page.locator("#sidebar").get_by_role("button", name="Countersign").click()
        await page.locator(".conversation h1", has_text="Countersign").wait_for()
        await write(page, "Which orders did Fjord & Fell Bikes place?")
        assert "I am Countersign" in await reply(page, 1).inner_text()
        assert (await column(reply(page, 2).locator("table"), 1))[0] == "O-20050"
        await write(page, "what is the return policy?", "thread")
        second = reply(page, 4)
        await second.filter(has_text="within 60 days").wait_for()
        await shoot(page, "flow-7-direct")
        chip = second.get_by_role("link")
        assert await chip.inner_text() == "Search notes: return policy"
        assert (await chip.get_attribute("href")).startswith("https://")
