"""The loop of a turn as the other rooms know it: its library is loaded when it is first needed.

LangGraph takes more than a second to import, and nothing of it is needed to accept a question.
"""

import asyncio
from typing import TYPE_CHECKING

from core.identity.vault import KeyRing
from core.loop.steps import Ended, Live
from core.records import TurnId
from core.storage.database import Database

if TYPE_CHECKING:
    from core.loop.graph import Graph


class Loop:
    """One for the whole process: what belongs to a turn comes with each `run`."""

    def __init__(self, db: Database, keys: KeyRing) -> None:
        """The keys seal its checkpoints."""
        self._db = db
        self._keys = keys
        self._graph: Graph | None = None
        self._loading = asyncio.Lock()

    async def load(self) -> None:
        """Load the library and compile the graph in a thread, once."""
        await self._loaded()

    async def run(self, turn: TurnId, question: str, live: Live, *, is_new: bool = False) -> Ended:
        """Run a turn's loop, from its last checkpoint where there is one; a turn that `is_new` was
        never begun before. Raises what `live.ask` raises."""
        graph = await self._loaded()
        from core.loop.graph import run

        return await run(graph, turn, question, live, is_new=is_new)

    async def so_far(self, turn: TurnId) -> Ended | None:
        """How far the turn came before it was cut off; None where no round was finished. Raises
        `Unreadable`."""
        graph = await self._loaded()
        from core.loop.graph import so_far

        return await so_far(graph, turn)

    async def _loaded(self) -> "Graph":
        async with self._loading:
            if self._graph is None:
                self._graph = await asyncio.to_thread(self._compiled)
            return self._graph

    def _compiled(self) -> "Graph":
        from core.loop.checkpoints import SealedSaver
        from core.loop.graph import build

        return build(SealedSaver(self._db, self._keys))
