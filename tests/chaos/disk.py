"""What a disk holds after its power was cut: the recorded writes, the synced ones for certain."""

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_ENTRY = struct.Struct("<IIqq")
SECTOR = 512
"""What a disk writes whole or not at all."""


@dataclass(frozen=True, slots=True)
class Entry:
    """See tests/chaos/recorder.c."""

    kind: str
    path: str
    offset: int
    content: bytes


def entries(record: Path) -> Iterator[Entry]:
    raw, at = record.read_bytes(), 0
    while at < len(raw):
        kind, named, offset, length = _ENTRY.unpack_from(raw, at)
        at += _ENTRY.size
        path = raw[at : at + named].decode()
        yield Entry(chr(kind), path, offset, raw[at + named : at + named + length])
        at += named + length


@dataclass(slots=True, eq=False)
class _File:
    synced: bytearray = field(default_factory=bytearray)
    loose: list[Entry] = field(default_factory=list[Entry])
    """Writes and truncations since the last sync."""

    def sync(self) -> None:
        for entry in self.loose:
            _apply(self.synced, entry)
        self.loose.clear()

    def after(self, kept: list[Entry]) -> bytes:
        content = bytearray(self.synced)
        for entry in kept:
            _apply(content, entry)
        return bytes(content)


Names = dict[str, _File]


class Disk:
    """Files and names as they are in memory, and as they are on the disk for certain."""

    def __init__(self) -> None:
        self._names: Names = {}
        self._synced: Names = {}
        self._loose: list[Names] = []
        """The names after each change of them since the folder was last synced."""

    def take(self, entry: Entry) -> None:
        found = self._names.get(entry.path)
        match entry.kind:
            case "c":
                self._rename({**self._names, entry.path: _File()})
            case "u":
                self._rename({k: v for k, v in self._names.items() if k != entry.path})
            case "r":
                old, new = entry.path.split("\n")
                moved = {k: v for k, v in self._names.items() if k != old}
                self._rename({**moved, new: self._names[old]})
            case "d":
                self._synced, self._loose = self._names, []
            case "s" if found is not None:
                found.sync()
            case "w" | "t" if found is not None:
                found.loose.append(entry)
            case _:
                # Of a file that has no name any more.
                pass

    def _rename(self, names: Names) -> None:
        self._names = names
        self._loose.append(names)

    def synced(self) -> dict[str, bytes]:
        """The files, by path, of a disk that kept nothing but what was synced."""
        return {path: file.after([]) for path, file in self._synced.items()}

    def kept(self, chance: random.Random) -> dict[str, bytes]:
        """The files of a disk that kept by chance some of what was not synced: of the names the
        first changes, of each file either its first writes, the last of them torn, or any."""
        names = chance.choice([self._synced, *self._loose])
        return {path: file.after(_some(file.loose, chance)) for path, file in names.items()}


def _some(loose: list[Entry], chance: random.Random) -> list[Entry]:
    if chance.random() < 0.5:
        return [entry for entry in loose if chance.random() < 0.5]
    whole = chance.randint(0, len(loose))
    return [*loose[:whole], *map(_torn, loose[whole : whole + 1])]


def _torn(entry: Entry) -> Entry:
    half = len(entry.content) // 2 // SECTOR * SECTOR
    return Entry("w", entry.path, entry.offset, entry.content[:half])


def _apply(content: bytearray, entry: Entry) -> None:
    if entry.kind == "t":
        del content[entry.offset :]
        content.extend(bytes(entry.offset - len(content)))
        return
    content.extend(bytes(max(0, entry.offset - len(content))))
    content[entry.offset : entry.offset + len(entry.content)] = entry.content
