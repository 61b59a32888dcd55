"""Tells whether questions come in faster than they are taken, so that turns give way."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic

MANY = 8
"""Questions that are being taken at the same moment; a calm process takes each in a few
milliseconds."""
CALM = 0.5
"""Seconds after the last such moment until the rush is over."""


class Rush:
    """One for a process: whoever is not acknowledged asks again, and whoever waits for an answer
    waits all the same."""

    def __init__(self, tick: Callable[[], float] = monotonic) -> None:
        self._tick = tick
        self._taking = 0
        self._until = tick()

    @property
    def is_on(self) -> bool:
        return self._tick() < self._until

    @contextmanager
    def taking(self) -> Generator[None]:
        """While one question is being taken."""
        self._taking += 1
        if self._taking > MANY:
            self._until = self._tick() + CALM
        try:
            yield
        finally:
            self._taking -= 1
