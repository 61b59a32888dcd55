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
        now = self._clock()
        recent = self._recent.setdefault(key, deque())
        self._recent.move_to_end(key)
        if len(self._recent) > KEPT:
            self._recent.popitem(last=False)
        while recent and recent[0][0] <= now - self._seconds:
            recent.popleft()
        if any(seen == thing for _, seen in recent):
            return True
        if len(recent) >= self._most:
            return False
        recent.append((now, thing))
        return True
