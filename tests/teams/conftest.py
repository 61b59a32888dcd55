"""A stand-in for Teams, the real adapter in front of a front door that takes notes."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiohttp import web

from adapters.teams.app import TeamsAdapter, build
from adapters.teams.pacing import Pacing
from adapters.teams.settings import TeamsSettings
from bot.workspace.teams_server import TeamsStandIn
from core.records import Json
from tests.door import Door, Hand

JSON = "application/json"


class Memory:
    """Implements what is kept."""

    def __init__(self) -> None:
        self.kept: dict[str, Json] = {}

    async def keep(self, key: str, body: Json) -> None:
        self.kept[key] = body

    async def read(self, key: str) -> Json | None:
        return self.kept.get(key)

    async def forget(self, key: str) -> None:
        self.kept.pop(key, None)


@dataclass
class Bot:
    adapter: TeamsAdapter
    door: Door
    memory: Memory
    hand: Hand
    teams: TeamsStandIn
    answers: list[str] = field(default_factory=list)

    async def send(
        self,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        token: str | None = None,
        media_type: str = JSON,
    ) -> int:
        """Exactly these bytes, with a good token unless another is given; the status."""
        good = self.teams.signing.token(self.teams.connector_url)
        sent = {"Authorization": f"Bearer {good if token is None else token}"}
        if media_type:
            sent["Content-Type"] = media_type
        status, text = await self.teams.carrier.post(body, {**sent, **(headers or {})})
        self.answers.append(text)
        return status

    async def send_json(self, body: Any, **how: Any) -> int:
        return await self.send(json.dumps(body).encode(), **how)


async def at_once(_: float) -> None:
    await asyncio.sleep(0)


@asynccontextmanager
async def serving(adapter: TeamsAdapter) -> AsyncIterator[str]:
    """The adapter's routes on a free port."""
    site = web.Application()
    site.add_routes(adapter.routes)
    runner = web.AppRunner(site, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/api/messages"
    finally:
        await runner.cleanup()


def settings_for(teams: TeamsStandIn, **more: Any) -> TeamsSettings:
    made = TeamsSettings(
        app_id=teams.world.app_id,
        tenant_id=teams.world.tenant,
        password=teams.signing.secret,
        openid_url=teams.openid_url,
        login_url=teams.base,
        service_origins=(teams.base,),
    )
    return replace(made, **more)


@asynccontextmanager
async def running(
    teams: TeamsStandIn, settings: TeamsSettings | None = None, **more: Any
) -> AsyncIterator[Bot]:
    door, memory, hand = Door(), Memory(), Hand(1_000.0)
    adapter = build(
        settings or settings_for(teams),
        door,
        memory,
        time.time,
        pacing=Pacing(hand, hand.sleep),
        **more,
    )
    await adapter.start()
    async with serving(adapter) as url:
        teams.connect(url)
        yield Bot(adapter, door, memory, hand, teams)
    await adapter.close()


@pytest.fixture
async def teams() -> AsyncIterator[TeamsStandIn]:
    async with TeamsStandIn(sleep=at_once) as stand_in:
        yield stand_in


@pytest.fixture
async def bot(teams: TeamsStandIn) -> AsyncIterator[Bot]:
    async with running(teams) as made:
        yield made
