"""The spans of a trace: what happens on the way from a delivery to its answer, as it is timed.

A span carries ids, names, sizes and durations, under the names of OpenTelemetry's conventions for
generative AI where they have one. What a person, a model or a tool wrote has no name here, so it
cannot be set. Until `install` was called a span costs nothing and nothing of OpenTelemetry is
loaded.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal, Protocol, Self, get_args

from core.records import LedgerEntry, Turn

Key = Literal[
    "countersign.ahead",
    "countersign.attempt",
    "countersign.call",
    "countersign.outcome",
    "countersign.post",
    "countersign.rounds",
    "countersign.size",
    "countersign.thread",
    "countersign.turn",
    "error.type",
    "gen_ai.agent.name",
    "gen_ai.conversation.id",
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "gen_ai.tool.call.id",
    "gen_ai.tool.name",
    "gen_ai.tool.type",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "http.request.method",
    "http.response.status_code",
    "http.route",
]
"""All that a span can carry."""
Attributes = Mapping[Key, str | int | float]
Kind = Literal["internal", "server", "client", "producer", "consumer"]

LONGEST = 200
"""Characters of one value."""
_KEYS = frozenset(get_args(Key))
_PARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")


class Span(Protocol):
    """A stretch that is being timed."""

    def set(self, attributes: Attributes) -> None: ...

    def failed(self, kind: str) -> None:
        """It did not come to what it was for. `kind` is a word of ours, never a message."""
        ...


class _Nothing:
    """The span of a process that traces nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def set(self, attributes: Attributes) -> None:
        pass

    def failed(self, kind: str) -> None:
        pass


NOTHING: AbstractContextManager[Span] = _Nothing()
"""A span that is not one."""
_tracer: Any = None
"""An `opentelemetry.trace.Tracer`, one for the process like its log."""
_clean: Callable[[str], str] = str


def install(tracer: Any, clean: Callable[[str], str]) -> None:
    """From now on spans go to this tracer (None: nowhere), their texts through `clean`."""
    global _tracer, _clean
    _tracer, _clean = tracer, clean


def span(
    name: str, attributes: Attributes | None = None, *, kind: Kind = "internal", parent: str = ""
) -> AbstractContextManager[Span]:
    """Time the block. It lies inside the span that is open in this task, or inside `parent`,
    which `carried` gave, perhaps in a process that is gone. An exception that leaves the block
    marks the span with its type alone."""
    if _tracer is None:
        return NOTHING
    return _Timed(name, attributes or {}, kind, parent)


def turn(turn: Turn) -> AbstractContextManager[Span]:
    """The span of one try of a turn, inside the delivery that asked for it."""
    if _tracer is None:
        return NOTHING
    agent = turn.agent or "countersign"
    attributes: Attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
        "gen_ai.conversation.id": turn.question.thread,
        "gen_ai.request.model": turn.model,
        "countersign.turn": turn.id,
        "countersign.attempt": turn.attempt,
    }
    return _Timed(f"invoke_agent {agent}", attributes, "consumer", turn.question.trace)


def tool_call(tool: str, id: str, turn: str) -> AbstractContextManager[Span]:
    """The span of one tool call; `tool` is its key, empty where there is no such tool."""
    if _tracer is None:
        return NOTHING
    attributes: Attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": id,
        "gen_ai.tool.type": "function",
        "countersign.turn": turn,
    }
    return _Timed(f"execute_tool {tool}".strip(), attributes, "internal", "")


def model_used(entry: LedgerEntry) -> None:
    """The span of a metered use that is over."""
    if _tracer is None or entry.is_reported:
        return
    operation = "embeddings" if entry.kind == "embedding" else entry.kind
    attributes: Attributes = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": entry.provider,
        "gen_ai.request.model": entry.model,
        "gen_ai.response.model": entry.model,
        "gen_ai.usage.input_tokens": entry.usage.input_tokens,
        "gen_ai.usage.output_tokens": entry.usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": entry.usage.cached_tokens,
        "countersign.turn": entry.billing.turn,
        "countersign.attempt": entry.attempt,
        "countersign.outcome": entry.outcome,
    }
    timed = _Timed(f"{operation} {entry.model}", attributes, "client", "", entry.started_at)
    with timed:
        if entry.outcome not in ("ok", "length"):
            timed.failed(entry.outcome)
        timed.ends = entry.started_at + entry.seconds


def carried() -> str:
    """The open span as W3C's `traceparent`, to go on from elsewhere; empty where nothing is
    traced."""
    if _tracer is None:
        return ""
    from opentelemetry import trace

    here = trace.get_current_span().get_span_context()
    if not here.is_valid:
        return ""
    return f"00-{here.trace_id:032x}-{here.span_id:016x}-{here.trace_flags:02x}"


def trace_id() -> str:
    """The open trace's id, for the log; empty where nothing is traced."""
    return carried()[3:35]


class _Timed:
    """An OpenTelemetry span that is the current one for as long as its block lasts."""

    def __init__(
        self, name: str, attributes: Attributes, kind: Kind, parent: str, began: float | None = None
    ) -> None:
        self._name = name
        self._attributes = attributes
        self._kind = kind
        self._parent = parent
        self._began = began
        self._span: Any = None
        self._token: Any = None
        self.ends: float | None = None
        """When it ended, where that was not just now."""

    def __enter__(self) -> Self:
        from opentelemetry import context, trace

        self._span = _tracer.start_span(
            _said(self._name),
            context=_remote(self._parent),
            kind=trace.SpanKind[self._kind.upper()],
            attributes=_told(self._attributes),
            start_time=None if self._began is None else int(self._began * 1e9),
        )
        self._token = context.attach(trace.set_span_in_context(self._span))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        from opentelemetry import context

        if kind is not None:
            self.failed(kind.__name__)
        context.detach(self._token)
        self._span.end(end_time=None if self.ends is None else int(self.ends * 1e9))

    def set(self, attributes: Attributes) -> None:
        self._span.set_attributes(_told(attributes))

    def failed(self, kind: str) -> None:
        from opentelemetry.trace import StatusCode

        self._span.set_attributes(_told({"error.type": kind}))
        self._span.set_status(StatusCode.ERROR)


def _told(attributes: Attributes) -> dict[str, str | int | float]:
    """The types say which names there are; this net is for what gets around them."""
    return {
        key: _said(value) if isinstance(value, str) else value
        for key, value in attributes.items()
        if key in _KEYS
    }


def _said(text: str) -> str:
    return _clean(text)[:LONGEST]


def _remote(parent: str) -> Any:
    """The OpenTelemetry context that `parent` names; None, which is this task's, for none."""
    found = _PARENT.fullmatch(parent)
    if found is None:
        return None
    from opentelemetry import trace

    trace_id, span_id, flags = (int(part, 16) for part in found.groups())
    here = trace.SpanContext(trace_id, span_id, is_remote=True, trace_flags=trace.TraceFlags(flags))
    return trace.set_span_in_context(trace.NonRecordingSpan(here))
