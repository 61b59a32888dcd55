"""Looks at a database as it stands, without bringing it up to date."""

import asyncio

from core.storage import copies
from core.storage.backup import file_of
from core.storage.migrate import lived_with, pending


async def unapplied(url: str) -> int:
    """How many migrations the next start applies to what is there; 0 where nothing is there yet.
    Raises `Misconfigured` when it cannot be read or a newer version wrote it."""
    return await asyncio.to_thread(_unapplied, url)


def _unapplied(url: str) -> int:
    file = file_of(url)
    if file is not None:
        with copies.opened(file) as held:
            found = held.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'migrations'")
            if not found.fetchone()[0]:
                return 0
            applied = dict(held.execute("SELECT number, name FROM migrations"))
        return len(pending("sqlite", lived_with("sqlite", applied)))
    from core.storage.copies_postgres import opened

    with opened(url) as connection:
        found = connection.execute("SELECT to_regclass('migrations') IS NOT NULL").fetchone()
        if not found or not found[0]:
            return 0
        applied = dict(connection.execute("SELECT number, name FROM migrations"))
    return len(pending("postgres", lived_with("postgres", applied)))
