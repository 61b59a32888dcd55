"""A long answer as a person sees it come: word by word, with its rounds, and stopped on demand."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.browser import launched, needs_chromium, opened, shoot
from tests.fakes.model_script import Asked, Step, call, say, stall
from tests.fakes.model_server import ModelServer
from tests.whole.process import free_port, running
from tests.whole.test_browser_flow import reply, write

pytestmark = [pytest.mark.browser, needs_chromium]

LINES = "".join(
    f"- In week {week} the **Nordics** sold {week * 17} bicycles, more than the week before [1].\n"
    for week in range(1, 31)
)
ANSWER = f"## Third quarter\n\n{LINES}\n[bar chart 1]\n\n[table 1]\n"


@asynccontextmanager
async def visited(folder: Path, read_so_far: asyncio.Event) -> AsyncIterator:
    """The page of a bot whose model stops in the middle of its answer until that is read."""

    def played(asked: Asked) -> Step:
        if "everything" in asked.text:
            return stall(LINES)
        if not any(message["role"] == "tool" for message in asked.messages):
            return call("sample_sales_by", group_by="region", period="2026-Q3")
        return say(ANSWER, held=read_so_far)

    async with ModelServer(dimensions=1536) as models:
        models.answer(played)
        environment = {
            "COUNTERSIGN_WORKSPACE_PORT": str(free_port()),
            "COUNTERSIGN_MODEL": "openai:gpt-5.5",
            "OPENAI_API_KEY": "sk-" + "t" * 40,
            "OPENAI_BASE_URL": models.openai_url,
            "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
        }
        async with running(folder, "--workspace", environment=environment) as bot:
            async with launched() as browser, opened(browser, bot.page) as page:
                yield page
            assert await bot.stop() == 0


async def test_an_answer_is_read_while_it_is_written_and_can_be_stopped(tmp_path: Path) -> None:
    read_so_far = asyncio.Event()
    async with visited(tmp_path, read_so_far) as page:
        await write(page, "@Countersign what did we sell per region in Q3?")
        await page.locator(".message").filter(has_text="per region").last.wait_for()
        growing = page.locator(".caret-mark").first
        await growing.wait_for()
        await shoot(page, "stream-growing")
        read_so_far.set()
        await page.locator(".thread .chart").wait_for()
        await page.locator(".thread .feedback").wait_for()
        assert await page.locator(".caret-mark").count() == 0
        assert "week 30" in await reply(page, 1).inner_text()
        await page.locator(".thread .feedback button").first.click()
        await shoot(page, "stream-done")

        await write(page, "@Countersign tell me everything")
        await page.locator(".caret-mark").first.wait_for()
        await write(page, "@Countersign stop", pane="thread")
        await page.locator(".caret-mark").first.wait_for(state="detached")
        await shoot(page, "stream-stopped")
