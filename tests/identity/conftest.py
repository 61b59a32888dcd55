"""An office for each test: people, browsers, the account link, Microsoft's sign-in."""

import time
from collections.abc import AsyncIterator

import pytest

from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from core.storage.database import Database
from tests.fakes.entra_between import Between
from tests.identity.office import Clock, Office, office


@pytest.fixture
def clock() -> Clock:
    return Clock(time.time())


@pytest.fixture
async def ms(clock: Clock) -> AsyncIterator[MicrosoftStandIn]:
    redirects = ["http://127.0.0.1/connect/callback"]
    async with MicrosoftStandIn(redirect_uris=redirects, clock=clock) as stand_in:
        yield stand_in


@pytest.fixture
async def both(ms: MicrosoftStandIn, database: Database, clock: Clock) -> AsyncIterator[Office]:
    """Once on each database engine."""
    async with office(ms, database, clock) as made:
        yield made


@pytest.fixture
async def one(ms: MicrosoftStandIn, sqlite: Database, clock: Clock) -> AsyncIterator[Office]:
    """On SQLite alone, for tests that are not about what is kept."""
    async with office(ms, sqlite, clock) as made:
        yield made


@pytest.fixture
async def between(ms: MicrosoftStandIn) -> AsyncIterator[Between]:
    async with Between(ms.entra_url) as made:
        yield made


@pytest.fixture
async def overheard(
    ms: MicrosoftStandIn, between: Between, sqlite: Database, clock: Clock
) -> AsyncIterator[Office]:
    """As `one`, with somebody between the bot and Microsoft."""
    async with office(ms, sqlite, clock, base=between.url) as made:
        yield made
