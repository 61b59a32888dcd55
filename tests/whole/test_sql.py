"""Questions to databases through the whole bot, with a scripted model: the rows are exact."""

import asyncio
import sqlite3
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
import sqlglot
from sqlglot import exp

from core.records import Evidence
from core.specialists.sql.source import Source, Table, Verified
from core.storage import evidence
from tests.fakes.model_server import ModelServer
from tests.given import given
from tests.house import House, house
from tests.specialists.sql.golds import golds, script
from tests.turn.reading import MENTION, shown_of, turn_ids
from tests.whole.scripted_sql import Scripted

CHINOOK = {
    "How many tracks are there?": "SELECT COUNT(*) AS tracks FROM Track",
    "Which five countries spent the most?": (
        "SELECT i.BillingCountry AS country, SUM(i.Total) AS spent FROM Invoice AS i"
        " GROUP BY i.BillingCountry ORDER BY spent DESC LIMIT 5"
    ),
    "How many invoices are there per year?": (
        "SELECT strftime('%Y', i.InvoiceDate) AS year, COUNT(*) AS invoices FROM Invoice AS i"
        " GROUP BY 1 ORDER BY 1"
    ),
    "Which genres have more than 300 tracks?": (
        "SELECT g.Name AS genre, COUNT(t.TrackId) AS tracks FROM Genre AS g JOIN Track AS t"
        " ON t.GenreId = g.GenreId GROUP BY g.Name HAVING COUNT(t.TrackId) > 300 ORDER BY g.Name"
    ),
    "Who are the customers in Denmark?": (
        "SELECT c.FirstName, c.LastName, c.City FROM Customer AS c WHERE c.Country = 'Denmark'"
    ),
    "What is the longest track?": (
        "SELECT t.Name, t.Milliseconds FROM Track AS t ORDER BY t.Milliseconds DESC LIMIT 1"
    ),
    "How many albums does AC/DC have?": (
        "SELECT COUNT(*) AS albums FROM Album AS a JOIN Artist AS r ON r.ArtistId = a.ArtistId"
        " WHERE r.Name = 'AC/DC'"
    ),
    "Which employees support customers?": (
        "SELECT e.FirstName, e.LastName, COUNT(c.CustomerId) AS customers FROM Employee AS e"
        " JOIN Customer AS c ON c.SupportRepId = e.EmployeeId GROUP BY e.EmployeeId"
        " ORDER BY e.LastName"
    ),
    "Which media types are there?": "SELECT m.Name FROM MediaType AS m ORDER BY m.Name",
    "What is the average invoice in Germany?": (
        "SELECT AVG(i.Total) AS average FROM Invoice AS i WHERE i.BillingCountry = 'Germany'"
    ),
}
DATABASES = ("academic", "restaurants", "scholar", "yelp")
EACH = 5
"""Questions of each of these databases."""


def chinook(**more: Any) -> Source:
    path = given("chinook") / "Chinook_Sqlite.sqlite"
    return Source(
        **{"id": "music", "title": "the music shop", "kind": "sqlite"} | more,
        connection={"path": str(path)},
    )


def database(name: str, folder: Path) -> Source:
    """One of the public set, as a SQLite file."""
    path = folder / f"{name}.db"
    with closing(sqlite3.connect(path)) as connection:
        for tree in sqlglot.parse(script(name), dialect="postgres"):
            if not isinstance(tree, exp.Create | exp.Insert) or tree.args.get("kind") == "SCHEMA":
                continue
            for table in tree.find_all(exp.Table):
                table.set("db", None)
            # Rows with moments reckoned from today are left out: SQLite reckons otherwise.
            with suppress(sqlite3.OperationalError):
                connection.execute(tree.sql("sqlite"))
        connection.commit()
    return Source(id=name, title=name, kind="sqlite", connection={"path": str(path)})


def truth(source: Source, sql: str) -> list[tuple[Any, ...]]:
    """What SQLite itself says, in the version that the bot uses: older ones add up otherwise."""
    with closing(apsw.Connection(source.connection["path"])) as connection:
        return [tuple(row) for row in connection.execute(sql)]


async def offered(bot: House, *tools: str) -> None:
    """Wait until the servers have shown these tools: loading them takes a moment after a start."""
    catalog = bot.bot.rooms.catalog
    async with asyncio.timeout(90):
        # Nobody tells when a server is up.
        while not set(tools) <= {one.key for one in (await catalog.discover()).tools}:  # noqa: ASYNC110
            await asyncio.sleep(0.2)


async def said(bot: House, text: str, **how: Any) -> list[dict[str, Any]]:
    """Ask, and what stands in the thread when all of it is said; what is shown before that may be
    the plan of a turn that still runs."""
    [first, *_] = await bot.ask(text, **how)
    db = bot.bot.rooms.db
    async with asyncio.timeout(60):
        while await db.fetch("SELECT 1 FROM inbox WHERE state IN ('new', 'running')"):
            await db.wait("inbox", 0.1)
    await bot.settled(30.0)
    return bot.side.replies("sales", first["thread_ts"])


async def brought(bot: House) -> Evidence:
    """What the newest turn brought."""
    newest = (await turn_ids(bot))[-1]
    return (await evidence.of_turn(bot.bot.rooms.db, newest))[-1]


def rows_of(piece: Evidence) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in (piece.structured or {}).get("rows", [])]


def exact(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(str(cell) if isinstance(cell, int) and abs(cell) > 2**53 else cell for cell in row)


def questions(folder: Path) -> dict[str, tuple[Source, str]]:
    music = chinook()
    found = {question: (music, sql) for question, sql in CHINOOK.items()}
    for name in DATABASES:
        source, taken = database(name, folder), 0
        for gold in golds("sqlite"):
            is_new = gold.database == name and gold.question not in found
            if not is_new or taken == EACH or not runs(source, gold.sql):
                continue
            found[gold.question] = (source, gold.sql)
            taken += 1
    return found


def runs(source: Source, sql: str) -> bool:
    """Not those about the current day, which the specialist writes out, nor of another SQLite."""
    if "now" in sql.lower() or "current" in sql.lower():
        return False
    try:
        return bool(truth(source, sql))
    except apsw.Error:
        return False


@pytest.mark.timeout(400)
async def test_thirty_questions_bring_exactly_the_rows_of_the_database(tmp_path):
    asked = questions(tmp_path)
    assert len(asked) == len(CHINOOK) + len(DATABASES) * EACH == 30
    sources = tuple({source.id: source for source, _ in asked.values()}.values())
    async with ModelServer() as models, house(tmp_path, models=models, sources=sources) as bot:
        await offered(bot, *(f"sources/ask_{source.id}" for source in sources))
        for question, (source, sql) in asked.items():
            told = Scripted(sql={question: [sql]}, tool=f"sources_ask_{source.id}")
            models.answer(told.step)
            await said(bot, f"{MENTION} {question}")
            piece = await brought(bot)
            assert not piece.is_error, (question, piece.text)
            found, right = rows_of(piece), [exact(row) for row in truth(source, sql)]
            assert Counter(found) == Counter(right), (question, found, right)
            assert piece.structured["query"]["is_complete"] is ("LIMIT" not in sql)


async def test_the_answer_shows_its_rows_and_how_they_came_about(tmp_path):
    question, sql = next(iter(CHINOOK.items()))
    told = Scripted(sql={question: [sql]}, tool="sources_ask_music", words="3503 tracks [1].")
    async with ModelServer() as models, house(tmp_path, models=models, sources=(chinook(),)) as bot:
        models.answer(told.step)
        await offered(bot, "sources/ask_music")
        [answer] = await said(bot, f"{MENTION} {question}")
        [how] = [block for block in answer["blocks"] if block["type"] == "container"]
        assert how["title"]["text"] == "How I got this" and how["default_collapsed"]
        assert 'FROM "Track"' in str(how) and "1 row, complete" in str(how)
        assert "In no result" not in shown_of(answer)


async def test_a_figure_that_no_result_holds_is_called_out(tmp_path):
    question, sql = next(iter(CHINOOK.items()))
    told = Scripted(sql={question: [sql]}, tool="sources_ask_music", words="3,600 tracks [1].")
    async with ModelServer() as models, house(tmp_path, models=models, sources=(chinook(),)) as bot:
        models.answer(told.step)
        await offered(bot, "sources/ask_music")
        [answer] = await said(bot, f"{MENTION} {question}")
        assert "In no result of this turn: 3,600" in str(answer["blocks"])


async def test_twenty_of_many_rows_are_never_said_to_be_all(tmp_path):
    question = "How many tracks are there?"
    told = Scripted(sql={question: ["SELECT * FROM Track LIMIT 20"]}, tool="sources_ask_music")
    async with ModelServer() as models, house(tmp_path, models=models, sources=(chinook(),)) as bot:
        models.answer(told.step)
        await offered(bot, "sources/ask_music")
        [answer, *_] = await said(bot, f"{MENTION} {question}")
        piece = await brought(bot)
        assert piece.structured["query"]["is_complete"] is False
        assert "there may be more" in piece.text
        assert "there are more" in str(bot.side.replies("sales", answer["thread_ts"]))


async def test_in_teams_how_it_came_about_unfolds_beneath_the_answer(tmp_path):
    question, sql = next(iter(CHINOOK.items()))
    told = Scripted(sql={question: [sql]}, tool="sources_ask_music", words="3503 tracks [1].")
    async with (
        ModelServer() as models,
        house(tmp_path, models=models, sources=(chinook(),), side="teams") as bot,
    ):
        models.answer(told.step)
        await offered(bot, "sources/ask_music")
        [answer] = await said(bot, f"{MENTION} {question}")
        [action] = [
            action
            for card in answer["attachments"]
            for action in card["content"].get("actions", [])
            if action["type"] == "Action.ShowCard"
        ]
        assert action["title"] == "How I got this" and 'FROM \\"Track\\"' in str(action).replace(
            '"', '\\"'
        )


async def test_a_verified_question_is_answered_without_writing_sql(tmp_path):
    vouched = Verified(
        question="How many tracks are there?",
        sql="SELECT COUNT(*) AS tracks FROM Track",
        owner="Ingrid Solberg",
        checked="2026-10-01",
    )
    told = Scripted(sql={vouched.question: ["SELECT 1"]}, tool="sources_ask_music")
    source = chinook(verified=(vouched,), tables=(Table(name="Track"),))
    async with ModelServer() as models, house(tmp_path, models=models, sources=(source,)) as bot:
        models.answer(told.step)
        await offered(bot, "sources/ask_music")
        [answer, *_] = await said(bot, f"{MENTION} {vouched.question}")
        assert rows_of(await brought(bot)) == [(3503,)]
        assert told.seen == []
        assert "Verified query: How many tracks are there?, checked by Ingrid Solberg" in str(
            bot.side.replies("sales", answer["thread_ts"])
        )


async def test_a_name_that_does_not_exist_is_mended_within_three_tries_by_the_questions_model(
    tmp_path,
):
    question, sql = next(iter(CHINOOK.items()))
    other = "models: {openai:gpt-4.1: {}}"
    tries = ["SELECT COUNT(*) FROM Trakc", "SELECT COUNT(t.Nmae) FROM Track AS t", sql]
    told = Scripted(sql={question: tries}, tool="sources_ask_music")
    async with (
        ModelServer() as models,
        house(tmp_path, models=models, sources=(chinook(),), yaml=other) as bot,
    ):
        models.answer(told.step)
        await offered(bot, "sources/ask_music")
        await said(bot, f"{MENTION} {question} model:openai:gpt-4.1")
        piece = await brought(bot)
        assert rows_of(piece) == [(3503,)] and piece.structured["query"]["tries"] == 3
        billed = await bot.bot.rooms.db.fetch("SELECT purpose, tool, model FROM entries")
        specialist = [row for row in billed if row["purpose"] == "specialist"]
        assert len(specialist) == len(told.seen) >= 4
        assert {row["model"] for row in specialist} == {"gpt-4.1"}
        assert {row["tool"] for row in specialist} == {"sources/ask_music"}
