"""Scripted failures: which of them meets a request."""

from fnmatch import fnmatchcase

from bot.workspace.microsoft.records import Fault


class Faults:
    """Kept in order per pattern; a request takes the first one that fits."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, Fault]] = []

    def add(self, pattern: str, *faults: Fault) -> None:
        """`pattern` is compared with `METHOD /path` without regard to case; `*` stands for
        anything."""
        self._kept += [(pattern.lower(), fault) for fault in faults]

    def take(self, name: str) -> Fault | None:
        for index, (pattern, fault) in enumerate(self._kept):
            if fnmatchcase(name.lower(), pattern):
                fault.times -= 1
                if fault.times <= 0:
                    del self._kept[index]
                return fault
        return None

    def clear(self) -> None:
        self._kept.clear()
