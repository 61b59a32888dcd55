"""The server of the semantic models: one tool for each, behind which its agent answers."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations

from core.errors import ModelFailed
from core.specialists.dax.client import PowerBI
from core.specialists.dax.desk import Desk, Memory
from core.specialists.dax.source import SemanticModel
from core.specialists.errand import errand
from core.specialists.server import tags
from core.specialists.sql import result
from core.specialists.sql.desk import Asked
from core.specialists.sql.periods import today
from core.specialists.sql.server import Call, Rooms, Wording

NAME = "powerbi"
_READS = ToolAnnotations(read_only_hint=True)
EXAMPLES = 12
"""Verified questions that a tool's description holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A semantic model with what reaches it."""

    source: SemanticModel
    service: PowerBI
    memory: Memory = field(default_factory=Memory)


def model_server(models: Sequence[Open], rooms: Rooms) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer(
        NAME, instructions="Answers from semantic models.", version="1", log_level="ERROR"
    )
    for one in models:
        server.add_tool(
            _tool(one, rooms),
            name=f"ask_{one.source.id}",
            description=description(one.source),
            annotations=_READS,
            meta=tags("connector:powerbi"),
        )
    return server


def description(source: SemanticModel) -> str:
    """What the orchestrating model, which knows nothing of DAX, chooses by."""
    said = (
        f"Answer a question about {source.title} from its Power BI model, with the company's agreed"
        " measures."
    )
    if source.description:
        said += f" {' '.join(source.description.split())}"
    names = ", ".join(source.tables[:EXAMPLES])
    known = " ".join(one.question for one in source.verified[:EXAMPLES])
    return (
        said
        + (f" It knows of: {names}." if names else "")
        + (f" For example: {known}" if known else "")
    )


def _tool(one: Open, rooms: Rooms) -> Callable[..., Awaitable[CallToolResult]]:
    async def ask(question: Wording, call: Call) -> CallToolResult:
        return await _answered(one, rooms, question, call)

    return ask


async def _answered(one: Open, rooms: Rooms, question: str, call: Call) -> CallToolResult:
    """Raises ToolError in plain words."""
    from core.specialists.dax.agent import answer

    try:
        ending = await answer(await _desk(one, rooms, question, call))
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


async def _desk(one: Open, rooms: Rooms, question: str, call: Call) -> Desk:
    try:
        sent = errand(call.headers)
    except ValueError as fault:
        raise ToolError(f"{fault}.") from None
    if not sent.token:
        raise ToolError(
            "No Microsoft account is connected: ask the person to connect theirs first."
        )
    zone = await rooms.zone(sent.billing.person)
    now = rooms.clock()
    told = 0

    async def progress(text: str) -> None:
        nonlocal told
        told += 1
        await call.report_progress(told, None, text)

    return Desk(
        source=one.source,
        service=one.service,
        memory=one.memory,
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
        progress=progress,
    )
