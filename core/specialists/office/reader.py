"""For whom a reading tool works: the token and the person in the headers of its call."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import unquote

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ResourceLink, TextContent

from core.connectors.failures import GraphFailed, reason, sign_in
from core.connectors.graph import Graph
from core.connectors.request import Request, objects
from core.connectors.scopes import READING
from core.errors import BadArguments, NeedsAccount
from core.records import Json, PersonId
from core.specialists.server import SIGN_IN

Call = Context[Any, Any]
Tool = Callable[..., Awaitable[CallToolResult]]
_NOT_CONNECTED = "No Microsoft account is connected: ask the person to connect theirs first."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    graph: Graph
    zone: Callable[[PersonId], Awaitable[str]]
    """The time zone of a person, as an IANA name."""

    async def ask(self, call: Call, tool: str, request: Request) -> Json:
        """What Graph answers to the person of this call. Raises ToolError in plain words, and
        NeedsAccount where it no longer takes the sign-in."""
        try:
            return (await self.graph.ask(token(call), request)).body
        except GraphFailed as failure:
            raise _refusal(failure, tool) from None

    async def items(self, call: Call, tool: str, request: Request, most: int) -> list[Json]:
        try:
            return await self.graph.items(token(call), request, most)
        except GraphFailed as failure:
            raise _refusal(failure, tool) from None

    async def values(self, call: Call, tool: str, request: Request) -> list[Json]:
        """The list in a single answer."""
        return objects((await self.ask(call, tool, request)).get("value"))

    async def zone_of(self, call: Call) -> str:
        person = unquote((call.headers or {}).get("x-countersign-person", ""))
        return await self.zone(PersonId(person)) if person else "UTC"


def token(call: Call) -> str:
    """Raises ToolError where the host sent none."""
    scheme, _, value = (call.headers or {}).get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not value:
        raise ToolError(_NOT_CONNECTED)
    return value


def telling(tool: Tool) -> Tool:
    """The tool with a sign-in that is missing told to the host, which leads the person to it; no
    sentence of ours could."""

    @wraps(tool)
    async def told(*given: Any, **named: Any) -> CallToolResult:
        try:
            return await tool(*given, **named)
        except NeedsAccount as missing:
            asked: Json = {"scopes": list(missing.scopes), "claims": missing.claims}
            return CallToolResult(
                content=[TextContent(text=str(missing))], is_error=True, _meta={SIGN_IN: asked}
            )

    return told


def _refusal(failure: GraphFailed, tool: str) -> Exception:
    if failure.status == 401:
        return sign_in(failure, READING[tool])
    return ToolError(reason(failure, READING[tool]))


def refused(fault: BadArguments) -> ToolError:
    return ToolError(f"{fault}.")


def table(title: str, rows: list[Json], links: list[tuple[str, str]]) -> CallToolResult:
    """The rows as a Markdown table, with the places where they can be looked at."""
    lines = [title]
    if rows:
        names = list(rows[0])
        lines += ["", f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
        lines += [f"| {' | '.join(_cell(row[name]) for name in names)} |" for row in rows]
    return CallToolResult(
        content=[
            TextContent(text="\n".join(lines)),
            *(ResourceLink(name=name or "source", uri=uri) for name, uri in links if uri),
        ],
        structured_content={"rows": rows},
    )


def _cell(value: object) -> str:
    return " ".join(str(value).replace("|", "¦").split())
