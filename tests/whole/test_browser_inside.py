"""The side panel of an answer, in a real browser: what happened inside its turn."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp.server.mcpserver import MCPServer

from core.specialists.server import tags
from tests.browser import launched, needs_chromium, opened, shoot
from tests.fakes.mcp_modern import modern_server
from tests.fakes.model_script import calls, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION

pytestmark = [pytest.mark.browser, needs_chromium]

POLICY = """
policy:
  rules:
    - {offer: "tool:*"}
    - {withhold: "tool:crm/salaries", in: ["place:public"]}
"""


def crm() -> MCPServer:
    """A long result, a call that waits, a tool that is withheld."""
    server = MCPServer("crm", log_level="ERROR")

    def accounts(region: str, minimum: int) -> str:
        """The accounts of a region."""
        rows = "\n".join(f"| Account {n:03} | {region} | {minimum + n * 37} |" for n in range(400))
        return f"| account | region | revenue |\n| --- | --- | --- |\n{rows}"

    def create_lead(name: str) -> str:
        """Create a lead."""
        raise AssertionError(name)

    def salaries() -> str:
        """Everybody's."""
        raise AssertionError

    server.add_tool(accounts, structured_output=False)
    server.add_tool(create_lead, meta=tags("requires_approval"), structured_output=False)
    server.add_tool(salaries, structured_output=False)
    return server


@asynccontextmanager
async def answered(folder: Path) -> AsyncIterator[tuple[House, str]]:
    """A house in which one question was answered in every way; the address of its page."""
    async with ModelServer(dimensions=1536) as models, modern_server(crm()) as url:
        models.script(
            [
                calls(
                    ("crm_accounts", {"region": "Nordics", "minimum": 1000}),
                    ("sample_sales_by", {"group_by": "planet"}),
                    text="I look at the accounts and at the sales.",
                ),
                calls(("crm_create_lead", {"name": "Fjord & Fell Bikes"})),
                say("Nordics lead; #1 waits for you. [1]"),
            ]
        )
        yaml = f"servers: {{crm: {{url: '{url}', accept: first}}}}\n{POLICY}"
        async with house(folder, models=models, yaml=yaml) as bot:
            await bot.ask(f"{MENTION} who leads in the Nordics? Make them a lead.", answers=1)
            assert bot.bot.workspace is not None
            yield bot, bot.bot.workspace.url


async def test_inside_shows_rounds_calls_evidence_rules_ledger_and_time(tmp_path: Path) -> None:
    async with (
        answered(tmp_path) as (_, url),
        launched() as browser,
        opened(browser, url, width=1440, height=1000) as page,
    ):
        await page.locator(".conversation .thread-line").click()
        await page.locator(".thread .inside-line").first.click()
        panel = page.locator("#inside")
        await panel.locator(".waterfall").wait_for()
        await shoot(page, "inside-1-top")
        assert await panel.locator(".state").inner_text() == "done"
        names = await panel.locator(".step-name").all_inner_texts()
        assert names[:3] == ["Waited in line", "Read the thread", "Searched, chose tools"]
        rounds = panel.locator(".round")
        assert await rounds.locator("h2").all_inner_texts() == ["Round 1", "Round 2", "The answer"]
        assert await rounds.nth(0).locator(".said").inner_text() == (
            "I look at the accounts and at the sales."
        )
        outcomes = panel.locator(".call .outcome")
        assert await outcomes.all_inner_texts() == ["done", "failed", "waits"]

        accounts = panel.locator(".call").first
        await accounts.locator("summary").click()
        text = accounts.locator(".evidence-text")
        assert "Shortened:" in await text.inner_text()
        assert "Account 399" not in await text.inner_text()
        await accounts.get_by_role("button", name="Whole").click()
        assert "Account 399" in await text.inner_text()
        assert await accounts.locator(".arguments dd").all_inner_texts() == ["Nordics", "1000"]
        await shoot(page, "inside-2-evidence")

        withheld = panel.locator(".withheld")
        assert "rule 2 withholds tool:crm/salaries in place:public" in await withheld.inner_text()
        await withheld.scroll_into_view_if_needed()
        await panel.locator(".ledger tbody tr").last.scroll_into_view_if_needed()
        await shoot(page, "inside-3-bottom")
        assert await panel.locator(".ledger tbody tr").count() == 4

        await page.keyboard.press("Escape")
        assert await panel.is_hidden()
        assert await page.locator(".thread .inside-line").first.is_visible()


@pytest.mark.parametrize("width", [1180, 980, 820, 420])
async def test_inside_fits_a_narrow_window(tmp_path: Path, width: int) -> None:
    async with (
        answered(tmp_path) as (_, url),
        launched() as browser,
        opened(browser, url, width=1440, height=900) as page,
    ):
        await page.locator(".conversation .thread-line").click()
        await page.locator(".thread .inside-line").first.click()
        panel = page.locator("#inside")
        await panel.locator(".waterfall").wait_for()
        await page.set_viewport_size({"width": width, "height": 900})
        await panel.locator(".call summary").first.click()
        await shoot(page, f"inside-{width}")
        box = await panel.bounding_box()
        assert box is not None
        assert box["width"] >= min(400, width)
        assert box["x"] + box["width"] <= width
        body = panel.locator(".inside-body")
        assert await body.evaluate("node => node.scrollWidth <= node.clientWidth")


async def test_a_message_of_a_person_has_no_inside(tmp_path: Path) -> None:
    async with (
        answered(tmp_path) as (bot, url),
        launched() as browser,
        opened(browser, url) as page,
    ):
        await page.locator(".conversation .thread-line").wait_for()
        assert await page.locator(".conversation .inside-line").count() == 0
        assert bot.slack.app.member
