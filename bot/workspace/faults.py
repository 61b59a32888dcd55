"""Which of the failures that were asked for meets a request to a stand-in."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Generic, Protocol, TypeVar


class Timed(Protocol):
    @property
    def times(self) -> int:
        """How many requests suffer it; 0 means all of them until the faults are cleared."""
        ...


F = TypeVar("F", bound=Timed)


@dataclass(slots=True)
class Kept(Generic[F]):
    pattern: str
    fault: F
    left: int
    """Requests that it still meets; 0 for one that holds until it is cleared."""


class Faults(Generic[F]):
    """Kept in order per pattern; a request takes the first one that fits."""

    def __init__(self) -> None:
        self._kept: list[Kept[F]] = []

    @property
    def kept(self) -> tuple[Kept[F], ...]:
        """What still waits for a request."""
        return tuple(self._kept)

    def add(self, pattern: str, *faults: F) -> None:
        """`pattern` is compared with a request's name without regard to case (a Web API method, or
        `METHOD /path`); `*` stands for anything."""
        self._kept += [Kept(pattern, fault, fault.times) for fault in faults]

    def take(self, name: str) -> F | None:
        for index, one in enumerate(self._kept):
            if fnmatchcase(name.lower(), one.pattern.lower()):
                if one.left == 1:
                    del self._kept[index]
                elif one.left > 1:
                    one.left -= 1
                return one.fault
        return None

    def clear(self) -> None:
        self._kept.clear()
