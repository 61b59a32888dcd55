"""Remembers which deliveries were taken, so that one that comes again costs nothing."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

REMEMBERED = 5_000
"""Deliveries; a platform repeats one within minutes, and older ones are known to the database."""


class Recent:
    """In memory, beside the key that the database holds."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._known: OrderedDict[str, asyncio.Future[bool]] = OrderedDict()

    async def again(self, delivery: str) -> bool | None:
        """What came of it before; None where it is new."""
        known = self._known.get(delivery)
        return None if known is None else await asyncio.shield(known)

    async def taken(self, delivery: str, take: Callable[[], Awaitable[bool]]) -> bool:
        """Whether it was taken, now or before. While it is being taken, whoever comes with it
        again waits for the same outcome; what was not taken may come again."""
        if (known := self._known.get(delivery)) is not None:
            return await asyncio.shield(known)
        outcome: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._known[delivery] = outcome
        is_taken = False
        try:
            is_taken = await take()
        finally:
            outcome.set_result(is_taken)
            if not is_taken:
                self._known.pop(delivery, None)
            elif len(self._known) > self._most:
                self._known.popitem(last=False)
        return is_taken
