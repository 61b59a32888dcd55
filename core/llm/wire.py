"""The translation between our records and LangChain's messages."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from core.llm.models import Dialect
from core.records import Json, ModelMessage, ToolCall, ToolSchema, Usage

if TYPE_CHECKING:
    from langchain_core.messages import AIMessageChunk, BaseMessage


_IMAGES = ((b"\xff\xd8", "image/jpeg"), (b"GIF8", "image/gif"), (b"RIFF", "image/webp"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What one answer stream has said so far."""

    text: str
    calls: tuple[ToolCall, ...]
    usage: Usage | None
    """None where the provider has not reported any."""
    finish: str
    """The provider's own word; empty when the stream ended without one."""
    model: str
    size: int
    """Bytes of its words and of the arguments of its calls."""


def to_langchain(
    messages: Sequence[ModelMessage], dialect: Dialect, *, has_tools: bool
) -> "list[BaseMessage]":
    """The conversation as LangChain takes it.

    Anthropic takes one system text, ahead of everything: later ones (a skill) are appended to it.
    It also refuses calls and results in a request that defines no tools, which the last call of a
    turn is: there they are told in words.
    """
    from langchain_core.messages import SystemMessage

    if dialect != "anthropic":
        return [_message(m) for m in messages]
    system = "\n\n".join(m.text for m in messages if m.role == "system" and m.text)
    rest = [m for m in messages if m.role != "system"]
    spoken = [_message(m if has_tools else _told(m)) for m in rest]
    return [SystemMessage(system), *spoken] if system else spoken


def _told(message: ModelMessage) -> ModelMessage:
    """The message without any call or result block, for a request without tools."""
    if message.role == "tool":
        kind = "failed" if message.is_error else "came back"
        return ModelMessage(role="user", text=f"(a tool call {kind})\n{message.text}")
    if not message.calls:
        return message
    calls = "\n".join(f"(called {c.name} with {json.dumps(c.arguments)})" for c in message.calls)
    return ModelMessage(role=message.role, text=f"{message.text}\n{calls}".strip())


def tool_schemas(tools: Sequence[ToolSchema]) -> list[Json]:
    """The tools as `bind_tools` of every LangChain chat model takes them."""
    return [
        {
            "type": "function",
            "function": {
                "name": t.name,
                "description": t.description,
                "parameters": t.parameters,
            },
        }
        for t in tools
    ]


def heard(chunks: "Sequence[AIMessageChunk]") -> Heard:
    """What the chunks of one stream say together.

    Finish reason, model and usage are taken from the last chunk that has them: LangChain's own
    sum joins repeated words ("stopstop") and adds up usage that some servers send cumulatively.
    """
    finish = model = ""
    usage: Usage | None = None
    for chunk in chunks:
        facts = cast("dict[str, Any]", chunk.response_metadata)
        finish = _finish(facts) or finish
        model = str(facts.get("model_name") or model)
        if chunk.usage_metadata is not None:
            usage = _usage(cast("dict[str, Any]", chunk.usage_metadata))
    whole = chunks[0] + list(chunks[1:]) if chunks else None
    text = "" if whole is None else str(whole.text)
    pieces = [] if whole is None else cast("list[dict[str, Any]]", whole.tool_call_chunks)
    made = [text, *(str(piece.get("args") or "") for piece in pieces)]
    return Heard(
        text=text,
        calls=_calls(pieces),
        size=sum(len(one.encode("utf-8", "replace")) for one in made),
        usage=usage,
        finish=finish,
        model=model,
    )


def _finish(facts: dict[str, Any]) -> str:
    """Why the answer ended: in the words of chat completions, of Anthropic's messages, or of the
    Responses API, which has a status and tells the reason only of an incomplete one."""
    if found := facts.get("finish_reason") or facts.get("stop_reason"):
        return str(found)
    if facts.get("status") == "incomplete":
        details = cast("dict[str, Any]", facts.get("incomplete_details") or {})
        return str(details.get("reason") or "length")
    return "stop" if facts.get("status") == "completed" else ""


def _message(message: ModelMessage) -> "BaseMessage":
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    match message.role:
        case "system":
            return SystemMessage(message.text)
        case "user":
            if not message.images:
                return HumanMessage(message.text)
            return HumanMessage([{"type": "text", "text": message.text}, *_seen(message.images)])
        case "assistant":
            return AIMessage(
                content=message.text,
                tool_calls=[
                    {"type": "tool_call", "id": c.id, "name": c.name, "args": c.arguments}
                    for c in message.calls
                ],
            )
        case "tool":
            return ToolMessage(
                content=message.text,
                tool_call_id=message.call_id,
                status="error" if message.is_error else "success",
            )


def _seen(images: Sequence[bytes]) -> "list[str | dict[str, Any]]":
    """Pictures as LangChain's own content blocks."""
    return [
        {
            "type": "image",
            "base64": base64.b64encode(image).decode(),
            "mime_type": _kind(image),
        }
        for image in images
    ]


def _kind(image: bytes) -> str:
    return next((kind for mark, kind in _IMAGES if image.startswith(mark)), "image/png")


def _calls(pieces: list[dict[str, Any]]) -> tuple[ToolCall, ...]:
    """The calls, each with an id of its own.

    The raw argument text is read strictly. LangChain completes cut JSON by guessing, and would
    run a tool with half its arguments.
    """
    calls: list[ToolCall] = []
    taken: set[str] = set()
    for number, piece in enumerate(pieces, start=1):
        name = str(piece.get("name") or "")
        id = str(piece.get("id") or "")
        if not id or id in taken:
            id = f"call_{number}"
        taken.add(id)
        arguments, fault = _arguments(str(piece.get("args") or ""))
        if not name:
            fault = fault or "the call names no tool"
        calls.append(ToolCall(id=id, name=name, arguments=arguments, fault=fault))
    return tuple(calls)


def _arguments(raw: str) -> tuple[Json, str]:
    if not raw.strip():
        return {}, ""
    try:
        value: object = json.loads(raw)
    except ValueError as error:
        return {}, f"the arguments are not valid JSON: {error}"
    if not isinstance(value, dict):
        return {}, "the arguments are not a JSON object"
    return cast(Json, value), ""


def _usage(metadata: dict[str, Any]) -> Usage:
    """LangChain's usage in our units. Priced tiers and cache lifetimes arrive as prefixes of the
    same words (`flex_cache_read`, `ephemeral_5m_input_tokens`)."""
    taken: dict[str, int] = metadata.get("input_token_details") or {}
    made: dict[str, int] = metadata.get("output_token_details") or {}
    return Usage(
        input_tokens=metadata.get("input_tokens") or 0,
        output_tokens=metadata.get("output_tokens") or 0,
        cached_tokens=_sum(taken, "cache_read"),
        cache_write_tokens=_sum(taken, "cache_creation") + _sum(taken, "_input_tokens"),
        reasoning_tokens=_sum(made, "reasoning"),
    )


def _sum(parts: dict[str, int], ending: str) -> int:
    return sum(count or 0 for name, count in parts.items() if name.endswith(ending))
