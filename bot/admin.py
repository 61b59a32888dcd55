"""The commands that an administrator runs on a bot's database, also while the bot is running."""

import csv
import json
import os
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from bot.addresses import sqlite_file
from bot.settings import Settings
from core.errors import Misconfigured
from core.records import Json
from core.storage.database import Database

COLUMNS: tuple[str, ...] = (
    "decided_at",
    "person",
    "button",
    "verdict",
    "number",
    "revision",
    "tool",
    "outcome",
    "request_id",
    "reason",
    "policy_version",
    "digest",
    "call",
    "delivery",
)
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would carry out."""

Write = Callable[[Sequence[Json], TextIO], None]


async def decisions_since(settings: Settings, since: float) -> list[Json]:
    """Every decision since then (seconds since the epoch), the oldest first, with `COLUMNS`.
    Raises `Misconfigured` and `Unavailable`."""
    from core.storage import decisions

    async with opened(settings) as db:
        return [_row(found) for found in await decisions.export(db, since)]


async def acts_since(settings: Settings, since: float) -> list[Json]:
    """Everything that admins did since then, the oldest first. Raises `Misconfigured` and
    `Unavailable`."""
    from core.storage import acts

    async with opened(settings) as db:
        return [{**found, "at": _moment(found["at"])} for found in await acts.export(db, since)]


async def rotate_keys(settings: Settings) -> int:
    """Seal what was sealed by an older key with the first one; how many rows that were. Raises
    `Misconfigured`, `Unreadable` and `Unavailable`."""
    from core.identity.rotation import rotate
    from core.identity.vault import KeyRing

    if not settings.keys:
        raise Misconfigured(
            f"COUNTERSIGN_KEYS is not set. To change the key that the bot made for itself, set it"
            f" to a new key, a comma and what stands in {settings.key_file}."
        )
    async with opened(settings) as db:
        return await rotate(db, KeyRing.parse(settings.keys))


def as_lines(rows: Iterable[Json], out: TextIO) -> None:
    """One JSON object for each row."""
    for row in rows:
        out.write(json.dumps(row, ensure_ascii=False) + "\n")


def as_csv(rows: Iterable[Json], out: TextIO) -> None:
    """With a line of names above; what a person typed is never a formula."""
    found = list(rows)
    columns = list(found[0]) if found else COLUMNS
    table = csv.DictWriter(out, columns, lineterminator="\n")
    table.writeheader()
    table.writerows({name: _cell(value) for name, value in row.items()} for row in found)


def into_file(path: Path, rows: Sequence[Json], write: Write) -> None:
    """Whole or not at all, readable by its owner alone. Raises `Misconfigured`."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(opened, "w", encoding="utf-8", newline="") as out:
            write(rows, out)
        draft.replace(path)
    except OSError as failure:
        draft.unlink(missing_ok=True)
        raise Misconfigured(f"{path} cannot be written: {failure.strerror}.") from failure


@asynccontextmanager
async def opened(settings: Settings) -> AsyncGenerator[Database]:
    """The database as it stands: a file that is not there is not made."""
    from core.storage.database import open_database

    file = sqlite_file(settings.database, Path())
    if file and not file.exists():
        raise Misconfigured(f"There is no database at {file}.")
    db = await open_database(settings.database, state=settings.state, is_shared=True)
    try:
        yield db
    finally:
        await db.close()


def _row(found: Json) -> Json:
    return {name: found[name] for name in COLUMNS} | {"decided_at": _moment(found["decided_at"])}


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
