"""SQLite's failures in the words of the database port."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from core.errors import CountersignError, Unavailable
from core.storage.database import Conflict

_ENGINE_TROUBLE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
    }
)


def translate(failure: sqlite3.Error) -> CountersignError | None:
    """The failure as a caller has to know it; None for a mistake in our own SQL."""
    if isinstance(failure, sqlite3.IntegrityError):
        return Conflict(str(failure))
    if getattr(failure, "sqlite_errorcode", 0) & 0xFF in _ENGINE_TROUBLE:
        return unavailable(failure)
    return None


@contextmanager
def translated() -> Generator[None]:
    """Raise SQLite's failures as ours."""
    try:
        yield
    except sqlite3.Error as failure:
        if (ours := translate(failure)) is None:
            raise
        raise ours from failure


def unavailable(failure: sqlite3.Error) -> Unavailable:
    return Unavailable(f"The database could not do its work: {failure}.")
