"""Takes a question back that its person has deleted or rewritten: nothing more is said or done
about the words that no longer stand."""

from collections.abc import Mapping

from core.approvals.rooms import Rooms as Approvals
from core.approvals.upkeep import void_of_turn
from core.ports import Surface
from core.records import Question, Turn, TurnId
from core.storage import withdrawal
from core.storage.inbox import Placed
from core.storage.index import Index
from core.telemetry import logs
from core.turn.lanes import Lanes
from core.turn.retrieve import source

CHANGED = "The question was changed. Nothing was sent."

log = logs.get(__name__)


class TakeBack:
    """What `core.ports.FrontDoor.take_back` and `revise` do to turns that exist already. Repeating
    either is harmless; both raise `Unavailable`."""

    def __init__(
        self, approvals: Approvals, lanes: Lanes, index: Index, surfaces: Mapping[str, Surface]
    ) -> None:
        self._approvals = approvals
        self._lanes = lanes
        self._index = index
        self._surfaces = surfaces

    async def __call__(self, delivery: str) -> None:
        rooms = self._approvals
        turn = await withdrawal.take_back(rooms.db, delivery, now=rooms.clock())
        if turn is None:
            return
        # In this order: a turn that still runs could park one more call.
        was_running = await self._lanes.stop(turn.id)
        count = await void_of_turn(rooms, turn.id)
        await self._index.forget(source(turn.id))
        if was_running:
            await self._clear(turn)
        log.info("question.taken_back", turn=turn.id, running=was_running, calls=count)

    async def replace(
        self, question: Question, turn: TurnId, *, model: str, agent: str
    ) -> Placed | None:
        """Ask it anew as `turn` while it is not answered; None where nothing began."""
        rooms = self._approvals
        found = await withdrawal.replace(
            rooms.db, question, turn, model=model, agent=agent, now=rooms.clock()
        )
        # Also where nothing is new: the first try may have been cut off between the two.
        for earlier in found.ended:
            was_running = await self._lanes.stop(earlier.id)
            count = await void_of_turn(rooms, earlier.id, CHANGED)
            log.info("question.changed", turn=earlier.id, running=was_running, calls=count)
        return found.placed

    async def _clear(self, turn: Turn) -> None:
        question = turn.question
        await self._surfaces[question.place.surface].progress(question.address, "")
