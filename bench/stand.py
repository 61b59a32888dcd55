"""The bot as it is measured: all of its rooms as they are wired, between a scripted model and a \
silent chat."""

import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, TextContent

from bench import words
from bench.scripted import Scripted
from bench.stopwatch import Stopwatch, Timed, TimedDatabase
from bot import config, loading, settings, wiring
from bot.wiring import Wired
from core.capabilities.servers import Server
from core.llm import minilm
from core.records import Billing, Person, PersonId, Place, Post, Question, ThreadId, Usage
from core.specialists.server import serving, tags
from core.telemetry import logs
from core.telemetry.redact import Redactor
from core.turn.intake import Intake
from core.turn.run import Rooms

MODEL = "openai:gpt-5.5"
KEYS = "bench:" + "A" * 43 + "="
NOWHERE = {
    "SLACK_BOT_TOKEN": "xoxb-bench-" + "0" * 32,
    "SLACK_SIGNING_SECRET": "b" * 32,
    "SLACK_API_URL": "http://127.0.0.1:9/api/",
}
POLICY = """
policy:
  admins: ["group:it-admins"]
  domains: ["larkspur.example"]
  rules:
    - {offer: "tag:connector:books", to: ["group:everyone"]}
    - {offer: "tool:books/send_note", to: ["group:everyone"]}
    - {approve: "tool:books/send_note", when: {argument: to, is: external}}
    - {withhold: "tag:connector:hr", in: ["place:public"]}
    - {withhold: "tool:books/order_lines", when: {argument: query, contains: "payroll"}}
"""
"""What an installation has: offers, an approval, a place and an argument that close a door."""
ANYTHING = "policy: {rules: [{offer: 'tool:*'}]}"
"""Nothing but the tools' own tags says what waits for a person."""


def office() -> MCPServer[Any]:
    """The tools that are called: one that returns a table, and some that are only offered."""
    server = MCPServer("books", version="1", log_level="ERROR")
    hr = tags("connector:hr")

    async def order_lines(query: str) -> CallToolResult:
        """The order lines that fit the query, with city, product, units and net revenue."""
        text, rows = words.table(query)
        return CallToolResult(
            content=[TextContent(text=text)], structured_content={"title": query, "rows": rows}
        )

    async def other(query: str) -> str:
        """Something else that one may ask for."""
        return query

    server.add_tool(order_lines, meta=tags("connector:books"))
    server.add_tool(other, name="send_note", meta=tags("connector:mail"))
    for number in range(8):
        meta = tags("connector:books") if number % 2 else hr
        server.add_tool(other, name=f"look_up_{number}", meta=meta)
    return server


class Unseen:
    """A `Showing` that shows nothing."""

    has_begun = False

    def more(self) -> None:
        pass

    def step(self, step: Any) -> None:
        pass


@dataclass(slots=True)
class SilentChat:
    """A `Surface` that takes every post at once."""

    name: str = "slack"
    on_post: Callable[[Post], None] = lambda _: None

    async def offer(self, address: Any, link: Any) -> bool:
        return False

    async def progress(self, address: Any, text: str) -> None:
        pass

    async def profile(self, person: Person) -> Person:
        return person

    @asynccontextmanager
    async def showing(self, *_: Any) -> AsyncIterator[Unseen]:
        yield Unseen()

    async def deliver(self, post: Post, content: bytes | None) -> str:
        self.on_post(post)
        return f"{time.time():.6f}"

    async def fetch(self, file: Any, *, limit: int) -> bytes:
        raise NotImplementedError


class StubVectors:
    """An `EmbedDoor` without a model: the same ledger entries, and a vector at once."""

    def __init__(self, _: Any, meter: Any, __: Any) -> None:
        self.model = minilm.NAME
        self.dimensions = minilm.DIMENSIONS
        self._meter = meter

    async def embed(
        self, texts: Sequence[str], billing: Billing, deadline: float = 30.0
    ) -> list[list[float]]:
        use = self._meter.begin(billing, kind="embedding", provider="minilm", model=self.model)
        await self._meter.end(use, Usage(input_tokens=12), outcome="ok")
        return [[(len(text) % 7 + 1) / 8.0] * self.dimensions for text in texts]

    async def close(self) -> None:
        pass


class _Clients:
    """`core.llm.clients.Clients` with the scripted model in place of every provider's."""

    def __init__(self, model: Scripted) -> None:
        self._model = model

    async def of(self, _: Any) -> Scripted:
        return self._model

    async def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    rooms: Rooms
    door: Intake
    chat: SilentChat
    watch: Stopwatch


@asynccontextmanager
async def built(
    folder: Path,
    model: Scripted,
    *,
    embeds: bool = False,
    watch: Stopwatch | None = None,
    server: MCPServer[Any] | None = None,
    policy: str = POLICY,
    slack: Mapping[str, str] = NOWHERE,
    workspaces: Sequence[str] = (),
) -> AsyncIterator[Wired]:
    """The bot as `bot.wiring` builds it on the database in `folder`, with the scripted model
    and the tools of the office, or those of `server`; nothing runs until somebody runs it.

    With `embeds` questions are embedded by the offline model, else by a stub. The watch sees what
    is asked of the database. `slack` is the environment that says where Slack is, or Teams, and
    `workspaces` are the ids of those where the bot may be installed, when it is for several.
    """
    folder.mkdir(parents=True, exist_ok=True)
    read = _settings(folder, policy, slack, workspaces)
    log_to(folder.with_suffix(".log"), read.secrets())
    opened = wiring.open_database

    async def open_timed(url: str, **how: Any) -> Any:
        inner = await opened(url, **how)
        return inner if watch is None else TimedDatabase(inner, watch)

    async with AsyncExitStack() as held:
        app = await held.enter_async_context(serving(server or office()))
        servers = (Server(name="books", app=app, accept="all"),)
        with (
            patch.object(wiring, "open_database", open_timed),
            patch.object(wiring, "EmbedDoor", wiring.EmbedDoor if embeds else StubVectors),
        ):
            building = wiring.build(read, replace(config.read(read), servers=servers))
            wired = await held.enter_async_context(building)
        wired.rooms.chat._clients = _Clients(model)  # type: ignore[assignment]
        yield wired


@asynccontextmanager
async def stand(
    folder: Path,
    model: Scripted,
    *,
    embeds: bool = False,
    is_timed: bool = False,
    server: MCPServer[Any] | None = None,
    policy: str = POLICY,
) -> AsyncIterator[Stand]:
    """The bot's rooms behind their front door, with a chat that is silent."""
    watch = Stopwatch()
    timed = watch if is_timed else None
    async with built(
        folder, model, embeds=embeds, watch=timed, server=server, policy=policy
    ) as wired:
        chat, ids = SilentChat(), count(1)
        rooms = _timed(wired.rooms, watch) if is_timed else wired.rooms
        rooms.surfaces["slack"] = chat
        rooms.listeners.clear()
        await loading.load(wired.rooms)
        ids_of_turns = lambda: f"{next(ids):016x}"  # noqa: E731
        door = Intake(rooms.db, rooms.steering, rooms.catalog, time.time, ids_of_turns)
        yield Stand(rooms=rooms, door=door, chat=chat, watch=watch)


def asked(number: int, thread: str, text: str, person: str = "U1") -> Question:
    """A question as Slack's adapter hands it over."""
    ts = f"1764500000.{number:06d}"
    return Question(
        delivery=f"slack:T1/C1/{thread}.{number}",
        thread=ThreadId(f"slack:T1/C1/{thread}"),
        place=Place(surface="slack", tenant="T1", channel="C1", kind="public", name="#sales"),
        person=Person(id=PersonId(f"slack:T1/{person}"), name="Mara"),
        text=text,
        address={"team": "T1", "channel": "C1", "thread_ts": thread, "ts": ts},
        said_at=time.time(),
    )


def _settings(
    folder: Path, policy: str, slack: Mapping[str, str], workspaces: Sequence[str]
) -> settings.Settings:
    several = f"slack: {{workspaces: [{', '.join(workspaces)}]}}\n" if workspaces else ""
    (folder / "countersign.yaml").write_text(f"{policy}\n{several}")
    given = {
        "COUNTERSIGN_PORT": "0",
        "COUNTERSIGN_KEYS": KEYS,
        "COUNTERSIGN_MODEL": MODEL,
        "COUNTERSIGN_CONFIG": str(folder / "countersign.yaml"),
        "OPENAI_API_KEY": "sk-" + "t" * 40,
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        **slack,
    }
    return settings.read(given, folder=folder, is_workspace=False)


def _timed(rooms: Rooms, watch: Stopwatch) -> Rooms:
    def timed(inner: Any, **names: str) -> Any:
        return Timed(inner, watch, **names)

    return replace(
        rooms,
        catalog=timed(rooms.catalog, discover="catalog discover", call="MCP calls"),
        chat=timed(rooms.chat, ask="model door"),
        embed=timed(rooms.embed, embed="embedding"),
        index=timed(rooms.index, search="index search", add="index add"),
    )


def log_to(path: Path, secrets: Iterable[str]) -> None:
    """Every line is written as in service, to a file."""
    logs.configure(Redactor(secrets), stream=path.open("w"))
    sys.excepthook = sys.__excepthook__
