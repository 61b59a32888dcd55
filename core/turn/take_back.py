"""Takes a question back that its person has deleted: nothing more is said or done about it."""

from collections.abc import Mapping

from core.approvals.rooms import Rooms as Approvals
from core.approvals.upkeep import void_of_turn
from core.ports import Surface
from core.storage.index import Index
from core.storage.withdrawal import take_back
from core.telemetry import logs
from core.turn.lanes import Lanes
from core.turn.retrieve import source

log = logs.get(__name__)


class TakeBack:
    """`core.ports.FrontDoor.take_back`."""

    def __init__(
        self, approvals: Approvals, lanes: Lanes, index: Index, surfaces: Mapping[str, Surface]
    ) -> None:
        self._approvals = approvals
        self._lanes = lanes
        self._index = index
        self._surfaces = surfaces

    async def __call__(self, delivery: str) -> None:
        """Repeating it is harmless. Raises `Unavailable`."""
        rooms = self._approvals
        turn = await take_back(rooms.db, delivery, now=rooms.clock())
        if turn is None:
            return
        # In this order: a turn that still runs could park one more call.
        was_running = await self._lanes.stop(turn.id)
        count = await void_of_turn(rooms, turn.id)
        await self._index.forget(source(turn.id))
        if was_running:
            question = turn.question
            await self._surfaces[question.place.surface].progress(question.address, "")
        log.info("question.taken_back", turn=turn.id, running=was_running, calls=count)
