"""Finds what is wrong with the database, the keys to it, what it keeps and the disk below it."""

import asyncio
import os
import shutil
import time
from pathlib import Path

from bot.addresses import sqlite_file
from bot.settings import Settings
from core.errors import CountersignError
from core.storage.database import Database
from core.telemetry import health

DEADLINE = 15.0
"""Seconds."""
PROBE = "DELETE FROM pins WHERE key = ?"
"""A write that changes nothing: no pin has an empty key."""
IDLE_DAYS = 80
"""Entra lets a refresh token lapse that was not used for 90 days
(learn.microsoft.com/entra/identity-platform/refresh-tokens)."""


async def problems(settings: Settings) -> list[str]:
    """One sentence for each thing to mend."""
    file = sqlite_file(settings.database, Path())
    found: list[str] = []
    if file and not file.exists():
        # Opening would make it; whether it can be made is for its folder to say.
        reason = "" if _is_writable(_nearest(file.parent)) else f"{file.parent} cannot be written"
    else:
        reason, found = await _looked(settings)
    free = shutil.disk_usage(_nearest(settings.state)).free
    return [*health.problems(health.Readings(database=reason, disk_free=free)), *found]


async def _looked(settings: Settings) -> tuple[str, list[str]]:
    """Why the database cannot be written, empty when it can; and what else is to be mended."""
    try:
        async with asyncio.timeout(DEADLINE):
            if count := await _unapplied(settings):
                return "", [_older(count)]
            return "", await _opened(settings)
    except CountersignError as error:
        return str(error).rstrip("."), []
    except TimeoutError:
        return f"it did not answer within {DEADLINE:.0f} s", []


async def _unapplied(settings: Settings) -> int:
    from core.storage.standing import unapplied

    return await unapplied(settings.database)


def _older(count: int) -> str:
    plural = "" if count == 1 else "s"
    return (
        f"The database is of an older version: the next start applies {count} migration{plural}, "
        "and there is no way back but a copy. Make one: countersign backup FILE."
    )


async def _opened(settings: Settings) -> list[str]:
    from core.storage.database import open_database

    database = await open_database(settings.database, state=settings.state, is_shared=True)
    try:
        await database.execute(PROBE, ("",))
        return [*await _keys(settings, database), *await _idle(database, time.time())]
    finally:
        await database.close()


async def _keys(settings: Settings, database: Database) -> list[str]:
    from core.identity.opening import sealed_shut
    from core.identity.vault import KeyRing

    keys = settings.keys
    if not keys and settings.key_file.exists():
        keys = settings.key_file.read_text("ascii").strip()
    if not keys or not (count := await sealed_shut(database, KeyRing.parse(keys))):
        return []
    where = "COUNTERSIGN_KEYS" if settings.keys else str(settings.key_file)
    return [
        f"{count} sealed rows (tokens and links of people's accounts) do not open with {where}: "
        "put the key that sealed them back behind a comma, or let these people connect again."
    ]


async def _idle(database: Database, now: float) -> list[str]:
    since = now - IDLE_DAYS * 86_400
    row = await database.fetch_one("SELECT count(*) AS n FROM tokens WHERE saved_at < ?", (since,))
    if row is None or not row["n"]:
        return []
    return [
        f"{row['n']} connected accounts were not used for {IDLE_DAYS} days, and Microsoft lets "
        "such a link lapse after 90: their people will be asked to connect again."
    ]


def _nearest(folder: Path) -> Path:
    """The folder, or the first one above it that exists."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)
