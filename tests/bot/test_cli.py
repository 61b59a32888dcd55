"""The command line, as an operator meets it: a process, its output and its exit code."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "bot.cli"]


def environment(**given: str) -> dict[str, str]:
    """This machine's, without anything that Countersign reads."""
    plain = {k: os.environ[k] for k in ("PATH", "HOME", "LANG", "TMPDIR") if k in os.environ}
    return plain | {"PYTHONPATH": str(ROOT)} | given


def ran(folder: Path, *words: str, **given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        env=environment(**given),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_without_credentials_run_names_the_workspace(tmp_path: Path):
    ended = ran(tmp_path, "run")
    assert ended.returncode == 2
    assert ended.stderr.startswith("- No chat platform is configured")
    assert "countersign run --workspace" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_a_command_the_help_is_shown(tmp_path: Path):
    ended = ran(tmp_path)
    assert ended.returncode == 2 and "manifest" in ended.stdout


def test_the_help_loads_nothing_that_takes_time():
    program = (
        "import sys, bot.cli\n"
        "try: bot.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('aiohttp', 'pydantic', 'yaml', 'mcp') if m in sys.modules])"
    )
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"


@pytest.mark.promise("I5", "bot")
def test_check_tells_every_problem_and_starts_nothing(tmp_path: Path):
    (tmp_path / "countersign.yaml").write_text("agnets: {}\n")
    ended = ran(tmp_path, "check", "--workspace")
    assert ended.returncode == 2
    assert ended.stderr == "- countersign.yaml:1: `agnets` is not known; did you mean `agents`?\n"
    ended = ran(tmp_path, "check", "--workspace", COUNTERSIGN_PORT="x", COUNTERSIGN_MODEL="y")
    assert len(ended.stderr.splitlines()) == 2
    (tmp_path / "countersign.yaml").write_text("agents: {}\n")
    ended = ran(tmp_path, "check", "--workspace")
    assert ended.returncode == 0 and "are in order" in ended.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["countersign.yaml"]


def test_the_doctor_ends_with_0_when_nothing_is_missing_and_1_otherwise(tmp_path: Path):
    ended = ran(tmp_path, "doctor", "--workspace")
    assert (ended.returncode, ended.stderr) == (0, "")
    (tmp_path / ".state").mkdir()
    (tmp_path / ".state" / "countersign.db").write_bytes(b"no database" * 1000)
    ended = ran(tmp_path, "doctor", "--workspace")
    assert ended.returncode == 1 and ended.stderr.startswith("- The database cannot be written")


def test_the_manifest_for_slack_names_the_address(tmp_path: Path):
    ended = ran(tmp_path, "manifest", "slack", "--url", "https://bot.example.com")
    assert ended.returncode == 0 and "https://bot.example.com/slack/events" in ended.stdout
    ended = ran(tmp_path, "manifest", "slack", "--url", "http://bot.example.com")
    assert ended.returncode == 2 and ended.stderr.startswith("- ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_drains_the_bot_and_it_exits_clean(tmp_path: Path, number: signal.Signals):
    command = [*COMMAND, "run", "--workspace"]
    given = environment(COUNTERSIGN_PORT="0")
    with subprocess.Popen(
        command, cwd=tmp_path, env=given, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = list[str]()
        for line in process.stderr:
            said.append(json.loads(line)["action"])
            if said[-1] == "bot.up":
                process.send_signal(number)
        assert process.wait(30) == 0
    assert "keys.made" in said and said[-1] == "bot.down"
    assert (tmp_path / ".state" / "sealing.key").stat().st_mode & 0o777 == 0o600
