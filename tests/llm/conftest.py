"""The fake provider and a door to it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from core.ledger.meter import Meter
from core.llm import models
from core.llm.chat import ChatDoor
from core.records import (
    Billing,
    LedgerEntry,
    ModelMessage,
    ModelReply,
    PersonId,
    ThreadId,
    ToolSchema,
    TurnId,
)
from tests.fakes.model_server import ModelServer

KEY = "sk-canary-4f1d8a"
BILLING = Billing(
    turn=TurnId("turn-1"),
    thread=ThreadId("slack:T1/C1/1.0"),
    person=PersonId("slack:T1/U1"),
    place="slack:T1/C1",
    round=1,
)
SEARCH = ToolSchema(
    name="search",
    description="Searches the notes.",
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
    },
)
NAMES = {
    "openai": "openai:gpt-4.1",
    "azure": "azure:our-deployment",
    "anthropic": "anthropic:claude-sonnet-5",
}


@dataclass
class Desk:
    """A door to the fake provider, with the ledger that it fills."""

    door: ChatDoor
    provider: str
    key: str
    entries: list[LedgerEntry] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    async def ask(
        self, text: str = "hi", *tools: ToolSchema, deadline: float = 20.0, **more: Any
    ) -> ModelReply:
        messages = more.get("messages") or [ModelMessage(role="user", text=text)]
        return await self.door.ask(self.key, messages, tools, BILLING, deadline)

    @property
    def outcomes(self) -> list[str]:
        return [entry.outcome for entry in self.entries]


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest.fixture
async def desk_for(server: ModelServer) -> AsyncIterator[Callable[..., Desk]]:
    """`desk_for(provider, **ModelSettings options)`; retries wait on no clock."""
    async with AsyncExitStack() as stack:

        def make(provider: str, **options: Any) -> Desk:
            entries: list[LedgerEntry] = []
            waits: list[float] = []

            async def add(entry: LedgerEntry) -> None:
                entries.append(entry)

            async def sleep(seconds: float) -> None:
                waits.append(seconds)

            settings = models.ModelSettings(
                provider=provider,  # pyright: ignore[reportArgumentType]
                **{
                    "name": NAMES[provider].partition(":")[2],
                    "base_url": getattr(server, f"{provider}_url"),
                    "api_key": KEY,
                    "api_version": "2025-03-01-preview" if provider == "azure" else "",
                    **options,
                },
            )
            door = ChatDoor(
                models.known([settings]),
                Meter(add, lambda: 1_800_000_000.0),
                lambda: 1_800_000_000.0,
                sleep=sleep,
                jitter=lambda: 0.0,
            )
            stack.push_async_callback(door.close)
            return Desk(door, provider, settings.key, entries, waits)

        yield make


@pytest.fixture(params=["openai", "azure", "anthropic"])
def desk(request: pytest.FixtureRequest, desk_for: Callable[..., Desk]) -> Desk:
    """A door to each provider in turn."""
    return desk_for(request.param)
