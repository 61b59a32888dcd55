"""What a semantic model brings is shown, explained and sent on as what a database brings."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.fakes.model_script import Asked, Step, call, say
from tests.fakes.model_server import ModelServer
from tests.fakes.powerbi.service import PowerBIService, serving
from tests.house import House, house
from tests.turn.reading import MENTION
from tests.whole.test_approval import follow
from tests.whole.test_asked_to_connect import links
from tests.whole.test_powerbi import YAML, brought, played
from tests.whole.test_sql import offered

VOUCHED = "How many loyalty points did dealers redeem?"
"""Of which nothing else that is there knows anything."""
MODEL = YAML.replace("What did we sell in all?", VOUCHED)
PLAIN = "sales per category"
BY_CATEGORY = 'EVALUATE SUMMARIZECOLUMNS(Product[Category], "Sales", [Total Sales])'
DRAWN = "Here it is [1].\n\n[bar chart 1]\n\n[table 1]"


class Orchestrator:
    """Asks the specialist what it was asked, draws what came, and mails what the thread holds."""

    def __init__(self) -> None:
        self.wrote = 0
        """How often the specialist's model was asked for DAX."""

    def step(self, asked: Asked) -> Step:
        if "run_query" in asked.tools:
            self.wrote += 1
            return call("run_query", dax=BY_CATEGORY)
        results = [str(one["content"]) for one in asked.messages if one["role"] == "tool"]
        question = next(
            str(one["content"]) for one in reversed(asked.messages) if one["role"] == "user"
        )
        if "mail it" in question:
            return self._mailed(asked, results)
        if results:
            return say(DRAWN)
        return call("powerbi_ask_bikes", question=PLAIN if PLAIN in question else VOUCHED)

    def _mailed(self, asked: Asked, results: list[str]) -> Step:
        if not results:
            kept = re.findall(r"(t_\w+\.\d+) \(powerbi/ask_bikes\)", asked.text)
            return call("read_result", evidence=kept[-1], first_row=1, last_row=9)
        if len(results) == 1:
            to = ["priya@larkspur.example"]
            return call("office_send_mail", to=to, subject="Sales", body=results[0])
        return say("It waits for you.")


@asynccontextmanager
async def signed_in(
    folder: Path, models: ModelServer | None, question: str
) -> AsyncGenerator[tuple[House, PowerBIService]]:
    """A bot that Mara's account is connected to, once she has asked this."""
    async with serving(played()) as service:
        where = {"POWERBI_API_URL": service.url}
        async with house(folder, models=models, yaml=MODEL, environment=where) as bot:
            await offered(bot, "powerbi/ask_bikes", "office/send_mail")
            said = await bot.ask(f"{MENTION} {question}")
            offers = links(bot, "mara", "sales")
            assert offers, said
            assert "You are signed in" in await follow(bot, offers[0], "mara")
            yield bot, service


async def test_its_rows_are_drawn_explained_kept_and_mailed_without_a_second_query(
    tmp_path: Path,
) -> None:
    told = Orchestrator()
    async with ModelServer(dimensions=1536) as models:
        models.answer(told.step)
        async with signed_in(tmp_path, models, VOUCHED) as (bot, service):
            [first, *_] = await bot.ask(f"{MENTION} {VOUCHED}")
            shown = str(await shown_in(bot, first))
            assert f"Verified query: {VOUCHED}, checked by Finance" in shown
            assert told.wrote == 0

            [answer, *_] = await bot.ask(f"{MENTION} {PLAIN}")
            blocks = await shown_in(bot, answer)
            kinds = [block["type"] for block in blocks]
            assert {"data_visualization", "table", "container"} <= set(kinds)
            [how] = [block for block in blocks if block["type"] == "container"]
            assert how["title"]["text"] == "How I got this" and "SUMMARIZECOLUMNS" in str(how)
            piece = await brought(bot)
            amounts = [row["Sales"] for row in piece.structured["rows"]]
            assert len(amounts) > 1 and told.wrote == 1

            before, root = len(service.asked), answer["thread_ts"]
            there = len(bot.side.replies("sales", root))
            await bot.ask(f"{MENTION} mail it to Priya", thread_ts=root, answers=there)
            (row,) = await bot.bot.rooms.db.fetch("SELECT state, body FROM parked")
            assert row["state"] == "parked" and len(service.asked) == before
            body = json.loads(row["body"])["arguments"]["body"]
            assert all(str(amount) in body for amount in amounts)


async def test_the_demo_model_answers_verified_queries_of_a_semantic_model(tmp_path: Path) -> None:
    async with signed_in(tmp_path, None, VOUCHED) as (bot, _):
        [answer, *_] = await bot.ask(f"{MENTION} {VOUCHED}")
        shown = str(await shown_in(bot, answer))
        assert f"Verified query: {VOUCHED}, checked by Finance" in shown
        [row] = (await brought(bot)).structured["rows"]
        assert f"{float(row['Sales']):.2f}"[:4] in shown.replace(",", "")


async def shown_in(bot: House, answer: dict[str, Any]) -> list[dict[str, Any]]:
    """All blocks of the answer, once everything of it stands there."""
    await bot.settled()
    return [
        block
        for message in bot.side.replies("sales", answer["thread_ts"])
        for block in message.get("blocks", ())
    ]
