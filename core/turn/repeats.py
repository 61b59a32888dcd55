"""Remembers what lately became of deliveries, so that a repeat costs no look into the database."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from core.records import Receipt, TurnId

REMEMBERED = 10_000
"""Deliveries; a platform repeats one within an hour, most of them within seconds."""


class Repeats:
    """In memory: the inbox knows every delivery, whatever is forgotten here."""

    def __init__(self) -> None:
        self._turns: OrderedDict[str, TurnId] = OrderedDict()
        self._coming: dict[str, asyncio.Event] = {}
        """Deliveries that are being recorded; set once that has ended, well or badly."""

    async def once(self, delivery: str, accept: Callable[[], Awaitable[Receipt]]) -> Receipt:
        """What `accept` says, or that it was said before. A repeat waits for the delivery that is
        being recorded, as long as its caller lets it, and is accepted where that one failed."""
        while coming := self._coming.get(delivery):
            await coming.wait()
        if turn := self._turns.get(delivery):
            return Receipt(kind="duplicate", turn=turn)
        ended = self._coming[delivery] = asyncio.Event()
        try:
            receipt = await accept()
        finally:
            del self._coming[delivery]
            ended.set()
        if receipt.turn:
            self._turns[delivery] = receipt.turn
            if len(self._turns) > REMEMBERED:
                self._turns.popitem(last=False)
        return receipt
