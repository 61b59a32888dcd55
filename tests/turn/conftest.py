"""A whole bot with a scripted provider behind it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.house import House, house


@pytest.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with ModelServer(dimensions=1536) as server:
        yield server


@pytest.fixture(params=["slack", "teams"])
def side(request: pytest.FixtureRequest) -> str:
    """The platform on which the scenario asks."""
    return request.param


@pytest.fixture
async def bot(tmp_path: Path, models: ModelServer, side: str) -> AsyncIterator[House]:
    async with house(tmp_path, models=models, side=side) as running:
        yield running
