"""A question to a semantic model through the whole bot, under the person's own sign-in."""

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot import config, powerbi
from core.records import PersonId
from core.storage import evidence
from tests.fakes.model_script import Asked, Step, call, say
from tests.fakes.model_server import ModelServer
from tests.fakes.powerbi.service import PowerBIService, Someone, serving
from tests.fakes.powerbi.star import star
from tests.house import House, house
from tests.specialists.dax.test_agent import QUESTIONS, WRONG, by_hand
from tests.turn.reading import MENTION, turn_ids
from tests.whole.test_approval import follow
from tests.whole.test_asked_to_connect import links
from tests.whole.test_sql import offered

AUDIENCE = "https://analysis.windows.net/powerbi/api"
YAML = """
sources:
  bikes:
    kind: powerbi
    title: Bike sales
    workspace: w1
    dataset: d1
    verified:
      - question: What did we sell in all?
        dax: EVALUATE ROW("Sales", [Total Sales])
        owner: Finance
        checked: "2026-10-01"
"""


class ByClaims(dict[str, Someone]):
    """Who a token of the local tenant says they are; nobody where it is for another resource."""

    def get(self, token: str, default: Any = None) -> Any:
        try:
            body = token.split(".")[1]
            claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        except (IndexError, ValueError):
            return None
        if claims.get("aud") != AUDIENCE or "Dataset.Read.All" not in claims.get("scp", ""):
            return None
        return Someone(claims["upn"].partition("@")[0], frozenset({"d1"}))


def played() -> PowerBIService:
    return PowerBIService(models={"d1": star()}, people=ByClaims(), a_minute=10_000)


def script(written: dict[str, list[str]]) -> Any:
    """A model that asks the specialist and, as the specialist, writes what is written for a
    question."""

    def step(asked: Asked) -> Step:
        question = next(one for one in written if f"<{one}>" in asked.text)
        if "run_query" in asked.tools:
            tries = asked.text.count("Not taken: ")
            return call("run_query", dax=written[question][min(tries, len(written[question]) - 1)])
        if any(one["role"] == "tool" for one in asked.messages):
            return say("Here it is [1].")
        return call("powerbi_ask_bikes", question=f"<{question}>")

    return step


async def connected(bot: House) -> None:
    await bot.ask(f"{MENTION} <first>")
    assert "You are signed in" in await follow(bot, links(bot, "mara", "sales")[0], "mara")


async def brought(bot: House) -> Any:
    return (await evidence.of_turn(bot.bot.rooms.db, (await turn_ids(bot))[-1]))[-1]


@pytest.mark.timeout(400)
async def test_forty_questions_bring_the_figures_of_plain_sql_half_of_them_at_the_second_try(
    tmp_path: Path,
) -> None:
    written = {"first": ['EVALUATE ROW("t", [Total Sales])']}
    for place, (question, dax, _) in enumerate(QUESTIONS):
        written[question] = [WRONG[place % len(WRONG)], dax] if place % 2 else [dax]
    async with (
        serving(played()) as service,
        ModelServer(dimensions=1536) as models,
        house(
            tmp_path, models=models, yaml=YAML, environment={"POWERBI_API_URL": service.url}
        ) as bot,
    ):
        models.answer(script(written))
        await offered(bot, "powerbi/ask_bikes")
        await connected(bot)
        for question, _, sql in QUESTIONS:
            await bot.ask(f"{MENTION} <{question}>")
            piece = await brought(bot)
            assert not piece.is_error, (question, piece.text)
            rows = [tuple(map(_plain, row.values())) for row in piece.structured["rows"]]
            assert rows == [tuple(map(_plain, row)) for row in by_hand(sql)], question
        billed = await bot.bot.rooms.db.fetch(
            "SELECT tool FROM entries WHERE purpose = 'specialist'"
        )
    assert len(billed) == sum(map(len, written.values())) - 1
    assert {row["tool"] for row in billed} == {"powerbi/ask_bikes"}
    assert {person for person, _ in service.asked} == {"mara"}


def _plain(cell: Any) -> Any:
    try:
        return round(float(cell), 6)
    except (TypeError, ValueError):
        return cell


async def test_without_a_sign_in_the_person_gets_a_private_link_and_then_the_answer_and_its_way(
    tmp_path: Path,
) -> None:
    question, dax, _ = QUESTIONS[6]
    async with (
        serving(played()) as service,
        ModelServer(dimensions=1536) as models,
        house(
            tmp_path, models=models, yaml=YAML, environment={"POWERBI_API_URL": service.url}
        ) as bot,
    ):
        models.answer(script({"first": [dax], question: [dax]}))
        await offered(bot, "powerbi/ask_bikes")
        await connected(bot)
        assert service.asked == []
        [answer, *_] = await bot.ask(f"{MENTION} <{question}>")
        [how] = [block for block in answer["blocks"] if block["type"] == "container"]
        assert how["title"]["text"] == "How I got this"
        shown = json.dumps(how)
        assert "SUMMARIZECOLUMNS" in shown and "[Total Sales] is the model's measure" in shown
        kept = [file.read_bytes() for file in (tmp_path / ".state").glob("*.db*")]
        assert all(b"Bearer" not in content for content in kept)


async def test_the_operator_is_told_what_a_person_can_reach_and_what_is_missing(
    tmp_path: Path,
) -> None:
    async with (
        serving(played()) as service,
        ModelServer(dimensions=1536) as models,
        house(
            tmp_path, models=models, yaml=YAML, environment={"POWERBI_API_URL": service.url}
        ) as bot,
    ):
        [model] = config.read(bot.bot.settings).semantic_models
        models.answer(script({"first": ["EVALUATE Sales"]}))
        await offered(bot, "powerbi/ask_bikes")
        mara = PersonId(f"slack:{bot.slack.world.team.id}/{bot.slack.member('mara').id}")

        async def said(*of: Any) -> list[str]:
            return (await powerbi.checked(bot.bot.settings, of, mara))[0]

        [line] = await said(model)
        assert str(mara) in line and "account" in line
        await connected(bot)
        assert await said(model) == ["bikes: 4 tables, 7 measures, rows by who asks"]
        scoped = replace(model, tables=("Sales", "Budget"))
        [line] = await said(scoped)
        assert line.endswith("not there for this person: Budget")
        service.is_switched_on = False
        [line] = await said(model)
        assert "Dataset Execute Queries REST API" in line
        service.is_switched_on = True
        [line] = await said(replace(model, dataset="d9"))
        assert "needs the permissions Read and Build" in line
