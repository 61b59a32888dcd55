"""Forgotten means gone: from every table, the index, the logs of the databases; amounts stay."""

import asyncio
import json
from pathlib import Path

import pytest

from core.storage import erase, threads, usage
from core.storage.retention import DAY, Retention, sweep
from core.turn.retrieve import scope, source
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.sides import MENTION
from tests.turn.steering import OFFERED, buttons_of, ordered, words_of

CANARIES = [f"canary{number:02d}zebra" for number in range(25)]


def places_of(folder: Path) -> list[str]:
    """Every file of the state that holds a canary, with the canary."""
    return [
        f"{path.name}: {canary}"
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".yaml"
        for content in [path.read_bytes()]
        for canary in CANARIES
        if canary.encode() in content
    ]


async def plant(bot: House, models: ModelServer) -> str:
    """A thread of one person whose questions, answers and evidence hold the canaries."""
    thread = ""
    for number, canary in enumerate(CANARIES):
        models.script([call("sample_search_notes", query=canary), say(f"Nothing on {canary}.")])
        more = {"thread_ts": thread} if thread else {}
        found = await bot.side.say("tomas", "sales", f"{MENTION} what of {canary}?", **more)
        thread = thread or found
        await bot.answers("sales", thread, number + 1)
    await bot.settled()
    return thread


@pytest.mark.promise("S7", "core.storage")
async def test_whoever_asks_to_be_forgotten_is_gone_from_every_file(
    tmp_path: Path, models: ModelServer, side: str
) -> None:
    async with house(tmp_path, models=models, side=side, yaml=OFFERED) as bot:
        db, person = bot.bot.rooms.db, bot.side.person("tomas")
        await plant(bot, models)
        before = await db.fetch("SELECT sum(picos) AS picos, count(*) AS n FROM usage_days")
        priced = await db.fetch("SELECT price FROM entries ORDER BY seq")
        assert places_of(tmp_path)

        first = await ordered(bot, "tomas", "forget me")
        [again] = [w for w in buttons_of(first).values() if w == "forget me now"]
        told = words_of(await ordered(bot, "tomas", again))
        assert "within a minute" in told
        await erased(bot)

        assert places_of(tmp_path) == []
        for table in ("inbox", "turns", "evidence", "notes", "files", "embeddings", "people"):
            rows = await db.fetch(f"SELECT * FROM {table}")
            assert person not in json.dumps([dict(r) for r in rows], default=str), table
        after = await db.fetch("SELECT sum(picos) AS picos, count(*) AS n FROM usage_days")
        assert after[0]["picos"] == before[0]["picos"]
        for by in ("person", "place"):
            found = await usage.sums(db, by, 0.0)
            assert usage.total(found).picos == after[0]["picos"]
            assert by == "place" or person not in [one.name for one in found]
        assert await db.fetch("SELECT price FROM entries ORDER BY seq") == priced
        names = {row["person"] for row in await db.fetch("SELECT DISTINCT person FROM entries")}
        assert len(names) == 1 and names.pop().startswith("erased:")


async def erased(bot: House) -> None:
    """The last pass comes ten seconds after it was asked for."""
    async with asyncio.timeout(60):
        while await erase.due(bot.bot.rooms.db):
            await bot.bot.rooms.db.wait("test", 0.2)


async def test_forgetting_one_leaves_the_others(
    tmp_path: Path, models: ModelServer, side: str
) -> None:
    async with house(tmp_path, models=models, side=side, yaml=OFFERED) as bot:
        models.script([say("For Priya."), say("For Tomas.")])
        await bot.ask(f"{MENTION} what is it?", person="priya")
        await bot.ask(f"{MENTION} and that?", person="tomas")
        await ordered(bot, "tomas", "forget me now")
        await erased(bot)
        left = await bot.bot.rooms.db.fetch("SELECT person, answer FROM turns")
        assert [(row["person"], row["answer"]) for row in left] == [
            (bot.side.person("priya"), "For Priya.")
        ]


async def test_everybody_may_take_what_is_theirs_with_them(
    tmp_path: Path, models: ModelServer
) -> None:
    async with house(tmp_path, models=models, yaml=OFFERED) as bot:
        models.script([say("The answer.")])
        await bot.ask(f"{MENTION} the question?", person="tomas")
        told = words_of(await ordered(bot, "tomas", "my data"))
        assert "1 questions with their answers" in told and "my-data.json" in told
        [file] = [f for f in bot.slack.world.files.values() if f.name == "my-data.json"]
        [mine] = json.loads(file.content)
        assert [turn["answer"] for turn in mine["turns"]] == ["The answer."]
        assert mine["used"] and "token" not in json.dumps(sorted(mine))


@pytest.mark.promise("S8", "core.storage")
async def test_what_is_past_its_time_is_gone_from_the_search_index_as_well(
    tmp_path: Path, models: ModelServer, side: str
) -> None:
    async with house(tmp_path, models=models, side=side, yaml=OFFERED) as bot:
        rooms = bot.bot.rooms
        models.script([say("A canary00zebra in the answer.")])
        await bot.ask(f"{MENTION} where is it?", person="tomas")
        await bot.settled()
        [row] = await rooms.db.fetch("SELECT turn, thread, finished_at FROM turns")
        found = await rooms.index.search([scope(row["thread"])], [], "canary00zebra")
        assert [chunk.source for chunk in found] == [source(row["turn"])] * len(found) != []

        async def forget(turns: object) -> None:
            await rooms.index.forget_all([source(turn) for turn in turns])  # type: ignore[attr-defined]

        for days, left in ((89, 1), (91, 0), (400, 0)):
            now = row["finished_at"] + days * DAY
            await sweep(rooms.db, Retention(), now=now, forget=forget)
            assert len(await threads.finished(rooms.db, row["thread"])) == left
            found = await rooms.index.search([scope(row["thread"])], [], "canary00zebra")
            assert bool(found) == bool(left)
        for table in ("inbox", "outbox", "evidence", "turns", "embeddings", "notes", "files"):
            assert await rooms.db.fetch(f"SELECT * FROM {table}") == [], table
        assert await rooms.db.fetch("SELECT * FROM entries")
