"""The server of the SQL sources: one tool for each, behind which its agent answers."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from core.errors import ModelFailed
from core.ports import Clock
from core.records import PersonId
from core.specialists.errand import Ask, errand
from core.specialists.server import tags
from core.specialists.sql import result
from core.specialists.sql.desk import Asked, Desk, Discovery, Profiles, Progress
from core.specialists.sql.engine import Engine
from core.specialists.sql.periods import today
from core.specialists.sql.source import Source
from core.specialists.sql.values import Values

NAME = "sources"
Call = Context[Any, Any]
Wording = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2_000,
        description="The whole question in words, with the names, periods and conditions as the"
        " person gave them, and what earlier questions of the thread say of it. No SQL.",
    ),
]
_READS = ToolAnnotations(read_only_hint=True)
TABLES = 12
"""Names of tables that a tool's description holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A source with what reaches it."""

    source: Source
    engine: Engine
    values: Values
    profiles: Profiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """What every question works with."""

    ask: Ask | None
    """None with the demo model: then verified queries alone are answered."""
    clock: Clock
    zone: Callable[[PersonId], Awaitable[str]]
    """The time zone of a person, as an IANA name."""
    seconds: float = 55.0
    """That an answer may take."""
    discovery: Discovery = "progressive"


def source_server(sources: Sequence[Open], rooms: Rooms) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer(
        NAME, instructions="Answers from databases.", version="1", log_level="ERROR"
    )
    for one in sources:
        server.add_tool(
            _tool(one, rooms),
            name=f"ask_{one.source.id}",
            description=description(one.source),
            annotations=_READS,
            meta=tags(f"connector:{one.source.id}"),
        )
    return server


def description(source: Source) -> str:
    """What the orchestrating model, which knows nothing of SQL, chooses by."""
    about = " ".join(source.description.split())
    said = f"Look up {source.title} in their database{f': {about}' if about else '.'}"
    names = ", ".join(table.name for table in source.tables[:TABLES])
    known = [one.question for one in source.verified[:TABLES]]
    said += f" Tables: {names}." if names else ""
    return said + (f" For example: {' '.join(known)}" if known else "")


def _tool(one: Open, rooms: Rooms) -> Callable[..., Awaitable[CallToolResult]]:
    async def ask(question: Wording, call: Call) -> CallToolResult:
        return await answered(one, rooms, question, call)

    return ask


async def answered(
    one: Open,
    rooms: Rooms,
    question: str,
    call: Call,
    remarks: Mapping[str, tuple[str, ...]] | None = None,
) -> CallToolResult:
    """Raises ToolError in plain words."""
    from core.specialists.sql.agent import answer

    desk = await _desk(one, rooms, question, call, remarks or {})
    try:
        ending = await answer(desk)
    except ModelFailed as failure:
        raise ToolError(f"The query could not be written: {failure}.") from None
    if ending.brought is not None:
        return CallToolResult(
            content=[TextContent(text=result.text(ending.brought))],
            structured_content=result.structured(ending.brought),
        )
    if ending.question:
        text = f"No query was run yet. Ask the person: {ending.question}"
        return CallToolResult(content=[TextContent(text=text)])
    raise ToolError(f"No answer from {one.source.title}: {ending.refusal}")


async def _desk(
    one: Open,
    rooms: Rooms,
    question: str,
    call: Call,
    remarks: Mapping[str, tuple[str, ...]],
) -> Desk:
    try:
        sent = errand(call.headers)
    except ValueError as fault:
        raise ToolError(f"{fault}.") from None
    zone = await rooms.zone(sent.billing.person)
    now = rooms.clock()
    return Desk(
        source=one.source,
        engine=one.engine,
        values=one.values,
        asked=Asked(
            question=question,
            billing=sent.billing,
            token=sent.token,
            today=today(now, zone),
            time_zone=zone,
            ends=now + rooms.seconds,
        ),
        clock=rooms.clock,
        ask=rooms.ask,
        discovery=rooms.discovery,
        progress=_progress(call),
        remarks=remarks,
        profiles=one.profiles.of(sent.billing.person, now),
    )


def _progress(call: Call) -> Progress:
    told = 0

    async def progress(text: str) -> None:
        nonlocal told
        told += 1
        await call.report_progress(told, None, text)

    return progress
