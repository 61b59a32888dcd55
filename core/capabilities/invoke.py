"""Calls one tool once: with the caller's credentials, within a deadline, with signs of life."""

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import quote

import anyio
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, PARSE_ERROR, CallToolResult, InputRequiredResult

from core.capabilities.connection import Connection
from core.capabilities.content import clean_text, size_of, take_apart
from core.capabilities.raw import OnProgress, RawResult
from core.capabilities.servers import Limits
from core.capabilities.sign_in import needed
from core.capabilities.transport import ERRAND, Errand, too_large
from core.capabilities.usage import reported
from core.errors import BadArguments, DeadlineExceeded, NotAllowed, SourceFailed, Unreached
from core.policy.rules import CHANGED
from core.records import Billing, FileId, Json, Tool

CONTEXT = "x-countersign-"
_FOR_A_PERSON = "asked for a person's input in the middle of the call, which is not supported here"
_SHORTEST_SECRET = 8


async def call(
    connection: Connection,
    tool: Tool,
    arguments: Json,
    limits: Limits,
    *,
    credentials: Mapping[str, str],
    deadline: float,
    on_progress: OnProgress,
    billing: Billing | None = None,
) -> RawResult:
    """Call the tool. `credentials` are headers for its server alone, `deadline` is in seconds;
    `billing` is told to our own servers, in headers.

    An error that the tool reports is a RawResult with `is_error`. Raises SourceFailed when the
    server did not answer as it should (Unreached when it was certainly not asked),
    DeadlineExceeded when the time ran out, NotAllowed when the tool is no longer the one that was
    offered, BadArguments for credentials that cannot be a header. Each costs this call alone.
    """
    headers = {**_headers(credentials), **_context(billing if connection.server.is_ours else None)}
    errand = Errand(connection.server.name, headers)
    signs = _Signs(tool, limits, on_progress)
    try:
        async with asyncio.timeout(deadline), signs.breaking_silence():
            outcome = await _ask(connection, tool, arguments, errand, signs)
    except TimeoutError:
        raise DeadlineExceeded(f"{tool.key} did not answer within {deadline:g} seconds") from None
    if isinstance(outcome, Exception):
        raise outcome
    # Over HTTP the wire stopped reading at the limit.
    if connection.server.command and size_of(outcome) > limits.result_bytes:
        raise SourceFailed(f"{tool.server} {too_large(limits.result_bytes)}")
    hidden = _secrets(connection, credentials)
    parts = take_apart(outcome, tool, hidden, _new_file_id)
    return RawResult(
        text=parts.text,
        structured=parts.structured,
        links=tuple(parts.links),
        files=tuple(parts.files),
        # Our own servers are metered where they ask a model.
        usage=() if connection.server.is_ours else reported(outcome.meta),
        is_error=outcome.is_error,
        # Nobody else may make people sign in with us.
        needs=needed(outcome.meta, parts.text) if connection.server.is_ours else None,
    )


async def _ask(
    connection: Connection, tool: Tool, arguments: Json, errand: Errand, signs: "_Signs"
) -> CallToolResult | Exception:
    """The result, or what to raise; a second try only where the first was certainly not carried
    out, because the server had forgotten the session."""
    for is_last in (False, True):
        outcome = await _ask_once(connection, tool, arguments, errand, signs)
        if is_last or errand.rejected != 404:
            return outcome
        errand.fault, errand.rejected, errand.has_left = "", 0, None
    raise AssertionError("unreachable")


async def _ask_once(
    connection: Connection, tool: Tool, arguments: Json, errand: Errand, signs: "_Signs"
) -> CallToolResult | Exception:
    name = connection.server.name
    try:
        live = await connection.live()
    except SourceFailed as failure:
        return Unreached(str(failure))
    listed = live.tool(tool.name)
    if listed is None:
        return Unreached(f"{name} no longer has a tool {tool.name}")
    if listed.digest != tool.digest:
        return NotAllowed(CHANGED)
    token = ERRAND.set(errand)
    try:
        result = await live.client.session.call_tool(
            tool.name, arguments, progress_callback=signs.hear, allow_input_required=True
        )
    except (MCPError, RuntimeError, ValueError) as error:
        if errand.rejected == 404:
            live.gone.set()
        kind = Unreached if errand.has_left is False else SourceFailed
        return kind(_failure(connection, tool, errand, error))
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        live.gone.set()
        return SourceFailed(f"{name} broke off while {tool.name} was at work")
    finally:
        ERRAND.reset(token)
    if isinstance(result, InputRequiredResult):
        return SourceFailed(f"{name} {_FOR_A_PERSON}")
    return result


def _failure(connection: Connection, tool: Tool, errand: Errand, error: Exception) -> str:
    name = connection.server.name
    if errand.fault:
        return f"{name} {errand.fault}"
    if isinstance(error, MCPError):
        if error.code == PARSE_ERROR:
            return f"{name} answered with something that is not MCP"
        if error.code == CONNECTION_CLOSED:
            return f"{name} broke off while {tool.name} was at work"
        message = " ".join(clean_text(error.message, _secrets(connection, errand.headers)).split())
        return f"{name} refused the call of {tool.name}: {message[:300]}"
    if isinstance(error, RuntimeError):
        return f"{name} answered {tool.name} with a result that does not fit its own declaration"
    return connection.sentence(errand, error)


class _Signs:
    """The signs of life of one call: what the server says of its progress, and after some silence
    that it is still at work."""

    def __init__(self, tool: Tool, limits: Limits, on_progress: OnProgress) -> None:
        self._tool = tool
        self._limits = limits
        self._show = on_progress
        self._shown_at = asyncio.get_running_loop().time()
        self._has_spoken = False

    async def hear(self, progress: float, total: float | None, message: str | None) -> None:
        """The SDK's callback for a progress notification."""
        now = asyncio.get_running_loop().time()
        if self._has_spoken and now - self._shown_at < self._limits.progress_every:
            return
        self._has_spoken, self._shown_at = True, now
        said = " ".join(clean_text(message or "").split())[:150]
        count = f"{progress:g} of {total:g}" if total else f"{progress:g}"
        await self._show(f"{self._tool.name}: {said or count}")

    @asynccontextmanager
    async def breaking_silence(self) -> AsyncGenerator[None]:
        """Say now and then, while the block is at work, that it is. Most calls are over before
        there is anything to say, and cost no task for it."""
        async with asyncio.TaskGroup() as group:
            speaking: list[asyncio.Task[None]] = []

            def begin() -> None:
                speaking.append(group.create_task(self._break_silence()))

            waiting = asyncio.get_running_loop().call_later(self._limits.progress_after, begin)
            try:
                yield
            finally:
                waiting.cancel()
                for task in speaking:
                    task.cancel()

    async def _break_silence(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            rest = self._shown_at + self._limits.progress_after - loop.time()
            if rest > 0:
                await asyncio.sleep(rest)
                continue
            self._shown_at = loop.time()
            await self._show(f"{self._tool.name} is still at work")


def _headers(credentials: Mapping[str, str]) -> dict[str, str]:
    """The credentials as headers. What cannot be one would break the client for everybody."""
    for name, value in credentials.items():
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            raise BadArguments("a credential's header has a name that is none")
        if name.casefold().startswith((CONTEXT, "mcp-")) or name.casefold() in _OWN_HEADERS:
            raise BadArguments(f"the header {name} is not a credential")
        if not value.isascii() or not value.isprintable():
            raise BadArguments(f"the credential in {name} is not printable ASCII")
    return dict(credentials)


_OWN_HEADERS = ("host", "content-type", "content-length", "accept", "transfer-encoding")


def _context(billing: Billing | None) -> dict[str, str]:
    """For whom one of our own servers works: it asks models through the metered door itself."""
    if billing is None:
        return {}
    values = {
        "turn": billing.turn,
        "thread": billing.thread,
        "person": billing.person,
        "place": billing.place,
        "round": str(billing.round),
        "purpose": billing.purpose,
        "tool": billing.tool,
    }
    return {f"{CONTEXT}{name}": quote(value, safe=":/. _-") for name, value in values.items()}


def _secrets(connection: Connection, credentials: Mapping[str, str]) -> tuple[str, ...]:
    """What is taken out of whatever comes back: the secret parts of the headers and of the
    environment that the server was given. A server may repeat them, in an error or in a result,
    and a result goes into a prompt."""
    server = connection.server
    given = (*credentials.values(), *server.headers.values(), *server.env.values())
    parts = [part for value in given for part in (value, *value.split())]
    return tuple(sorted({p for p in parts if len(p) >= _SHORTEST_SECRET}, key=len, reverse=True))


def _new_file_id() -> FileId:
    return FileId(f"file_{secrets.token_hex(16)}")
