"""The tools of all servers, with the digests that stand, kept fresh at little cost for a turn."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING

from core.capabilities.listing import Listing, Problem
from core.capabilities.pins import Pins, as_listing, is_first_contact, of_listing, standing
from core.capabilities.raw import OnProgress, RawResult
from core.capabilities.servers import Limits, Server
from core.errors import Misconfigured, NotAllowed, SourceFailed
from core.policy.rules import CHANGED
from core.ports import Clock
from core.records import Billing, Json, Tool

if TYPE_CHECKING:
    from core.capabilities.connection import Connection

log = logging.getLogger(__name__)

FIRST_CONTACT = "first contact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What can be reached now. `accepted` maps tool key -> the digest that stands, for
    `core.policy.rules.permit`."""

    tools: tuple[Tool, ...]
    accepted: Mapping[str, str]
    problems: tuple[Problem, ...]


def _waiting(server: str, tools: Sequence[Tool], accepted: Mapping[str, str]) -> Sequence[Problem]:
    """What an admin should accept or refuse."""
    problems = [
        Problem(server=server, tool=tool.name, sentence=f"{tool.key}: {CHANGED}")
        for tool in tools
        if accepted.get(tool.key, tool.digest) != tool.digest
    ]
    if new := [tool.key for tool in tools if tool.key not in accepted]:
        sentence = f"not yet accepted by an admin, so not offered: {', '.join(sorted(new))}"
        problems.append(Problem(server=server, sentence=sentence))
    return problems


class _Shelf:
    """What is known of one server."""

    def __init__(self) -> None:
        self.listing = Listing()
        self.failure = ""
        self.looked_at: float | None = None
        self.is_stale = True
        self.look: asyncio.Task[None] | None = None
        self.begun_at = 0.0
        """When the look began, by the loop's clock."""


NOT_YET = "it has not answered yet, which is ordinary just after a start"


class Catalog:
    """All servers. Enter it where it is to be closed; it opens each server when first needed.

    The MCP library takes a second to import. That happens in a thread, when a server is first
    needed or by `load`.
    """

    def __init__(
        self,
        servers: Sequence[Server],
        pins: Pins,
        *,
        clock: Clock,
        limits: Limits | None = None,
    ) -> None:
        self._pins = pins
        self._clock = clock
        self._limits = limits or Limits()
        names = [server.name for server in servers]
        if len(set(names)) < len(names):
            raise Misconfigured(f"two servers have one name: {', '.join(sorted(names))}")
        self._servers = {server.name: server for server in servers}
        self._shelves = {server.name: _Shelf() for server in servers}
        self._connections: dict[str, Connection] = {}
        """Empty until the library is loaded."""
        self._loading = asyncio.Lock()
        self._group = asyncio.TaskGroup()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> "Catalog":
        await self._group.__aenter__()
        return self

    async def load(self) -> None:
        """Load what calls are made with, once."""
        async with self._loading:
            if self._connections or not self._servers:
                return
            await asyncio.to_thread(import_module, "core.capabilities.invoke")
            from core.capabilities.connection import Connection

            for server in self._servers.values():
                connection = Connection(server, self._limits, partial(self._changed, server.name))
                self._tasks.append(self._group.create_task(connection.run()))
                self._connections[server.name] = connection

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        looks = [shelf.look for shelf in self._shelves.values() if shelf.look is not None]
        for task in (*looks, *self._tasks):
            task.cancel()
        await self._group.__aexit__(None, None, None)

    async def discover(self, *, patience: float | None = None) -> Discovery:
        """The tools of every server that answers, from what is known; what is older than
        `fresh_for` is asked for again in the background. Only the first discovery waits, and a
        server that does not answer costs its own tools alone. `patience` shortens that wait, in
        seconds, for whoever has to say something soon."""
        await self._await_first_looks(patience)
        pinned = await self._pins.pinned()
        tools: list[Tool] = []
        problems: list[Problem] = []
        accepted: dict[str, str] = {}
        for name, shelf in self._shelves.items():
            server = self._servers[name]
            tools.extend(shelf.listing.tools)
            problems.extend(shelf.listing.problems)
            if failure := shelf.failure or (NOT_YET if shelf.looked_at is None else ""):
                sentence = f"server {name} did not answer: its tools are missing ({failure})"
                problems.append(Problem(server=name, sentence=sentence, is_outage=True))
            is_trusted = server.is_ours or server.accept == "all"
            accepted |= standing(shelf.listing.tools, pinned, trusted=is_trusted)
            problems.extend(_waiting(name, shelf.listing.tools, accepted))
        return Discovery(tools=tuple(tools), accepted=accepted, problems=tuple(problems))

    async def _await_first_looks(self, at_most: float | None) -> None:
        limits, now = self._limits, asyncio.get_running_loop().time()
        waits: dict[asyncio.Task[None], float] = {}
        for name, shelf in self._shelves.items():
            look = self._look_if_due(name)
            if look is not None and shelf.looked_at is None:
                is_ours = self._servers[name].is_ours
                patience = limits.own_first_look if is_ours else limits.first_look
                waits[look] = shelf.begun_at + patience
        ends = now + at_most if at_most is not None else float("inf")
        for look, until in sorted(waits.items(), key=lambda one: one[1]):
            rest = min(until, ends) - asyncio.get_running_loop().time()
            if rest > 0:
                await asyncio.wait((look,), timeout=rest)

    async def call(
        self,
        tool: Tool,
        arguments: Json,
        *,
        credentials: Mapping[str, str],
        on_progress: OnProgress,
        deadline: float | None = None,
        billing: Billing | None = None,
    ) -> RawResult:
        """Call the tool on its server; see `invoke.call` for what is raised. Arguments and
        permission are checked before, by the caller."""
        if tool.server not in self._servers:
            raise NotAllowed(f"there is no server {tool.server}")
        await self.load()
        connection = self._connections[tool.server]
        from core.capabilities import invoke

        try:
            return await invoke.call(
                connection,
                tool,
                arguments,
                self._limits,
                credentials=credentials,
                deadline=self._limits.deadline if deadline is None else deadline,
                on_progress=on_progress,
                billing=billing,
            )
        except SourceFailed:
            self._shelves[tool.server].is_stale = True
            raise

    async def accept(self, key: str, by: str) -> Tool:
        """Let the tool stand as it is listed now. Raises NotAllowed when no server lists it."""
        shelf = self._shelves.get(key.partition("/")[0])
        for tool in shelf.listing.tools if shelf else ():
            if tool.key == key:
                await self._pins.accept(key, tool.digest, by, self._clock(), as_listing(tool))
                return tool
        raise NotAllowed(f"no server lists {key} now")

    async def accepted_listing(self, key: str) -> Tool | None:
        """The tool as somebody accepted it last; None where that was not kept."""
        return of_listing(await self._pins.listing(key))

    def _changed(self, name: str) -> None:
        shelf = self._shelves[name]
        shelf.is_stale = True
        self._look_if_due(name)

    def _look_if_due(self, name: str) -> asyncio.Task[None] | None:
        """The look that is under way, begun now when one is due; None when what is known is
        fresh."""
        shelf = self._shelves[name]
        if shelf.look is not None and not shelf.look.done():
            return shelf.look
        age = float("inf") if shelf.looked_at is None else self._clock() - shelf.looked_at
        wait = self._limits.retry_after if shelf.failure else self._limits.fresh_for
        if age < wait and not (shelf.is_stale and not shelf.failure):
            return None
        shelf.is_stale = False
        shelf.begun_at = asyncio.get_running_loop().time()
        shelf.look = self._group.create_task(self._look(name, shelf))
        return shelf.look

    async def _look(self, name: str, shelf: _Shelf) -> None:
        try:
            await self.load()
            listing = await self._connections[name].listing()
            if self._servers[name].accept == "first":
                await self._accept_first(name, listing)
            shelf.listing, shelf.failure = listing, ""
        except SourceFailed as failure:
            shelf.listing, shelf.failure = Listing(), str(failure)
        # A look runs in the background: whatever it meets must not end the other servers' tasks.
        except Exception as error:
            log.warning("discovery failed", extra={"server": name, "kind": type(error).__name__})
            shelf.listing, shelf.failure = Listing(), type(error).__name__
        finally:
            shelf.looked_at = self._clock()

    async def _accept_first(self, name: str, listing: Listing) -> None:
        if is_first_contact(name, await self._pins.pinned()):
            for tool in listing.tools:
                shown = as_listing(tool)
                await self._pins.accept(tool.key, tool.digest, FIRST_CONTACT, self._clock(), shown)
