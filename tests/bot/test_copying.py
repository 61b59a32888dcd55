"""The commands that copy, restore, rehearse and move, beside a bot and without one."""

import asyncio
import os
import subprocess
from pathlib import Path

from core.identity.vault import KeyRing
from core.storage.database import Database
from tests.bot.test_cli import ran
from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.identity.test_custody import NEW, OLD, fill
from tests.turn.reading import MENTION


async def countersign(
    folder: Path, url: str, *words: str, keys: str = OLD
) -> subprocess.CompletedProcess[str]:
    given = {"COUNTERSIGN_DATABASE": url, "COUNTERSIGN_KEYS": keys}
    return await asyncio.to_thread(ran, folder, *words, **given)


async def test_a_copy_is_made_rehearsed_and_restored(
    tmp_path: Path, database_url: str, database: Database, other_url: str
) -> None:
    await fill(database, KeyRing.parse(OLD), 3)
    copy = str(tmp_path / "copy.db")
    ended = await countersign(tmp_path, database_url, "backup", copy)
    assert ended.returncode == 0 and ended.stdout.startswith(f"6 rows written to {copy} (")
    ended = await countersign(tmp_path, database_url, "drill", "--workspace")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("6 rows backed up, restored aside and compared: the same (")
    ended = await countersign(tmp_path, other_url, "restore", copy)
    assert ended.returncode == 0 and ended.stdout.startswith(f"6 rows restored from {copy}, ")
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".copying")]


async def test_a_drill_without_the_right_keys_fails(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    await fill(database, KeyRing.parse(OLD), 3)
    ended = await countersign(tmp_path, database_url, "drill", "--workspace", keys=NEW)
    assert ended.returncode == 2
    assert ended.stderr.startswith("- 6 sealed rows of the copy cannot be opened: add the key ")


async def test_what_cannot_be_copied_or_moved_is_said_and_nothing_is_made(tmp_path: Path) -> None:
    nothing = f"sqlite:///{tmp_path}/absent.db"
    for words, told in (
        (("backup", "copy.db"), "- There is no database at "),
        (("drill", "--workspace"), "- There is no database at "),
        (("restore", "copy.db"), "- copy.db cannot be opened: "),
        (("move", "--to", "sqlite:///other.db"), "- A database is moved to Postgres alone"),
        (("move", "--to", "mysql://x/y"), "- The address is neither "),
        (("move", "--to", "postgresql://127.0.0.1:1/y"), "- There is no database at "),
    ):
        ended = await countersign(tmp_path, nothing, *words)
        assert ended.returncode == 2 and ended.stderr.startswith(told), ended.stderr
    assert os.listdir(tmp_path) == []


async def test_an_installation_that_was_moved_goes_on_in_the_same_thread(
    tmp_path: Path, postgres_url: str
) -> None:
    """One question before the move and one after it: the same answer is remembered by both."""
    source = f"sqlite:///{tmp_path}/countersign.db"
    async with ModelServer(dimensions=1536) as models:
        models.script([say("The heliotrope bicycle costs 900.")])
        async with house(
            tmp_path, models=models, environment={"COUNTERSIGN_DATABASE": source}
        ) as bot:
            (answer,) = await bot.ask(f"{MENTION} what does the heliotrope one cost?")
            before = await bot.bot.rooms.db.fetch("SELECT * FROM turns")
        assert "costs 900" in str(answer)
        ended = await countersign(tmp_path, source, "move", "--to", postgres_url)
        assert ended.returncode == 0, ended.stderr
        assert "turns                    1 rows, the same on both sides" in ended.stdout
        assert "Set COUNTERSIGN_DATABASE to the new address" in ended.stdout
        models.script([say("As I said: 900.")])
        async with house(
            tmp_path, models=models, environment={"COUNTERSIGN_DATABASE": postgres_url}
        ) as bot:
            assert await bot.bot.rooms.db.fetch("SELECT * FROM turns") == before
            (answer,) = await bot.ask(f"{MENTION} and again?")
            assert "As I said: 900." in str(answer)
