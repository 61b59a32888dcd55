"""The commands that copy a database out, in and over to another one."""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import Misconfigured

if TYPE_CHECKING:
    from bot.settings import Settings, Stored
    from core.storage.amounts import Amounts


Command = Callable[[argparse.Namespace], int]


def add_commands(add: Callable[..., argparse.ArgumentParser], command: Command) -> None:
    """Add `backup`, `restore`, `drill` and `move`. The command gets as `copying` what to await
    with what was given; it returns what is to be said."""
    out = add("backup", help="copy the database into a file, beside a running bot")
    out.add_argument("file", type=Path, metavar="FILE", help="is made, for its owner alone")
    out.set_defaults(copying=back_up)
    back = add("restore", help="fill a database that is not there yet, or empty")
    back.add_argument("file", type=Path, metavar="FILE", help="as `countersign backup` wrote it")
    back.set_defaults(copying=restore)
    drill_ = add("drill", help="back up, restore aside and compare")
    drill_.add_argument("--workspace", action="store_true", help="of the local workspace")
    drill_.set_defaults(copying=drill)
    over = add("move", help="take the SQLite database over to an empty Postgres")
    over.add_argument("--to", required=True, metavar="ADDRESS", help="postgresql://USER@HOST/NAME")
    over.set_defaults(copying=move)
    for part in (out, back, drill_, over):
        part.set_defaults(command=command)


async def back_up(given: argparse.Namespace) -> str:
    """Raises `Misconfigured`."""
    from core.storage import backup

    began = time.monotonic()
    amounts = await backup.back_up(_stored().database, given.file)
    size = given.file.stat().st_size / 1024 / 1024
    seconds = time.monotonic() - began
    return f"{_rows(amounts)} written to {given.file} ({size:.1f} MiB, {seconds:.1f} s)."


async def restore(given: argparse.Namespace) -> str:
    """Raises `Misconfigured`."""
    from core.storage import backup

    amounts = await backup.restore(given.file, _stored().database)
    return (
        f"{_rows(amounts)} restored from {given.file}, read again and compared. Start the bot with "
        "the COUNTERSIGN_KEYS (or sealing.key) that it had then."
    )


async def move(given: argparse.Namespace) -> str:
    """Raises `Misconfigured`."""
    from bot import addresses
    from core.storage import backup

    if fault := addresses.database_fault(given.to):
        raise Misconfigured(f"The address {fault}.")
    if not given.to.startswith("postgresql://"):
        raise Misconfigured(
            "A database is moved to Postgres alone; elsewhere, copy it by `backup`."
        )
    stored = _stored()
    if stored.file is None:
        raise Misconfigured("COUNTERSIGN_DATABASE is on Postgres already.")
    amounts = await backup.move(stored.file, given.to)
    for name, found in amounts.items():
        print(f"{name:16}{found.rows:>10} rows, the same on both sides")
    key = stored.state / "sealing.key"
    hint = f", and COUNTERSIGN_KEYS to what stands in {key}" if key.exists() else ""
    return (
        f"{_rows(amounts)} moved. Set COUNTERSIGN_DATABASE to the new address{hint}, start "
        f"the bot, and remove {stored.file} when it runs."
    )


async def drill(given: argparse.Namespace) -> str:
    """Raises `Misconfigured`."""
    from bot import settings
    from core.storage import backup

    found = settings.from_environment(is_workspace=given.workspace)
    began = time.monotonic()
    file = backup.file_of(found.database)
    if file and not file.exists():
        raise Misconfigured(f"There is no database at {file}.")
    found.state.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=found.state, prefix=".drill-") as folder:
        copy, amounts = await backup.drill(found.database, Path(folder))
        await _judge_keys(copy, found)
    seconds = time.monotonic() - began
    return f"{_rows(amounts)} backed up, restored aside and compared: the same ({seconds:.1f} s)."


async def _judge_keys(copy: Path, settings: "Settings") -> None:
    """A copy is worth little without the keys to it."""
    from core.identity.opening import sealed_shut
    from core.identity.vault import KeyRing
    from core.storage.database import open_database

    keys = settings.keys or _own_keys(settings.key_file)
    db = await open_database(f"sqlite:///{copy}")
    try:
        shut = await sealed_shut(db, KeyRing.parse(keys)) if keys else 0
    finally:
        await db.close()
    if shut:
        raise Misconfigured(
            f"{shut} sealed rows of the copy cannot be opened: add the key that sealed them to "
            "COUNTERSIGN_KEYS, or their people have to connect again."
        )


def _own_keys(file: Path) -> str:
    """The key that the bot made for itself; empty where it made none."""
    return file.read_text("ascii").strip() if file.exists() else ""


def _stored() -> "Stored":
    from bot import settings

    return settings.stored_from_environment()


def _rows(amounts: "Amounts") -> str:
    count = sum(found.rows for found in amounts.values())
    return f"{count} row{'' if count == 1 else 's'}"
