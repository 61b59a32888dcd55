"""Cuts the power of a bot that decides, again and again, and opens what the disk kept.

`python -m tests.chaos.power [IMAGES [CALLS [SEED]]]`; exits with 1 when a promise was broken.
"""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.disk import Disk, entries

ROOT = Path(__file__).parents[2]
SHIM = Path(__file__).with_name("recorder.c")
QUESTIONS = {
    "decided": "SELECT call || ' ' || verdict FROM decisions JOIN parked ON parked.id = call"
    " WHERE state = verdict",
    "accepted": "SELECT id FROM inbox",
    "answered": "SELECT turn FROM turns WHERE outcome = 'done'",
}
"""What a line of the told file promises, and what is there of it."""


def why_not() -> str:
    """Why power cannot be cut here; empty where it can."""
    if sys.platform != "linux":
        return "the recorder of writes is for Linux: no power was cut"
    if _compiler() is None:
        return "there is no C compiler (cc) for the recorder of writes: no power was cut"
    return ""


def _compiler() -> str | None:
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@dataclass
class Found:
    """What the images said."""

    images: int = 0
    promised: Counter[str] = field(default_factory=Counter[str])
    """Over all images, what had been told before the cut."""
    missing: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])
    """What `integrity_check` said, or the error that opening brought."""

    def report(self) -> str:
        return (
            f"{self.images} images; told before the cuts: {dict(self.promised)};"
            f" missing: {len(self.missing)}; broken: {len(self.broken)}"
        )


def recorded(folder: Path, *, calls: int, source: Path = ROOT) -> Path:
    """Let a bot from this source decide that many calls in `folder`; the record of its writes."""
    compiler = _compiler()
    assert compiler is not None
    library, record, state = folder / "recorder.so", folder / "record", folder / "state"
    flags = ("-shared", "-fPIC", "-O1", "-o", str(library), str(SHIM), "-ldl", "-lpthread")
    subprocess.run([compiler, *flags], check=True)
    state.mkdir()
    command = (sys.executable, "-m", "tests.chaos.deciding", f"sqlite:///{state}/countersign.db")
    subprocess.run(
        [*command, str(state / "told"), str(calls)],
        cwd=source,
        env={
            **os.environ,
            "LD_PRELOAD": str(library),
            "RECORDED_FOLDER": str(state),
            "RECORDED_AS": str(record),
        },
        check=True,
    )
    return record


def cut(record: Path, folder: Path, *, images: int, seed: int) -> Found:
    """Cut the power at that many random points and open each image, every second one of a disk
    that kept some of what was not synced."""
    chance, disk, found, told = random.Random(seed), Disk(), Found(), b""
    happened = list(entries(record))
    cuts = Counter(chance.sample(range(len(happened)), images))
    for number, entry in enumerate(happened):
        disk.take(entry)
        if entry.kind == "w" and entry.path.endswith("/told"):
            told += entry.content
        if cuts[number]:
            files = disk.kept(chance) if found.images % 2 else disk.synced()
            _judge(files, told.decode().splitlines(), folder / "image", found)
    return found


def _judge(files: dict[str, bytes], told: Sequence[str], folder: Path, found: Found) -> None:
    found.images += 1
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path, content in files.items():
        # Shared memory is made anew; what is told is ours, not the bot's.
        if not path.endswith(("-shm", "/told")):
            (folder / Path(path).name).write_bytes(content)
    found.promised.update(line.partition(" ")[0] for line in told)
    db = sqlite3.connect(folder / "countersign.db")
    try:
        [(verdict,)] = db.execute("PRAGMA integrity_check").fetchmany(1)
        if verdict != "ok":
            found.broken.append(verdict)
        for kind, question in QUESTIONS.items():
            promised = {line.partition(" ")[2] for line in told if line.startswith(kind)}
            there = {row[0] for row in db.execute(question)} if promised else set[str]()
            found.missing += [f"{kind} {what}" for what in promised - there]
    except sqlite3.DatabaseError as failure:
        found.broken.append(str(failure))
    finally:
        db.close()


def main(images: int = 200, calls: int = 600, seed: int = 1) -> int:
    if reason := why_not():
        print(reason)
        return 1
    with tempfile.TemporaryDirectory(prefix="countersign-power-") as folder:
        record = recorded(Path(folder), calls=calls)
        found = cut(record, Path(folder), images=images, seed=seed)
        print(found.report())
        return int(bool(found.missing or found.broken))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
