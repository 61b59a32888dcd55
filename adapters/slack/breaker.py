"""Lets only so much of one kind through in a while."""

from collections import OrderedDict, deque

from core.ports import Clock

KEPT = 10_000
"""Keys that are remembered."""


class Breaker:
    """At most `most` different things for one key within `seconds`. What was let through once is
    let through when it comes again: a platform that repeats a delivery is not to be cut off."""

    def __init__(self, clock: Clock, *, most: int, seconds: float) -> None:
        self._clock = clock
        self._most = most
        self._seconds = seconds
        self._recent: OrderedDict[str, deque[tuple[float, str]]] = OrderedDict()

    def allows(self, key: str, thing: str) -> bool:
        recent = self._lately(key)
        return any(seen == thing for _, seen in recent) or self._has_room(recent, thing)

    def once_more(self, key: str) -> bool:
        """Whether there is room for one more, whatever it is."""
        return self._has_room(self._lately(key), "")

    def _has_room(self, recent: deque[tuple[float, str]], thing: str) -> bool:
        if len(recent) >= self._most:
            return False
        recent.append((self._clock(), thing))
        return True

    def _lately(self, key: str) -> deque[tuple[float, str]]:
        recent = self._recent.setdefault(key, deque())
        self._recent.move_to_end(key)
        if len(self._recent) > KEPT:
            self._recent.popitem(last=False)
        while recent and recent[0][0] <= self._clock() - self._seconds:
            recent.popleft()
        return recent
