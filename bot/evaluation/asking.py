"""The ways to a model while questions are graded: asked for real, recorded, or replayed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import Misconfigured, ModelFailed
from core.records import Billing, ModelMessage, ModelReply, ToolCall, ToolSchema, Usage
from core.specialists.errand import Ask

SCRIPTED = "scripted"
"""The model of recordings that somebody wrote: they test the path, not a model's quality."""
CHARACTERS_PER_TOKEN = 4
Reply = Mapping[str, Any]


@dataclass(slots=True, kw_only=True)
class Counted:
    """What one question cost: rounds and tokens, whoever answered."""

    ask: Ask
    rounds: int = 0
    tokens: int = 0
    replies: list[Reply] = field(default_factory=list[Reply])
    """What was said, as recordings hold it."""

    async def __call__(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        billing: Billing,
        deadline: float,
    ) -> ModelReply:
        reply = await self.ask(messages, tools, billing, deadline)
        self.rounds += 1
        self.tokens += reply.usage.input_tokens + reply.usage.output_tokens
        self.replies.append(
            {
                "text": reply.message.text,
                "calls": [
                    {"name": call.name, "arguments": call.arguments} for call in reply.message.calls
                ],
            }
        )
        return reply


@dataclass(slots=True)
class Replayed:
    """`Ask` that says what was recorded for one question, in order. What the path does not ask
    for any more (a choice among tables that is not offered) is passed over."""

    replies: Sequence[Reply]
    model: str
    next: int = 0

    async def __call__(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        billing: Billing,
        deadline: float,
    ) -> ModelReply:
        offered = {tool.name for tool in tools}
        while self.next < len(self.replies):
            said = self.replies[self.next]
            self.next += 1
            calls = tuple(
                ToolCall(id=f"call_{at}", name=call["name"], arguments=call["arguments"])
                for at, call in enumerate(said.get("calls", ()))
            )
            if all(call.name in offered for call in calls):
                message = ModelMessage(role="assistant", text=said.get("text", ""), calls=calls)
                usage = estimated(messages, tools, message)
                finish = "tools" if calls else "stop"
                return ModelReply(message=message, usage=usage, finish=finish, model=self.model)
        raise ModelFailed("rejected", "the recording ends here")


def estimated(
    messages: Sequence[ModelMessage], tools: Sequence[ToolSchema], said: ModelMessage
) -> Usage:
    """Tokens by length: a recording's own were counted for other words."""
    asked = sum(_length(one) for one in messages)
    asked += sum(len(tool.description) + len(json.dumps(tool.parameters)) for tool in tools)
    return Usage(
        input_tokens=-(-asked // CHARACTERS_PER_TOKEN),
        output_tokens=-(-_length(said) // CHARACTERS_PER_TOKEN),
    )


def read(path: Path) -> tuple[str, Mapping[str, Sequence[Reply]]]:
    """The model of a recording, and its replies by the question's id. Raises `Misconfigured`."""
    try:
        held: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return str(held["model"]), held["replies"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Misconfigured(f"{path} is no recording: {error}") from error


def write(path: Path, model: str, replies: Mapping[str, Sequence[Reply]]) -> None:
    """Raises `Misconfigured` where it cannot be written."""
    held = {"model": model, "replies": replies}
    try:
        path.write_text(json.dumps(held, ensure_ascii=False, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise Misconfigured(f"{path} cannot be written: {error.strerror}.") from error


def _length(message: ModelMessage) -> int:
    return len(message.text) + sum(
        len(call.name) + len(json.dumps(call.arguments)) for call in message.calls
    )
