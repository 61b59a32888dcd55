"""The nodes of the loop: ask the model, perform its calls side by side, ask for words alone."""

import asyncio
import operator
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypedDict, cast

from core.errors import ModelFailed
from core.records import Json, ModelMessage, ModelReply, ToolCall, ToolSchema
from core.storage.notes import CallOutcome

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

ROUNDS = 4
"""How often a turn may go from the model to tools and back."""
CALLS_OF_A_ROUND = 16
"""More calls than this in one round are answered with an error instead of performed."""


class State(TypedDict):
    """What a checkpoint holds: plain JSON values of the active turn, never anything live."""

    messages: Annotated[list[Json], operator.add]
    rounds: int
    evidence: int
    """How many evidence numbers were given out."""
    finish: str
    calls: Annotated[list[Json], operator.add]
    """How each call went, without what it was about: see `CallResult`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """A performed call as the prompt shows it: already cut, already numbered."""

    text: str
    is_error: bool
    outcome: CallOutcome = "failed"
    tool: str = ""
    """`server/tool`; empty where there is none of that name."""
    number: int = 0
    """Of its evidence."""
    began: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How the loop ended: the model's words, and `stop` or `length`."""

    text: str
    finish: str
    rounds: int
    messages: Sequence[Json] = ()
    """All of the turn's messages, from the question on: see `from_json`."""
    calls: Sequence[Json] = ()
    """All of its calls, in the order of the messages: see `State.calls`."""


class Ask(Protocol):
    """One metered model call of this turn. Raises `ModelFailed`."""

    async def __call__(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        *,
        round: int,
        purpose: str,
    ) -> ModelReply: ...


class Frame(Protocol):
    """Put the active turn's messages into the whole prompt; `is_tight` for a small context."""

    def __call__(
        self, active: Sequence[ModelMessage], *, is_tight: bool, is_last: bool
    ) -> list[ModelMessage]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """What the nodes reach in one turn. Travels as run context, which no checkpoint stores."""

    ask: Ask
    frame: Frame
    perform: Callable[[ToolCall, int, int], Coroutine[Any, Any, CallResult]]
    """(call, evidence number, round) → result. Tool failures come back as a result."""
    tools: tuple[ToolSchema, ...]
    progress: Callable[[Sequence[ToolCall]], Awaitable[None]]


async def agent(state: State, runtime: "Runtime[Live]") -> dict[str, Any]:
    """Ask with tools: the reply either calls some or is the answer."""
    reply = await _ask(state, runtime.context, tools=runtime.context.tools)
    return {"messages": [as_json(reply.message)], "finish": reply.finish}


async def tools(state: State, runtime: "Runtime[Live]") -> dict[str, Any]:
    """Perform the calls of the round side by side; the results keep the order of the calls."""
    live = runtime.context
    calls = from_json(state["messages"][-1]).calls
    round_number = state["rounds"] + 1
    await live.progress(calls[:CALLS_OF_A_ROUND])
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(live.perform(call, state["evidence"] + place, round_number))
            for place, call in enumerate(calls[:CALLS_OF_A_ROUND], start=1)
        ]
    results = [task.result() for task in tasks]
    results += [_TOO_MANY] * (len(calls) - len(results))
    return {
        "messages": [
            as_json(
                ModelMessage(
                    role="tool", text=result.text, call_id=call.id, is_error=result.is_error
                )
            )
            for call, result in zip(calls, results, strict=True)
        ],
        "rounds": round_number,
        "evidence": state["evidence"] + len(calls),
        "calls": [_went(result, round_number) for result in results],
    }


async def last(state: State, runtime: "Runtime[Live]") -> dict[str, Any]:
    """Ask once more without tools, so that the turn ends in words."""
    reply = await _ask(state, runtime.context, tools=())
    return {"messages": [as_json(reply.message)], "finish": reply.finish}


def _went(result: CallResult, round_number: int) -> Json:
    return {
        "round": round_number,
        "outcome": result.outcome,
        "tool": result.tool,
        "number": result.number,
        "began": result.began,
        "seconds": result.seconds,
    }


def after_agent(state: State) -> str:
    """`tools` while the model calls some, `end` when it answered, `last` when it said nothing."""
    message = from_json(state["messages"][-1])
    if message.calls:
        return "tools"
    return "end" if message.text.strip() else "last"


def after_tools(state: State) -> str:
    return "agent" if state["rounds"] < ROUNDS else "last"


def as_json(message: ModelMessage) -> Json:
    return {
        "role": message.role,
        "text": message.text,
        "calls": [asdict(call) for call in message.calls],
        "call_id": message.call_id,
        "is_error": message.is_error,
    }


def from_json(value: Json) -> ModelMessage:
    return ModelMessage(
        role=value["role"],
        text=value["text"],
        calls=tuple(ToolCall(**call) for call in cast(list[Json], value["calls"])),
        call_id=value["call_id"],
        is_error=value["is_error"],
    )


_TOO_MANY = CallResult(
    text=f"Not called: one round takes at most {CALLS_OF_A_ROUND} calls.", is_error=True
)


async def _ask(state: State, live: Live, *, tools: Sequence[ToolSchema]) -> ModelReply:
    active = [from_json(value) for value in state["messages"]]
    is_last = not tools
    purpose = "last_call" if is_last and state["rounds"] else "answer"
    number = state["rounds"] + 1

    async def ask(*, is_tight: bool) -> ModelReply:
        messages = live.frame(active, is_tight=is_tight, is_last=is_last)
        return await live.ask(messages, tools, round=number, purpose=purpose)

    try:
        return await ask(is_tight=False)
    except ModelFailed as failure:
        if failure.kind != "context_overflow":
            raise
    # The provider refused the prompt for its length and billed nothing: once more, with less.
    return await ask(is_tight=True)
