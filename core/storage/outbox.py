"""The outbox: what is to be said, kept until the platform has it.

Posts with one address form a line: the next one waits until the one before it was sent or
given up.
"""

import json
from typing import NamedTuple

from core.records import PersonId, Post, ThreadId, TurnId
from core.storage.bodies import packed, storable, unpacked
from core.storage.database import Database, Statements, Transaction


def channel(surface: str) -> str:
    """The wake-up channel of a surface's posts."""
    return f"outbox:{surface}"


HEAD_START = 5.0
"""Seconds for which a post is left to the process that has shown its beginning already."""


class Home(NamedTuple):
    """The process to which a post is left until its head start is over."""

    owner: str
    lease: float


NOBODY = Home("", 0.0)


async def put(tx: Statements, post: Post, home: Home = NOBODY) -> bool:
    """Queue the post; False when a post of that id was queued before. Wake `channel` after the
    commit."""
    added = await tx.execute(
        """
        INSERT INTO outbox (id, turn, surface, line, kind, replaces, body, owner, lease)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO NOTHING
        """,
        (
            post.id,
            post.turn,
            post.surface,
            storable(json.dumps(dict(post.address), sort_keys=True)),
            post.kind,
            post.replaces,
            packed(Post, post),
            *home,
        ),
    )
    return added == 1


async def due(
    db: Statements, surface: str, *, owner: str = "", now: float, limit: int = 32
) -> list[Post]:
    """The first post of every line that this owner may try now, cards before others: somebody
    waits to decide. `attempt` says how often each was tried before."""
    rows = await db.fetch(
        """
        SELECT body, attempt FROM outbox AS post
        WHERE surface = ? AND state = 'waiting' AND due_at <= ?
          AND (lease <= ? OR (owner = ? AND attempt = 0))
          AND NOT EXISTS (SELECT 1 FROM outbox AS older
                          WHERE older.surface = post.surface AND older.line = post.line
                            AND older.state = 'waiting' AND older.seq < post.seq)
        ORDER BY CASE kind WHEN 'card' THEN 0 ELSE 1 END, seq LIMIT ?
        """,
        (surface, now, now, owner, limit),
    )
    return [_post(row["body"], row["attempt"]) for row in rows]


class Fate(NamedTuple):
    """What has become of a post."""

    id: str
    kind: str
    state: str
    """`waiting`, `sent`, `failed`."""
    tries: int
    closed_at: float | None
    """When it was sent or given up."""
    reason: str
    """Why it was not sent, the last time."""


async def of_turn(db: Statements, turn: TurnId) -> list[Fate]:
    """What became of the turn's posts, in the order they were queued."""
    rows = await db.fetch(
        "SELECT id, kind, state, attempt AS tries, closed_at, coalesce(reason, '') AS reason"
        " FROM outbox"
        " WHERE turn = ? ORDER BY seq",
        (turn,),
    )
    return [Fate(**row) for row in rows]


async def next_due(db: Statements, surface: str) -> float | None:
    """When the first post of some line may be tried, or None when nothing waits."""
    row = await db.fetch_one(
        """
        SELECT min(CASE WHEN lease > due_at THEN lease ELSE due_at END) AS due FROM outbox
        WHERE seq IN (SELECT min(seq) FROM outbox WHERE surface = ? AND state = 'waiting'
                      GROUP BY line)
        """,
        (surface,),
    )
    return None if row is None else row["due"]


class Backlog(NamedTuple):
    waiting: int
    """How many posts are not sent yet."""
    lag: float
    """Seconds for which a post has been due that nobody is trying."""


async def backlog(db: Statements, *, now: float) -> Backlog:
    """How far deliveries are behind, over all surfaces."""
    row = await db.fetch_one(
        """
        SELECT (SELECT count(*) FROM outbox WHERE state = 'waiting') AS n,
               -- A post that was never put off is due from the end of its turn.
               min(CASE WHEN post.due_at > 0 THEN post.due_at ELSE ended.finished_at END) AS due
        FROM outbox AS post
        LEFT JOIN turns AS ended ON ended.turn = post.turn AND post.kind IN ('answer', 'file')
        WHERE post.seq IN (SELECT min(seq) FROM outbox WHERE state = 'waiting'
                           GROUP BY surface, line)
          AND post.due_at <= ? AND post.lease <= ?
        """,
        (now, now),
    )
    if row is None:
        return Backlog(0, 0.0)
    return Backlog(row["n"], 0.0 if row["due"] is None else max(0.0, now - row["due"]))


async def begin(db: Statements, post: Post, owner: str = "", *, lease: float) -> bool:
    """Count the try durably before it is made, so that a crash in the middle is known to have
    been one. False: somebody else tries it. The try belongs to the caller until `lease`."""
    begun = await db.execute(
        "UPDATE outbox SET attempt = attempt + 1, owner = ?, lease = ?"
        " WHERE id = ? AND attempt = ? AND state = 'waiting'",
        (owner, lease, post.id, post.attempt),
    )
    return begun == 1


async def beat(db: Statements, post: Post, *, lease: float) -> bool:
    """Move the lease of the try that `begin` counted for this post; False when it is over."""
    moved = await db.execute(
        "UPDATE outbox SET lease = ? WHERE id = ? AND attempt = ? AND state = 'waiting'",
        (lease, post.id, post.attempt + 1),
    )
    return moved == 1


async def sent(db: Database, post: Post, platform_id: str, *, now: float) -> None:
    """Record that the platform has the post. A power loss may take the record, not the try that
    `begin` counted: then the platform is asked for the post before it is sent again."""
    sql = (
        "UPDATE outbox SET state = 'sent', platform_id = ?, closed_at = ?"
        " WHERE id = ? AND state = 'waiting'"
    )
    await db.write(lambda tx: tx.execute(sql, (platform_id, now, post.id)), is_durable=False)


async def private_answer(db: Statements, turn: TurnId) -> Post | None:
    """What was said to the asker alone and may be shared, while it is kept."""
    row = await db.fetch_one(
        "SELECT body FROM outbox WHERE turn = ? AND kind = 'private' AND id = ?",
        (turn, private_id(turn)),
    )
    return None if row is None else _post(row["body"], 0)


async def newest_private(db: Statements, thread: ThreadId, person: PersonId) -> TurnId | None:
    """The newest question of this person in the thread that was answered privately."""
    row = await db.fetch_one(
        """
        SELECT inbox.id FROM inbox JOIN outbox ON outbox.turn = inbox.id
        WHERE inbox.thread = ? AND inbox.person = ? AND outbox.kind = 'private'
          AND outbox.id = inbox.id || '.private_answer'
        ORDER BY inbox.accepted_at DESC LIMIT 1
        """,
        (thread, person),
    )
    return None if row is None else TurnId(row["id"])


def private_id(turn: TurnId) -> str:
    """The id of the post with a turn's private answer."""
    return f"{turn}.private_answer"


async def supersede(tx: Transaction, first: str) -> None:
    """Drop the later posts of this copy that nobody has tried yet: a newer one is on its way."""
    await tx.execute(
        "DELETE FROM outbox"
        " WHERE replaces = ? AND replaces <> '' AND state = 'waiting' AND attempt = 0",
        (first,),
    )


async def drop(tx: Transaction, turn: str) -> None:
    """Drop what nobody has tried to post of this turn yet, but not its cards."""
    await tx.execute(
        "DELETE FROM outbox"
        " WHERE turn = ? AND kind <> 'card' AND state = 'waiting' AND attempt = 0",
        (turn,),
    )


async def shown_as(db: Statements, first: str) -> str:
    """The platform's id of the copy that `first` showed first (or, when that post was given up, a
    later one); empty while none is there."""
    row = await db.fetch_one(
        """
        SELECT platform_id FROM outbox
        WHERE (id = ? OR replaces = ?) AND state = 'sent' AND platform_id <> ''
        ORDER BY seq LIMIT 1
        """,
        (first, first),
    )
    return "" if row is None else row["platform_id"]


async def postpone(db: Statements, post: Post, until: float, reason: str) -> None:
    """Try again, not before `until`; nothing where another try has begun since."""
    await db.execute(
        "UPDATE outbox SET due_at = ?, lease = 0, reason = ?"
        " WHERE id = ? AND attempt = ? AND state = 'waiting'",
        (until, storable(reason), post.id, post.attempt + 1),
    )


async def fail(tx: Transaction, post: Post, reason: str, *, now: float) -> bool:
    """Give the post up; False where another try has begun since. Queue what the person is told
    about it in the same transaction."""
    failed = await tx.execute(
        "UPDATE outbox SET state = 'failed', reason = ?, closed_at = ?"
        " WHERE id = ? AND attempt <= ? AND state = 'waiting'",
        (storable(reason), now, post.id, post.attempt + 1),
    )
    return failed == 1


async def take_over(db: Statements, surface: str) -> int:
    """Let the tries of a process that is gone lapse at once. Only for a process that is known
    to be the only one on the database."""
    return await db.execute(
        "UPDATE outbox SET lease = 0 WHERE surface = ? AND state = 'waiting' AND lease > 0",
        (surface,),
    )


async def prune(db: Statements, before: float) -> int:
    """Forget posts that were sent or given up before that time, but not where a card stands that
    may still change."""
    return await db.execute(
        """
        DELETE FROM outbox
        WHERE state <> 'waiting' AND closed_at < ? AND NOT (
          kind = 'card' AND EXISTS (
            SELECT 1 FROM card_copies AS copy JOIN parked ON parked.id = copy.call
            WHERE copy.post IN (outbox.id, outbox.replaces)
              AND parked.state IN ('parked', 'approved', 'executing', 'failed', 'unknown')
          )
        )
        """,
        (before,),
    )


def _post(body: str, attempt: int) -> Post:
    record = json.loads(body)
    record["attempt"] = attempt
    return unpacked(Post, json.dumps(record))
