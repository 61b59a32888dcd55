"""Says in the thread what a round is about to do."""

from collections.abc import Sequence

from core.records import ToolCall
from core.turn.permitted import Offer
from core.turn.status import Status
from core.turn.telling import Telling


class Progress:
    """Of one turn."""

    def __init__(self, status: Status, offer: Offer, telling: Telling) -> None:
        self._status = status
        self._offer = offer
        self._telling = telling
        self._round = 0

    async def __call__(self, calls: Sequence[ToolCall]) -> None:
        self._round += 1
        names = dict.fromkeys(
            self._offer.by_alias[call.name].name.replace("_", " ")
            for call in calls
            if call.name in self._offer.by_alias
        )
        self._telling.works(self._round, [name.capitalize() for name in names])
        if names:
            text = f"is working: {', '.join(names)}…"
            await self._status.say(text)
