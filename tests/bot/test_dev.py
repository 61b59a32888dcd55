"""The script that sets the project up, on machines that lack things."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = ("sh", "dirname", "cat", "cmp", "rm", "cp", "pwd")
"""What the script asks of the machine besides a Python."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what the script needs, in a folder with a space in its name, with nothing to
    install."""
    folder = tmp_path / "a project"
    folder.mkdir()
    shutil.copy(ROOT / "dev", folder)
    (folder / "requirements.lock").write_text("")
    (folder / "pyproject.toml").write_text("[project]\nname = 'nothing'\nversion = '1'\n")
    return folder


def machine(folder: Path, **pythons: str) -> dict[str, str]:
    """An environment whose PATH has nothing but the bare tools and these scripts as Pythons."""
    tools = folder.parent / "bin"
    tools.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(found)
    for name, text in pythons.items():
        python = tools / name.replace("_", ".")
        python.write_text(f"#!/bin/sh\n{text}\n")
        python.chmod(0o755)
    return {"PATH": str(tools), "CALLS": str(folder / "calls")}


def ran(folder: Path, given: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(folder / "dev"), *words],
        cwd=folder.parent,
        env=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


WHOLE = f"""
case "$*" in
"-m venv .venv") echo "$0 $*" >>"$CALLS"; exec "{sys.executable}" -m venv --without-pip .venv;;
"-m pip"*) echo "$*" >>"$CALLS"; exit 0;;
esac
exec "{sys.executable}" "$@"
"""
"""A Python with all that belongs to it, whose pip only writes down what it was asked for."""
OLD = "exit 1"
BARE = f"""
case "$*" in
*ensurepip*|"-m virtualenv"*) exit 1;;
"-m pip"*) echo "$*" >>"$CALLS"; exit 0;;
esac
exec "{sys.executable}" "$@"
"""
"""Debian's Python without python3-venv, with pip."""
BAREST = f"""
case "$*" in
*ensurepip*|"-m virtualenv"*|"-m pip"*) exit 1;;
esac
exec "{sys.executable}" "$@"
"""


def test_a_machine_without_a_new_python_is_told_what_to_install(project: Path):
    ended = ran(project, machine(project, python3=OLD, python3_12=OLD), "run")
    assert ended.returncode == 1 and "needs Python 3.11 or newer" in ended.stderr
    assert not (project / ".venv").exists()


def test_a_python_that_cannot_make_environments_is_told_what_to_install(project: Path):
    ended = ran(project, machine(project, python3=BAREST), "run")
    assert ended.returncode == 1 and "apt install python3-venv" in ended.stderr


def test_a_python_that_can_make_environments_is_taken_before_one_that_cannot(project: Path):
    given = machine(project, python3=BAREST, python3_12=WHOLE)
    ended = ran(project, given, "setup")
    assert ended.returncode == 0, ended.stderr
    assert (project / "calls").read_text().splitlines()[0].endswith("/python3.12 -m venv .venv")


def test_a_pip_of_the_system_fills_an_environment_that_has_none(project: Path):
    ended = ran(project, machine(project, python3=BARE), "setup")
    assert ended.returncode == 0, ended.stderr
    calls = (project / "calls").read_text().splitlines()
    assert any(
        call.startswith("-m pip --python .venv/bin/python install") and "--require-hashes" in call
        for call in calls
    )


def test_a_second_setup_does_nothing_and_a_new_lock_sets_up_again(project: Path):
    given = machine(project, python3=BARE)
    ran(project, given, "setup")
    made = (project / "calls").read_text()
    ended = ran(project, given, "setup")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (project / "calls").read_text() == made
    (project / "requirements.lock").write_text("# another\n")
    ended = ran(project, given, "setup")
    assert "Setting up .venv" in ended.stderr and (project / "calls").read_text() != made


def test_a_project_that_was_moved_sets_up_again(project: Path):
    given = machine(project, python3=BARE)
    ran(project, given, "setup")
    moved = project.rename(project.with_name("moved"))
    given["CALLS"] = str(moved / "calls")
    assert "Setting up .venv" in ran(moved, given, "setup").stderr


def test_a_setup_that_was_cut_short_starts_over(project: Path):
    failing = 'case "$*" in "-m pip --python"*) exit 1;; esac\n' + BARE
    given = machine(project, python3=failing)
    assert ran(project, given, "setup").returncode != 0
    (Path(given["PATH"]) / "python3").write_text(f"#!/bin/sh\n{BARE}\n")
    assert ran(project, given, "setup").returncode == 0


def test_an_unknown_task_is_answered_with_the_known_ones(project: Path):
    ended = ran(project, dict(os.environ), "fly")
    known = (
        "run, test, check, coverage, mutation, conformance, bench, acceptance, injection, supply"
        " or setup"
    )
    assert ended.returncode == 2 and known in " ".join(ended.stderr.split())


def test_npm_is_asked_once_for_the_card_renderer_and_may_fail(project: Path):
    given = machine(project, python3=BARE, npm='echo "npm $*" >>"$CALLS"; exit 1')
    (Path(given["PATH"]) / "mkdir").symlink_to(shutil.which("mkdir") or "")
    first = ran(project, given, "setup")
    assert first.returncode == 0 and "draws cards plainly" in first.stderr
    ran(project, given, "setup")
    asked = [call for call in (project / "calls").read_text().splitlines() if "npm" in call]
    assert len(asked) == 1 and "--ignore-scripts" in asked[0]
