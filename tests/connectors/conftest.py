"""A Microsoft tenant on loopback, and the real client library that talks to it."""

from collections.abc import AsyncIterator

import pytest

from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from core.connectors.graph import Graph, GraphSettings


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
