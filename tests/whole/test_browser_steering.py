"""What admins and people see of usage, budgets and their own, in a real browser."""

import random
import time
from pathlib import Path

import pytest

from core.records import Billing, LedgerEntry, PersonId, ThreadId, TurnId, Usage
from core.storage import entries
from core.storage.database import Database
from tests.browser import launched, needs_chromium, opened, shoot
from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.house import House, house

pytestmark = [pytest.mark.browser, needs_chromium]
YAML = """
policy:
  admins: ["person:U0MARA"]
  rules: [{offer: "server:sample"}, {offer: "server:office"}]
budgets:
  limits:
    - {for: everyone, each: 5, per: day}
    - {for: everyone, together: 500, per: month}
"""
PEOPLE = {"U0MARA": 9, "U0TOMAS": 6, "U0PRIYA": 4}


async def used(db: Database) -> None:
    """Two weeks of a small team."""
    dice = random.Random(3)
    now = time.time()
    for number in range(400):
        person = dice.choices(list(PEOPLE), weights=list(PEOPLE.values()))[0]
        model, each = dice.choice([("gpt-5.5", 0.021), ("gpt-5.5-mini", 0.004)])
        purpose, tool = dice.choice([("answer", ""), ("answer", ""), ("tool", "sample/sales_by")])
        await entries.add(
            db,
            LedgerEntry(
                billing=Billing(
                    turn=TurnId(f"t{number}"),
                    thread=ThreadId("slack:T00000001/C0SALES/1"),
                    person=PersonId(f"slack:T00000001/{person}"),
                    place=f"slack:T00000001/{dice.choice(['C0SALES', 'C0GENERAL'])}",
                    purpose=purpose,
                    tool=tool,
                ),
                kind="chat",
                provider="openai",
                model=model,
                usage=Usage(input_tokens=dice.randrange(9_000), output_tokens=dice.randrange(800)),
                price=f"{each * dice.uniform(0.4, 2.5):.6f}",
                price_table="of the test",
                outcome="ok",
                started_at=now - dice.random() * 13 * 86_400,
                seconds=1.0,
            ),
        )


def page_of(bot: House) -> str:
    assert bot.bot.workspace is not None
    return bot.bot.workspace.url


async def write(page, text: str) -> None:
    area = page.locator(".conversation .composer-text")
    await area.fill(text)
    await area.press("Escape")
    await area.press("Enter")


async def test_usage_the_cost_line_and_the_home_as_people_see_them(tmp_path: Path) -> None:
    async with (
        ModelServer(dimensions=1536) as models,
        house(tmp_path, models=models, yaml=YAML) as bot,
        launched() as browser,
        opened(browser, page_of(bot)) as page,
    ):
        await used(bot.bot.rooms.db)
        models.script([say("Bicycles sold best in the Nordics in Q3.")])
        await write(page, "@Countersign what sold best in Q3?")
        cost = page.locator(".thread .message", has_text="1 call")
        await cost.wait_for()
        assert "gpt-5.5" in await cost.inner_text() and "$0." in await cost.inner_text()
        await shoot(page, "steering-1-cost-line")

        await write(page, "/usage 30d by person")
        panel = page.locator(".conversation .is-ephemeral").last
        await panel.filter(has_text="in 30 days").wait_for()
        assert "Tomás Ferrer" in await panel.inner_text()
        await panel.get_by_role("button", name="CSV").scroll_into_view_if_needed()
        await shoot(page, "steering-2-usage")
        await panel.get_by_role("button", name="By model").click()
        inner = page.locator(".conversation .is-ephemeral", has_text="gpt-5.5-mini").last
        await inner.wait_for()
        await shoot(page, "steering-3-drilled")

        await page.locator("#sidebar").get_by_role("button", name="Countersign").click()
        await page.get_by_role("tab", name="Home").click()
        home = page.locator(".home-tab")
        await home.filter(has_text="What you have used").wait_for()
        for said in ("$5.00 a day for each person", "Microsoft account", "What you may use"):
            assert said in await home.inner_text()
        await shoot(page, "steering-4-home")
        await home.get_by_role("button", name="All tools, and why").click()
        await home.filter(has_text="tools are offered to you here").wait_for()
        await shoot(page, "steering-5-why")
