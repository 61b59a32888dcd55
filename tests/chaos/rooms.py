"""The approvals as the storm runs them: the real rooms, and two effects at the faulty provider."""

import time
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from core.approvals.rooms import Rooms
from core.capabilities.catalog import Catalog
from core.capabilities.servers import Server
from core.cards import CardField
from core.connectors.outcome import Description, Done, Outcome, Unknown
from core.parked import EffectKind, ParkedCall
from core.policy.rules import EVERYTHING
from core.records import Json, Tool
from core.specialists.server import serving, tags
from core.storage.database import Database

KINDS: tuple[EffectKind, ...] = ("keyed", "blind")


@dataclass(frozen=True)
class Sending:
    """An effect at the provider."""

    tool: str
    certainty: EffectKind
    web: aiohttp.ClientSession
    address: str

    def kind(self, granted: Collection[str]) -> EffectKind:
        return self.certainty

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return ()

    async def prepare(self, call: ParkedCall) -> Json:
        return {}

    def describe(self, arguments: Json, facts: Json) -> Description:
        text = CardField(label="Text", value=str(arguments["text"]))
        return Description(title="Send", fields=(text,))

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        body = {"key": call.id, "kind": self.certainty}
        try:
            async with self.web.post(f"{self.address}/send", json=body) as answer:
                if answer.status != 200:
                    return Unknown(sentence=f"The provider said {answer.status}.")
                return Done(summary="Sent.", request_id=(await answer.json())["id"])
        except aiohttp.ClientError:
            return Unknown(sentence="The provider did not answer.")

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        async with self.web.get(f"{self.address}/by/{call.id}") as answer:
            return Done(summary="Sent.") if (await answer.json())["count"] else None


def _server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("post", log_level="ERROR")
    for kind in KINDS:

        @server.tool(name=kind, meta=tags("requires_approval"))
        def send(text: str) -> str:
            """Send a text."""
            raise ToolError("only the executor sends")

    return server


class _NoPins:
    async def pinned(self) -> dict[str, str]:
        return {}

    async def accept(self, key: str, digest: str, by: str, at: float, listing: str = "") -> None:
        raise NotImplementedError

    async def listing(self, key: str) -> str:
        return ""


@asynccontextmanager
async def rooms(db: Database, provider: str) -> AsyncGenerator[Rooms]:
    limit = aiohttp.ClientTimeout(total=5)
    async with (
        aiohttp.ClientSession(timeout=limit) as web,
        serving(_server()) as app,
        Catalog((Server(name="post", app=app),), _NoPins(), clock=time.time) as catalog,
    ):
        effects = {
            f"post/{kind}": Sending(tool=f"post/{kind}", certainty=kind, web=web, address=provider)
            for kind in KINDS
        }
        yield Rooms(
            db=db, clock=time.time, rules=lambda: EVERYTHING, catalog=catalog, effects=effects
        )


async def tools(where: Rooms) -> dict[str, Tool]:
    found = await where.catalog.discover()
    return {tool.name: tool for tool in found.tools}
