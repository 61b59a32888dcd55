"""Forgets people: what they wrote and were answered is gone, what they cost stays as a pseudonym's.

Asked for once and done in passes: a turn that was still running when somebody asked to be forgotten
may leave something behind, which the last pass takes.
"""

import asyncio
import json
import secrets
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import LiteralString, NamedTuple

from core.errors import Unavailable
from core.records import PersonId, TurnId
from core.storage.database import Database, Statements, Transaction

CHECKPOINT_TRIES = 50


class Erasure(NamedTuple):
    id: str
    persons: tuple[PersonId, ...]
    """All that one human is, on every surface."""
    asked_at: float


async def ask(tx: Statements, persons: Sequence[PersonId], *, now: float) -> str:
    """Put it on record; its id says nothing of whom it is about."""
    id = f"erased:{secrets.token_hex(8)}"
    await tx.execute(
        "INSERT INTO erasures (id, persons, asked_at) VALUES (?, ?, ?)",
        (id, json.dumps(list(persons)), now),
    )
    return id


async def due(db: Statements) -> list[Erasure]:
    rows = await db.fetch("SELECT * FROM erasures WHERE done_at IS NULL ORDER BY asked_at")
    return [
        Erasure(row["id"], tuple(map(PersonId, json.loads(row["persons"]))), row["asked_at"])
        for row in rows
    ]


async def close(db: Statements, one: Erasure, *, now: float) -> None:
    """It is complete: even whom it was about is forgotten."""
    await db.execute("UPDATE erasures SET persons = '[]', done_at = ? WHERE id = ?", (now, one.id))


async def stop(db: Statements, person: PersonId, *, now: float) -> None:
    """End what runs for the person, without a word."""
    await db.execute(
        "UPDATE inbox SET state = 'failed', finished_at = ?, stopped_at = ?, owner = NULL,"
        " lease = NULL WHERE person = ? AND state IN ('new', 'running')",
        (now, now, person),
    )


async def turns_of(db: Statements, person: PersonId) -> list[TurnId]:
    """Every turn of the person that anything is known of."""
    rows = await db.fetch(
        "SELECT id AS turn FROM inbox WHERE person = ? UNION SELECT turn FROM turns"
        " WHERE person = ? UNION SELECT turn FROM evidence WHERE person = ?"
        " UNION SELECT turn FROM parked WHERE requester = ?",
        (person,) * 4,
    )
    return [TurnId(row["turn"]) for row in rows]


async def erase(
    db: Database, person: PersonId, turns: Sequence[TurnId], alias: str, *, is_last: bool
) -> None:
    """One pass over every table but the search index, which is told apart. Repeating it is
    harmless. Until the last pass cards may still be drawn as void where they stand."""

    async def forget(tx: Transaction) -> None:
        for turn in turns:
            await _forget_turn(tx, turn)
        await _forget_person(tx, person)
        await _forget_posts(tx, person, turns, is_last=is_last)
        await _rename_in_books(tx, person, alias)

    await db.write(forget)


async def scrub(db: Database) -> None:
    """Take what was deleted out of SQLite's log as well. On Postgres the server does so in its
    own time. Raises `Unavailable` when readers never let go of the log."""
    if db.path is not None:
        await asyncio.to_thread(_truncate, db.path)


def _truncate(path: Path) -> None:
    connection = sqlite3.connect(path, timeout=5.0)
    try:
        for _ in range(CHECKPOINT_TRIES):
            busy, _log, _moved = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return
    finally:
        connection.close()
    raise Unavailable("The database's log could not be emptied.")


async def _forget_turn(tx: Statements, turn: TurnId) -> None:
    await tx.execute("DELETE FROM files WHERE turn = ?", (turn,))
    await tx.execute("DELETE FROM notes WHERE turn = ?", (turn,))
    await tx.execute("DELETE FROM checkpoints WHERE turn = ?", (turn,))
    await tx.execute("DELETE FROM ratings WHERE turn = ?", (turn,))
    await tx.execute("DELETE FROM spoken WHERE turn = ?", (turn,))
    await tx.execute("DELETE FROM reservations WHERE turn = ?", (turn,))
    await tx.execute("DELETE FROM evidence WHERE turn = ?", (turn,))
    await tx.execute(
        "DELETE FROM card_readings WHERE call IN (SELECT id FROM parked WHERE turn = ?)", (turn,)
    )
    await tx.execute(
        "DELETE FROM card_copies WHERE call IN (SELECT id FROM parked WHERE turn = ?)", (turn,)
    )
    await tx.execute("DELETE FROM parked WHERE turn = ?", (turn,))


async def _forget_person(tx: Statements, person: PersonId) -> None:
    """What is under their own name, and what was on its way to them."""
    await tx.execute("DELETE FROM inbox WHERE person = ?", (person,))
    await tx.execute("DELETE FROM turns WHERE person = ?", (person,))
    await tx.execute("DELETE FROM evidence WHERE person = ?", (person,))
    await tx.execute("DELETE FROM ratings WHERE person = ?", (person,))
    await tx.execute("DELETE FROM card_copies WHERE person = ?", (person,))
    await tx.execute("DELETE FROM card_readings WHERE person = ?", (person,))
    await tx.execute("DELETE FROM links WHERE person = ?", (person,))
    await tx.execute("DELETE FROM tokens WHERE person = ?", (person,))
    await tx.execute("DELETE FROM signins WHERE person = ?", (person,))
    await tx.execute("DELETE FROM people WHERE id = ?", (person,))
    await tx.execute("DELETE FROM kept WHERE key = ?", (f"person:{person}",))


async def _forget_posts(
    tx: Statements, person: PersonId, turns: Sequence[TurnId], *, is_last: bool
) -> None:
    kept = "" if is_last else "card"
    for turn in turns:
        await tx.execute("DELETE FROM outbox WHERE turn = ? AND kind <> ?", (turn, kept))
    await tx.execute(
        "DELETE FROM outbox WHERE kind <> ? AND body LIKE '%' || ? || '%'", (kept, person)
    )


async def _rename_in_books(tx: Statements, person: PersonId, alias: str) -> None:
    """Amounts and decisions stay, under a name that leads to nobody. A place where nobody else
    ever was, such as a direct chat, says who it was as well."""
    rows = await tx.fetch(
        "SELECT DISTINCT place FROM usage_days AS mine WHERE person = ? AND place <> ''"
        " AND NOT EXISTS (SELECT 1 FROM usage_days AS other"
        " WHERE other.place = mine.place AND other.person <> mine.person)",
        (person,),
    )
    for place in [row["place"] for row in rows]:
        hidden = f"{alias}/place"
        await tx.execute(
            "UPDATE entries SET place = ?, thread = ? WHERE person = ? AND place = ?",
            (hidden, f"{alias}/thread", person, place),
        )
        await tx.execute("DELETE FROM spent WHERE scope = ?", (place,))
    await tx.execute("UPDATE entries SET person = ? WHERE person = ?", (alias, person))
    await _sum_anew(tx, person, alias)
    await tx.execute("UPDATE spent SET scope = ? WHERE scope = ?", (alias, person))
    await tx.execute(
        "UPDATE decisions SET person = ?, reason = '', delivery = '' WHERE person = ?",
        (alias, person),
    )
    await tx.execute(
        "UPDATE parked SET authority = CASE WHEN authority = ? THEN ? ELSE authority END,"
        " body = replace(body, ?, ?) WHERE body LIKE '%' || ? || '%'",
        (person, alias, person, alias, person),
    )
    await tx.execute("UPDATE pins SET accepted_by = ? WHERE accepted_by = ?", (alias, person))
    await tx.execute(
        "UPDATE acts SET person = CASE WHEN person = ? THEN ? ELSE person END,"
        " subject = replace(subject, ?, ?) WHERE person = ? OR subject LIKE '%' || ? || '%'",
        (person, alias, person, alias, person, person),
    )


_PERSON_ANEW: LiteralString = """
    INSERT INTO usage_names (dimension, day, name, uses, calls, tokens, picos, unpriced, likely)
    SELECT 'person', day, person, sum(uses), sum(calls), sum(tokens), sum(picos), sum(unpriced),
           sum(likely)
    FROM usage_days WHERE person = ? GROUP BY day, person
"""
_PLACE_ANEW: LiteralString = """
    INSERT INTO usage_names (dimension, day, name, uses, calls, tokens, picos, unpriced, likely)
    SELECT 'place', day, place, sum(uses), sum(calls), sum(tokens), sum(picos), sum(unpriced),
           sum(likely)
    FROM usage_days WHERE place = ? GROUP BY day, place
"""


async def _names_anew(tx: Statements, persons: Sequence[str], places: Sequence[str]) -> None:
    """What each of them used on each day, from the sums that are right already."""
    for name in persons:
        await tx.execute("DELETE FROM usage_names WHERE dimension = 'person' AND name = ?", (name,))
        await tx.execute(_PERSON_ANEW, (name,))
    for name in places:
        await tx.execute("DELETE FROM usage_names WHERE dimension = 'place' AND name = ?", (name,))
        await tx.execute(_PLACE_ANEW, (name,))


async def _sum_anew(tx: Statements, person: PersonId, alias: str) -> None:
    """The sums of their days under the new name; places that were theirs alone become one."""
    rows = await tx.fetch("SELECT * FROM usage_days WHERE person = ?", (person,))
    await tx.execute("DELETE FROM usage_days WHERE person = ?", (person,))
    for row in rows:
        shared = await tx.fetch_one(
            "SELECT 1 AS found FROM usage_days WHERE place = ? LIMIT 1", (row["place"],)
        )
        place = row["place"] if shared or not row["place"] else f"{alias}/place"
        await tx.execute(
            """
            INSERT INTO usage_days (day, person, place, model, tool, purpose,
                                    uses, calls, tokens, picos, unpriced, likely)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (day, person, place, model, tool, purpose) DO UPDATE SET
              uses = usage_days.uses + excluded.uses, calls = usage_days.calls + excluded.calls,
              tokens = usage_days.tokens + excluded.tokens,
              picos = usage_days.picos + excluded.picos,
              unpriced = usage_days.unpriced + excluded.unpriced,
              likely = usage_days.likely + excluded.likely
            """,
            (row["day"], alias, place, row["model"], row["tool"], row["purpose"],
             row["uses"], row["calls"], row["tokens"], row["picos"], row["unpriced"],
             row["likely"]),
        )  # fmt: skip
    # A name that nobody has any more has no days, and so is gone.
    places = {row["place"] for row in rows if row["place"]} | {f"{alias}/place"}
    await _names_anew(tx, (person, alias), sorted(places))
