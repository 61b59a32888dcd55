"""Keeps the tables of the files that were posted in a thread: one DuckDB file for each thread."""

import asyncio
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from core.errors import SourceFailed
from core.ports import Clock
from core.records import FileRef, ThreadId
from core.specialists.sheets.writing import Stored

ROOT = Path(__file__).resolve().parents[3]
ENDINGS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods", ".csv", ".tsv")
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """Bytes and seconds."""

    file: int = 25 * MIB
    """Of a file as it is posted."""
    thread: int = 400 * MIB
    """Of the tables of one thread."""
    shelf: int = 4 * 1024 * MIB
    """Of all threads together; those that nobody asked for the longest go first."""
    seconds: int = 60
    """To read one file."""
    kept: float = 30 * 86_400.0
    """Seconds for which a thread's tables stay where nobody asks for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelved:
    """What is there of one thread."""

    database: Path | None = None
    """None where no file was read yet."""
    tables: tuple[Stored, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """The name of each file that was read, by the digest of its bytes."""
    known: Mapping[str, str] = field(default_factory=dict[str, str])
    """The digest of each file's bytes, by the file's id."""


def is_table_file(file: FileRef) -> bool:
    return file.name.lower().endswith(ENDINGS)


class Shelf:
    """One for the process. Its files can be deleted at any time: they are read again."""

    def __init__(self, folder: Path, quota: Quota | None = None, clock: Clock = time.time) -> None:
        self._folder = folder
        self._clock = clock
        self.quota = quota or Quota()
        self._busy: dict[ThreadId, asyncio.Lock] = {}

    def of(self, thread: ThreadId) -> Shelved:
        """What was read of this thread's files so far."""
        folder = self._place(thread)
        try:
            kept: dict[str, Any] = json.loads((folder / "index.json").read_text("utf-8"))
        except (OSError, ValueError):
            return Shelved()
        database = folder / str(kept["database"])
        if not database.exists():
            return Shelved()
        os.utime(folder)
        tables = tuple(_stored(one) for one in kept["tables"])
        return Shelved(database=database, tables=tables, files=kept["files"], known=kept["known"])

    async def add(self, thread: ThreadId, file: FileRef, content: bytes) -> Shelved:
        """Read the file into the thread's tables, unless the same bytes were read before. Raises
        `SourceFailed` with a sentence for the person."""
        name, digest = file.name, hashlib.sha256(content).hexdigest()
        lock = self._busy.setdefault(thread, asyncio.Lock())
        async with lock:
            known = await asyncio.to_thread(self.of, thread)
            if digest in known.files:
                seen = replace(known, known={**known.known, file.id: digest})
                await asyncio.to_thread(_settle, self._place(thread), known, seen)
                return seen
            if len(content) > self.quota.file:
                raise SourceFailed(f"{name} is larger than {self.quota.file // MIB} MB.")
            return await self._added(thread, known, file, digest, content)

    def forget(self, thread: ThreadId) -> None:
        shutil.rmtree(self._place(thread), ignore_errors=True)

    def _place(self, thread: ThreadId) -> Path:
        return self._folder / hashlib.sha256(thread.encode()).hexdigest()[:32]

    async def _added(
        self, thread: ThreadId, known: Shelved, file: FileRef, digest: str, content: bytes
    ) -> Shelved:
        name, folder = file.name, self._place(thread)
        source, new = folder / "incoming", folder / f"{digest[:16]}.duckdb"
        job = {
            "name": name,
            "source": str(source),
            "old": str(known.database) if known.database else "",
            "new": str(new),
            "taken": [table.name for table in known.tables],
            "spill": str(folder / "spill"),
            "seconds": self.quota.seconds,
        }
        try:
            await asyncio.to_thread(self._prepare, folder, source, new, content)
            said = await _read_apart(job, name, self.quota.seconds)
            if fault := said.get("fault"):
                raise SourceFailed(str(fault))
            if new.stat().st_size > self.quota.thread:
                raise SourceFailed(
                    f"{name} is too much beside what was posted here before: a thread's tables"
                    f" may take {self.quota.thread // MIB} MB."
                )
            shelved = Shelved(
                database=new,
                tables=(*known.tables, *(_stored(one) for one in said["tables"])),
                files={**known.files, digest: name},
                known={**known.known, file.id: digest},
            )
            await asyncio.to_thread(_settle, folder, known, shelved)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        finally:
            source.unlink(missing_ok=True)
            shutil.rmtree(folder / "spill", ignore_errors=True)
        return shelved

    def _prepare(self, folder: Path, source: Path, new: Path, content: bytes) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._make_room(folder)
        new.unlink(missing_ok=True)
        source.write_bytes(content)

    def _make_room(self, keep: Path) -> None:
        """Delete the threads whose time is over, and those that nobody asked for the longest until
        the quota is kept."""
        before = self._clock() - self.quota.kept
        shelves = sorted(self._folder.iterdir(), key=lambda place: place.stat().st_mtime)
        sizes = {
            place: sum(part.stat().st_size for part in place.iterdir() if part.is_file())
            for place in shelves
        }
        total = sum(sizes.values())
        for place in shelves:
            is_over = place.stat().st_mtime < before
            if place == keep or (total <= self.quota.shelf and not is_over):
                continue
            shutil.rmtree(place, ignore_errors=True)
            total -= sizes[place]


async def _read_apart(job: dict[str, Any], name: str, seconds: int) -> dict[str, Any]:
    """In a process without secrets, which ends by itself or is killed."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "core.specialists.sheets.child",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"},
        cwd=ROOT,
    )
    try:
        async with asyncio.timeout(seconds + 5):
            said, _ = await child.communicate(json.dumps(job).encode())
    except TimeoutError:
        raise SourceFailed(f"{name} could not be read within {seconds} seconds.") from None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode != 0:
        raise SourceFailed(
            f"{name} could not be read within the memory and time that one file gets."
        )
    answer: dict[str, Any] = json.loads(said)
    return answer


def _settle(folder: Path, before: Shelved, after: Shelved) -> None:
    """From now on the new file counts; a reader that has the old one open keeps reading it."""
    index = {
        "database": after.database.name if after.database else "",
        "tables": [asdict(table) for table in after.tables],
        "files": dict(after.files),
        "known": dict(after.known),
    }
    written = folder / "index.new"
    written.write_text(json.dumps(index), "utf-8")
    written.replace(folder / "index.json")
    if before.database is not None and before.database != after.database:
        before.database.unlink(missing_ok=True)


def _stored(kept: dict[str, Any]) -> Stored:
    columns = tuple((str(name), str(heading)) for name, heading in kept["columns"])
    given: dict[str, Any] = {**kept, "columns": columns, "notes": tuple(kept["notes"])}
    return Stored(**given)
