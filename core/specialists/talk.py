"""What a specialist that writes queries and its model say to each other."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, cast

from core.records import Json, ModelMessage, ModelReply, ToolCall, ToolSchema
from core.specialists.flow import MODEL_CALLS, REFINEMENTS

PICKED = 8
"""Tables that are looked at together."""

Update = dict[str, Any]
"""What a step changes of the work."""


class Tried(Protocol):
    """The state of the graph, as far as a query that was not taken is concerned."""

    @property
    def vouched(self) -> object | None:
        """The verified query that is being answered."""
        ...

    @property
    def tries(self) -> int: ...

    @property
    def spent(self) -> int:
        """Model calls."""
        ...

    @property
    def messages(self) -> tuple[ModelMessage, ...]:
        """The last one wrote the query."""
        ...


class Tools(NamedTuple):
    """What the model can do."""

    pick: ToolSchema
    write: ToolSchema
    give_up: ToolSchema


def tools(language: str, *, shows: str, runs: str, lacks: str) -> Tools:
    """`language` names the argument that holds the query; the others are the three things that can
    be done, in words."""
    names = {"type": "array", "items": {"type": "string"}, "description": "Names as listed."}
    return Tools(
        pick=_tool("look_at_tables", shows, {"tables": names}),
        write=_tool("run_query", runs, {language: {"type": "string"}}),
        give_up=_tool("cannot_answer", lacks, {"reason": {"type": "string"}}),
    )


def opening(house: str, question: str) -> tuple[ModelMessage, ModelMessage]:
    return ModelMessage(role="system", text=house), said(question)


def said(text: str) -> ModelMessage:
    return ModelMessage(role="user", text=text)


def shown(call: ToolCall, text: str) -> ModelMessage:
    """Further tables, as they were asked for."""
    return ModelMessage(role="tool", text=text or "There are no such tables.", call_id=call.id)


def called(reply: ModelReply) -> ToolCall | None:
    return next(iter(reply.message.calls), None)


def tables(call: ToolCall | None) -> list[str]:
    """The tables that the call names; nobody knows yet whether there are such."""
    names = call.arguments.get("tables") if call is not None else None
    return [str(name) for name in cast("list[object]", names)] if isinstance(names, list) else []


def reason(call: ToolCall) -> str:
    return str(call.arguments.get("reason", ""))


def refused(sentence: str) -> Update:
    return {"ended": "refused", "sentence": " ".join(sentence.split()) or "No query was written."}


def again(work: Tried, fault: str, candidates: Sequence[str] = ()) -> Update:
    """Back to the model with what went wrong, or the end where it had its tries."""
    hint = f" Did you mean {', '.join(candidates[:5])}?" if candidates else ""
    if work.vouched is not None:
        return refused(f"The verified query could not be run: {fault}")
    if work.tries > REFINEMENTS or work.spent >= MODEL_CALLS:
        return refused(f"No query could be written that runs: {fault}")
    call = work.messages[-1].calls[0]
    told = ModelMessage(
        role="tool", text=f"Not taken: {fault}{hint}", call_id=call.id, is_error=True
    )
    return {"messages": (*work.messages, told)}


def without_a_model(language: str, place: str, questions: Sequence[str]) -> str:
    """Why the demo model does not answer this, and what it does answer."""
    why = f"The demo model writes no {language}: it answers from verified queries alone."
    if not questions:
        return f"{why} This {place} has none."
    return f"{why} They are: " + " / ".join(questions[:10])


def _tool(name: str, description: str, properties: Json) -> ToolSchema:
    return ToolSchema(
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    )
