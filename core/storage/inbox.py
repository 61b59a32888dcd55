"""The inbox: every question is a row, and the row is the turn.

The database holds the promises, not this code: a unique delivery key, at most one running row
per thread by a unique index, and `attempt` as fencing token, so that only the newest claim can
finish a turn.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, LiteralString, NamedTuple

from core.records import Answer, Post, Question, ThreadId, Turn, TurnId
from core.storage import checkpoints, notes, outbox, threads
from core.storage.bodies import packed, unpacked
from core.storage.database import Conflict, Database, Dialect, Row, Statements, Transaction
from core.storage.notes import Notes

log = logging.getLogger(__name__)

CHANNEL = "inbox"
"""The wake-up channel: rung when a question arrived or a lane became free."""

Outcome = Literal["done", "failed", "dead"]


class Placed(NamedTuple):
    """Where a question went."""

    turn: TurnId
    """The turn of the first arrival, also when this one is a duplicate."""
    is_duplicate: bool
    ahead: int
    """How many unfinished questions of the same thread stand before it."""


class Ending(NamedTuple):
    """What a turn ends with."""

    answer: Answer
    posts: Sequence[Post]
    noted: Notes | None = None
    """What the turn noted of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    turn: Turn
    tries: int
    """How often the turn was begun, this time included; claims that were given back in order do
    not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A row of the inbox as others may see it."""

    turn: Turn
    state: str
    owner: str | None
    finished_at: float | None


_INSERT: LiteralString = """
    INSERT INTO inbox (id, delivery, thread, person, place, body, model, agent, state,
                       accepted_at, finished_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (delivery) DO NOTHING
"""


async def put(
    db: Database, question: Question, turn: TurnId, *, model: str, agent: str, now: float
) -> Placed:
    """Record the question durably, once. Raises `Unavailable`: then nothing is recorded."""

    async def written(tx: Transaction) -> Placed:
        await take_turns(tx, db.dialect, question.thread)
        return await place(tx, question, turn, (model, agent), state="new", now=now)

    placed = await db.write(written)
    if not placed.is_duplicate:
        await db.notify(CHANNEL)
    return placed


async def refuse(
    db: Database,
    question: Question,
    turn: TurnId,
    post: Post,
    *,
    model: str = "",
    agent: str = "",
    now: float,
) -> Placed:
    """Record that the question was refused, and `post` that says so, in one write; a second
    arrival says nothing again. Raises `Unavailable`: then neither is recorded."""

    async def written(tx: Transaction) -> Placed:
        placed = await place(tx, question, turn, (model, agent), state="refused", now=now)
        if not placed.is_duplicate:
            await outbox.put(tx, post)
        return placed

    placed = await db.write(written)
    if not placed.is_duplicate:
        await db.notify(outbox.channel(post.surface))
    return placed


async def take_turns(tx: Transaction, dialect: Dialect, thread: ThreadId) -> None:
    """Let the questions of one thread commit in the order of their numbers: Postgres hands the
    numbers out before the commit. SQLite has one writer anyway."""
    if dialect == "postgres":
        await tx.execute("SELECT pg_advisory_xact_lock(1, hashtext(?))", (thread,))


async def place(
    tx: Transaction,
    question: Question,
    turn: TurnId,
    profile: tuple[str, str],
    *,
    state: LiteralString,
    now: float,
) -> Placed:
    """Write the question in a transaction of the caller's; `profile` is its model and agent."""
    inserted = await tx.execute(
        _INSERT,
        (
            turn,
            question.delivery,
            question.thread,
            question.person.id,
            question.place.id,
            packed(Question, question),
            *profile,
            state,
            now,
            now if state == "refused" else None,
        ),
    )
    row = await tx.fetch_one(
        """
        SELECT id, (SELECT count(*) FROM inbox AS other
                    WHERE other.thread = mine.thread AND other.seq < mine.seq
                      AND other.state IN ('new', 'running')) AS ahead
        FROM inbox AS mine WHERE delivery = ?
        """,
        (question.delivery,),
    )
    if row is None:
        raise Conflict("The question vanished between two statements.")
    return Placed(TurnId(row["id"]), is_duplicate=inserted == 0, ahead=row["ahead"])


_CLAIM_SQLITE: LiteralString = """
    UPDATE inbox
    SET state = 'running', owner = ?, lease = ?, claimed_at = ?, attempt = attempt + 1
    WHERE seq IN (
      SELECT head.seq
      FROM (SELECT seq FROM inbox AS open
            WHERE open.state IN ('new', 'running') AND (open.state = 'new' OR open.lease < ?)
              AND NOT EXISTS (SELECT 1 FROM inbox AS older
                              WHERE older.thread = open.thread AND older.seq < open.seq
                                AND older.state IN ('new', 'running'))
            ORDER BY open.seq LIMIT 200) AS oldest
      JOIN inbox AS head ON head.seq = oldest.seq
      WHERE head.state = 'new' OR (head.state = 'running' AND head.lease < ?)
      ORDER BY coalesce((SELECT max(served.claimed_at) FROM inbox AS served
                         WHERE served.thread = head.thread), 0), head.seq
      LIMIT ?
    )
    RETURNING *
"""
_CLAIM_POSTGRES: LiteralString = _CLAIM_SQLITE.replace(
    "LIMIT ?", "LIMIT ? FOR UPDATE OF head SKIP LOCKED"
)


async def claim(
    db: Database, owner: str, *, now: float, lease: float, limit: int = 1
) -> list[Claim]:
    """Take up to `limit` turns to run, at most one per thread and none of a thread where one
    runs. The oldest of a thread comes first; among the 200 threads whose question is oldest, the
    one that waited longest since it was last served: Slack waits for the same writer, so that this
    must not take longer the more questions wait.

    `lease` is the time at which the claim lapses unless `beat` moves it. A turn whose claim
    lapsed is taken again.
    """
    is_sqlite = db.dialect == "sqlite"
    sql = _CLAIM_SQLITE if is_sqlite else _CLAIM_POSTGRES
    try:
        # A power loss that takes the claim from a file takes its owner as well. A server may forget
        # a claim that its owner still works on.
        rows = await db.write(
            lambda tx: tx.fetch(sql, (owner, lease, now, now, now, limit)), is_durable=not is_sqlite
        )
    except Conflict:
        # Another replica was quicker in one of these threads; the next look sees it.
        return []
    claims: list[Claim] = []
    for row in sorted(rows, key=lambda row: row["seq"]):
        try:
            claims.append(Claim(turn=turn_of(row), tries=row["attempt"] - row["released"]))
        except ValueError:
            # One row that cannot be read must not take the others of this claim with it.
            log.exception(
                "a row of the inbox cannot be read",
                extra={"action": "inbox.unreadable", "turn": row["id"]},
            )
    return claims


async def is_held(db: Statements, turn: Turn) -> bool:
    """Whether this claim still stands."""
    row = await db.fetch_one(
        "SELECT 1 AS ours FROM inbox WHERE id = ? AND attempt = ? AND state = 'running'",
        (turn.id, turn.attempt),
    )
    return row is not None


Beat = Literal["held", "over", "lost"]


async def beat(db: Database, turn: Turn, owner: str, *, lease: float) -> Beat:
    """Move the lease: `held`. `over`: this claim has finished the turn. `lost`: another claim
    owns it, and with it the right to finish."""
    moved = await db.execute(
        "UPDATE inbox SET lease = ?"
        " WHERE id = ? AND attempt = ? AND owner = ? AND state = 'running'",
        (lease, turn.id, turn.attempt, owner),
    )
    if moved == 1:
        return "held"
    row = await db.fetch_one(
        "SELECT 1 AS ours FROM inbox WHERE id = ? AND attempt = ? AND finished_at IS NOT NULL",
        (turn.id, turn.attempt),
    )
    return "lost" if row is None else "over"


async def finish(
    db: Database,
    turn: Turn,
    outcome: Outcome,
    answer: Answer,
    posts: Sequence[Post],
    *,
    noted: Notes | None = None,
    now: float,
) -> bool:
    """End the turn in one write: its row, what was said, the posts that say it, and what the
    turn noted of itself.

    False, and nothing is written, when another claim owns the turn by now.
    """

    async def said(_: Transaction) -> Ending:
        return Ending(answer, posts, noted)

    return await close(db, turn, outcome, said, now=now)


async def close(
    db: Database,
    turn: Turn,
    outcome: Outcome,
    said: Callable[[Transaction], Awaitable[Ending]],
    *,
    now: float,
) -> bool:
    """The same where what is said is known in the write alone: `said` may read and write in it.
    It is not asked when another claim owns the turn."""

    async def end(tx: Transaction) -> set[str] | None:
        if not await _close(tx, turn, outcome, now):
            return None
        answer, posts, noted = await said(tx)
        await threads.write_answer(tx, turn, outcome, answer, now=now)
        for post in posts:
            # What the answer's beginning stands in is known best where it was streamed.
            until = now + outbox.HEAD_START if post.may_have_begun else 0.0
            await outbox.put(tx, post, outbox.Home(db.owner, until))
        if noted is not None:
            await notes.write(tx, turn.id, noted)
        await checkpoints.forget(tx, turn.id)
        return {post.surface for post in posts}

    surfaces = await db.write(end)
    if surfaces is None:
        return False
    await db.notify(CHANNEL)
    for surface in surfaces:
        await db.notify(outbox.channel(surface))
    return True


async def give_up(db: Database, turn: Turn, *, now: float) -> bool:
    """End the turn as dead without a word, so that its thread goes on: the last resort when not
    even the sentence about the failure can be written."""
    owned = await db.write(lambda tx: _close(tx, turn, "dead", now))
    if owned:
        await db.notify(CHANNEL)
    return owned


async def _close(tx: Transaction, turn: Turn, outcome: Outcome, now: float) -> bool:
    closed = await tx.execute(
        "UPDATE inbox SET state = ?, finished_at = ?, owner = NULL, lease = NULL"
        " WHERE id = ? AND attempt = ? AND state = 'running'",
        (outcome, now, turn.id, turn.attempt),
    )
    return closed == 1


async def release(db: Database, turn: Turn, owner: str) -> bool:
    """Give a claimed turn back in order: the next claim goes on with it, and this try does not
    count."""
    released = await db.execute(
        "UPDATE inbox SET state = 'new', owner = NULL, lease = NULL, released = released + 1"
        " WHERE id = ? AND attempt = ? AND owner = ? AND state = 'running'",
        (turn.id, turn.attempt, owner),
    )
    return released == 1


async def take_over(db: Database, owner: str) -> int:
    """Let every claim of other owners lapse at once, and return how many there were. Only for a
    process that is known to be the only one on the database."""
    return await db.execute(
        "UPDATE inbox SET lease = 0 WHERE state = 'running' AND owner <> ?", (owner,)
    )


async def read(db: Statements, turn: TurnId) -> Entry | None:
    row = await db.fetch_one("SELECT * FROM inbox WHERE id = ?", (turn,))
    if row is None:
        return None
    return Entry(
        turn=turn_of(row), state=row["state"], owner=row["owner"], finished_at=row["finished_at"]
    )


async def ahead(db: Statements, thread: ThreadId) -> int:
    """How many questions of the thread are not finished."""
    row = await db.fetch_one(
        "SELECT count(*) AS n FROM inbox WHERE thread = ? AND state IN ('new', 'running')",
        (thread,),
    )
    return 0 if row is None else row["n"]


class Backlog(NamedTuple):
    waiting: int
    running: int
    oldest: float | None
    """When the oldest unfinished question was accepted."""


async def backlog(db: Statements) -> Backlog:
    """What is still to be done, for readiness and drain."""
    row = await db.fetch_one(
        """
        SELECT coalesce(sum(CASE WHEN state = 'new' THEN 1 ELSE 0 END), 0) AS waiting,
               coalesce(sum(CASE WHEN state = 'running' THEN 1 ELSE 0 END), 0) AS running,
               min(accepted_at) AS oldest
        FROM inbox WHERE state IN ('new', 'running')
        """
    )
    if row is None:
        return Backlog(0, 0, None)
    return Backlog(row["waiting"], row["running"], row["oldest"])


async def prune(db: Statements, before: float) -> int:
    """Forget finished rows older than `before`. Their delivery keys go with them, so `before`
    lies at least 72 hours back: a platform that repeats a delivery later than that would start
    a second turn."""
    return await db.execute(
        "DELETE FROM inbox WHERE finished_at < ?"
        " AND state IN ('done', 'failed', 'refused', 'dead')",
        (before,),
    )


def turn_of(row: Row) -> Turn:
    return Turn(
        id=TurnId(row["id"]),
        question=unpacked(Question, row["body"]),
        model=row["model"],
        agent=row["agent"],
        attempt=row["attempt"],
        accepted_at=row["accepted_at"],
    )
