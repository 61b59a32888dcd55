"""A Microsoft tenant on loopback, and the real client library that talks to it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from core.connectors.graph import Graph, GraphSettings
from core.storage.database import open_database
from tests.connectors.desk import Desk, desk


@pytest.fixture
async def ms() -> AsyncIterator[MicrosoftStandIn]:
    async with MicrosoftStandIn() as stand_in:
        yield stand_in


@pytest.fixture
async def graph(ms: MicrosoftStandIn) -> AsyncIterator[Graph]:
    held = Graph(GraphSettings(url=ms.graph_url, deadline=1.0))
    await held.warm()
    yield held
    await held.close()


@pytest.fixture(name="desk")
async def _desk(ms: MicrosoftStandIn, graph: Graph, tmp_path: Path) -> AsyncIterator[Desk]:
    db = await open_database(f"sqlite:///{tmp_path}/state.db")
    yield desk(ms, graph, db, signature="Larkspur Cycles, Ghent")
    await db.close()
