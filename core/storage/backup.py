"""Copies a database's state out into one file, back in, or over to another engine.

Whatever the engine, a copy is a SQLite file with the tables of the database: it can be looked at
with any SQLite, restored on either engine, and what is sealed in it stays sealed.
"""

import asyncio
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core.errors import Misconfigured
from core.storage import copies
from core.storage.amounts import Amounts, differences
from core.storage.database import open_database
from core.storage.lockfile import take_lock


async def back_up(url: str, target: Path) -> Amounts:
    """Write everything that is committed now into a new file, readable by its owner alone; it is
    there whole or not at all. Safe beside running bots, and changes nothing in their database.
    Raises `Misconfigured`."""
    return await asyncio.to_thread(_back_up, url, target)


async def restore(source: Path, url: str, *, is_shared: bool = False) -> Amounts:
    """Fill the database at the address, which must not be there yet (SQLite) or be empty
    (Postgres), with everything that the file holds, all or nothing. An older copy is brought up to
    date on the way. Returns what was read again from the database. Raises `Misconfigured`.

    `is_shared`: a bot may run on the same Postgres, in another schema.
    """
    await asyncio.to_thread(copies.judge, source)
    target = file_of(url)
    with _drafts(source if target is None else target) as drafts:
        draft = drafts / "state.db"
        await asyncio.to_thread(copies.copy, source, draft)
        await _bring_up_to_date(draft)
        if target is not None:
            return await asyncio.to_thread(_put_in_place, draft, target)
        return await _into_postgres(draft, url, is_shared=is_shared)


async def move(source: Path, url: str) -> Amounts:
    """Take the SQLite database that no bot runs on over to an empty Postgres. The source stays as
    it is. Raises `Misconfigured`."""
    lock = _held(source)
    try:
        return await restore(source, url)
    finally:
        lock.close()


async def drill(url: str, home: Path) -> tuple[Path, Amounts]:
    """Back up into the empty folder, restore aside (on Postgres in a schema of its own), compare;
    return the copy and what it holds. Raises `Misconfigured`."""
    copy = home / "copy.db"
    kept = await back_up(url, copy)
    if file_of(url) is not None:
        restored = await restore(copy, f"sqlite:///{home / 'restored.db'}")
    else:
        from core.storage.copies_postgres import aside

        with aside(url) as schema:
            restored = await restore(copy, schema, is_shared=True)
    if wrong := differences(kept, restored):
        raise Misconfigured(f"What was restored differs from the copy: {', '.join(wrong)}.")
    return copy, kept


def file_of(url: str) -> Path | None:
    """The file of a SQLite address; None for Postgres."""
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


def _held(source: Path) -> IO[str]:
    if not source.exists():
        raise Misconfigured(f"There is no database at {source}.")
    return take_lock(source)


def _back_up(url: str, target: Path) -> Amounts:
    if target.exists():
        raise Misconfigured(f"{target} is there already. Give each copy a name of its own.")
    with _drafts(target) as drafts:
        draft = drafts / target.name
        source = file_of(url)
        if source is None:
            from core.storage.copies_postgres import into_file

            into_file(url, draft)
        elif source.exists():
            copies.copy(source, draft)
        else:
            raise Misconfigured(f"There is no database at {source}.")
        copies.judge(draft)
        _settle(draft, target)
    return copies.amounts(target)


async def _bring_up_to_date(draft: Path) -> None:
    """Apply the migrations that the copy lacks; no row that it held may change by that."""
    known = await asyncio.to_thread(copies.tables_of, draft)
    before = await asyncio.to_thread(copies.amounts, draft)
    await (await open_database(f"sqlite:///{draft}")).close()
    after = await asyncio.to_thread(copies.amounts, draft, known)
    if wrong := differences(before, after):
        raise Misconfigured(f"Bringing the copy up to date changed {', '.join(wrong)}.")


def _put_in_place(draft: Path, target: Path) -> Amounts:
    lock = take_lock(target)
    try:
        beside = [target.with_name(target.name + end) for end in ("", "-wal", "-shm")]
        if found := next((path for path in beside if path.exists()), None):
            raise Misconfigured(
                f"{found} is there already, and what it holds would be lost. Stop the bot, move "
                f"{target.name}, -wal and -shm to another folder, and run this again."
            )
        # Derived from what was there before; the next start makes it anew.
        for end in ("", "-wal", "-shm"):
            target.with_suffix(f".index.db{end}").unlink(missing_ok=True)
        _settle(draft, target)
        return copies.amounts(target)
    finally:
        lock.close()


async def _into_postgres(draft: Path, url: str, *, is_shared: bool) -> Amounts:
    from core.storage.copies_postgres import from_file

    # Migrated, and held against a bot that would start on it meanwhile.
    db = await open_database(url, is_shared=is_shared, is_alone=not is_shared)
    try:
        return await asyncio.to_thread(from_file, draft, url)
    finally:
        await db.close()


@contextmanager
def _drafts(beside: Path) -> Generator[Path]:
    """A folder on the same disk, for its owner alone, gone in the end."""
    try:
        beside.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=beside.parent, prefix=".copying-") as folder:
            yield Path(folder)
    except OSError as failure:
        where = failure.filename or beside
        raise Misconfigured(f"{where} cannot be written: {failure.strerror}.") from failure


def _settle(draft: Path, target: Path) -> None:
    """Give the file its name, on the disk too."""
    with draft.open("rb") as written:
        os.fsync(written.fileno())
    draft.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
