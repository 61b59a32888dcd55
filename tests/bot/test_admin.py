"""The administrators' commands, run beside a bot that holds the database."""

import asyncio
import csv
import io
import json
import os
import subprocess
from pathlib import Path

from core.identity.vault import KeyRing
from core.policy.rules import version
from core.storage.database import Database
from tests.approvals.office import ADA, MAIL, office
from tests.bot.test_cli import ran
from tests.identity.test_custody import NEW, OLD, fill

DECIDED_AT = "1970-01-12T13:46:40.000+00:00"


async def countersign(folder: Path, url: str, *words: str, keys: str = OLD) -> "Ended":
    return await asyncio.to_thread(
        ran, folder, *words, "--workspace", COUNTERSIGN_DATABASE=url, COUNTERSIGN_KEYS=keys
    )


Ended = subprocess.CompletedProcess[str]


async def test_each_decision_is_exported_with_who_when_what_and_why(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    async with office(database) as room:
        sent, left = await room.park(), await room.park({**MAIL, "subject": "second"})
        await room.click(sent)
        await room.click(left, "cancel", reason="=1+1 äh, no")
        await room.carry_out()
        ended = await countersign(tmp_path, database_url, "export", "decisions")
        rows = [json.loads(line) for line in ended.stdout.splitlines()]
        assert rows[0] == {
            "decided_at": DECIDED_AT,
            "person": ADA.id,
            "button": "send",
            "verdict": "approved",
            "number": sent.number,
            "revision": 1,
            "tool": "mail/send",
            "outcome": "done",
            "request_id": "r-1",
            "reason": "",
            "policy_version": version(room.rules[-1]),
            "digest": sent.digest,
            "call": sent.id,
            "delivery": f"d-{sent.id}-send",
        }
        assert [row["verdict"] for row in rows] == ["approved", "cancelled"]
        assert (rows[1]["reason"], rows[1]["request_id"]) == ("=1+1 äh, no", "")

        table = await countersign(tmp_path, database_url, "export", "decisions", "--format", "csv")
        [_, cancelled] = csv.DictReader(io.StringIO(table.stdout))
        assert list(cancelled) == list(rows[0])
        assert (cancelled["person"], cancelled["reason"]) == (ADA.id, "'=1+1 äh, no")


async def test_an_export_is_written_whole_for_its_owner_alone(
    tmp_path: Path, sqlite: Database
) -> None:
    url = f"sqlite:///{tmp_path}/countersign.db"
    async with office(sqlite) as room:
        await room.click(await room.park())
    file = tmp_path / "decisions.jsonl"
    words = ("export", "decisions", "--out", str(file), "--since")
    ended = await countersign(tmp_path, url, *words, "1970-01-12")
    assert ended.stdout == f"1 decision written to {file}.\n"
    assert json.loads(file.read_text())["decided_at"] == DECIDED_AT
    assert file.stat().st_mode & 0o777 == 0o600
    ended = await countersign(tmp_path, url, *words, "1970-01-13")
    assert ended.stdout.startswith("0 decisions") and file.read_text() == ""
    assert [name for name in os.listdir(tmp_path) if name.startswith("decisions")] == [file.name]


def test_what_cannot_be_exported_or_rotated_is_said_and_nothing_is_made(tmp_path: Path) -> None:
    ended = ran(tmp_path, "export", "decisions", "--workspace")
    assert ended.returncode == 2 and ended.stderr.startswith("- There is no database at ")
    ended = ran(tmp_path, "rotate-keys", "--workspace")
    assert ended.returncode == 2 and ended.stderr.startswith("- COUNTERSIGN_KEYS is not set.")
    ended = ran(tmp_path, "export", "decisions", "--workspace", "--since", "yesterday")
    assert ended.returncode == 2 and "--since" in ended.stderr
    assert list(tmp_path.iterdir()) == []


async def test_after_rotate_keys_the_old_key_is_needed_no_more(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    await fill(database, KeyRing.parse(OLD), 3)
    ended = await countersign(tmp_path, database_url, "rotate-keys", keys=f"{NEW},{OLD}")
    assert ended.returncode == 0 and ended.stdout.startswith("6 rows sealed anew.")
    ended = await countersign(tmp_path, database_url, "rotate-keys", keys=NEW)
    assert ended.returncode == 0 and ended.stdout.startswith("0 rows sealed anew.")
    ended = await countersign(tmp_path, database_url, "rotate-keys", keys="third:" + OLD[4:])
    assert ended.returncode == 1
    assert ended.stderr == "- 6 sealed rows cannot be read with the keys that are given.\n"
