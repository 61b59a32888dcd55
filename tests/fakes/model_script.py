"""The steps that the fake model server can be told to take."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Tokens of one request, in the ledger's terms: `input` includes cached and cache-written."""

    input: int = 0
    cached: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request as the server saw it."""

    route: str
    """`openai`, `azure`, `responses`, `anthropic` or `embeddings`."""
    body: Json
    headers: Mapping[str, str]

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[Json]:
        return self.body.get("messages", [])

    @property
    def tools(self) -> list[str]:
        """Names of the tools that the model was offered."""
        return [t.get("function", t)["name"] for t in self.body.get("tools", [])]

    @property
    def text(self) -> str:
        """All that the model saw, as one string."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def last(self) -> str:
        """The text of the last message."""
        content = self.messages[-1]["content"] if self.messages else ""
        if isinstance(content, str):
            return content
        return " ".join(str(part.get("text") or part.get("content") or "") for part in content)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One answer. Made by the functions below."""

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """(tool name, raw argument text)."""
    finish: str = ""
    """`stop`, `tools`, `length`, `content_filter` or `refusal`; empty: as the content asks."""
    usage: Counted | None = None
    """None: counted from the lengths of request and answer."""
    has_usage: bool = True
    repeats_usage: bool = False
    """OpenAI's dialect: usage and finish reason come in several chunks, as some servers do."""
    model: str = ""
    """The name to report; empty: the one that was asked for."""
    status: int = 200
    error: Json = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    """Before the first byte, for ever."""
    stalls: bool = False
    """In the middle of the answer, for ever."""
    paced: float = 0.0
    """Seconds between two pieces of the stream."""
    held: asyncio.Event | None = None
    """In the middle of the answer, until this is set."""
    is_cut: bool = False
    """The connection ends in the middle of the answer, before the finish reason."""
    is_abrupt: bool = False
    """The connection is reset where it is cut."""
    stream_error: Json = field(default_factory=dict)
    """Sent as an event in the middle of the answer."""


def say(text: str, **more: Any) -> Step:
    return Step(text=text, **more)


def call(name: str, /, *, text: str = "", **arguments: Any) -> Step:
    """One tool call."""
    return Step(text=text, calls=((name, json.dumps(arguments)),))


def calls(*pairs: tuple[str, Json], text: str = "") -> Step:
    """Several tool calls side by side."""
    return Step(text=text, calls=tuple((name, json.dumps(a)) for name, a in pairs))


def malformed_call(name: str, raw: str = '{"query": ') -> Step:
    return Step(calls=((name, raw),))


def rate_limited(retry_after: str = "") -> Step:
    headers = {"retry-after": retry_after} if retry_after else {}
    return failing(429, "rate_limit_exceeded", "slow down", headers=headers)


def failing(
    status: int, code: str = "", message: str = "boom", headers: Mapping[str, str] | None = None
) -> Step:
    return Step(status=status, error={"code": code, "message": message}, headers=headers or {})


def bad_key(key: str) -> Step:
    """401, with the key repeated in the message, as providers do."""
    return failing(401, "invalid_api_key", f"Incorrect API key provided: {key}.")


def overflow() -> Step:
    return failing(
        400,
        "context_length_exceeded",
        "This model's maximum context length is 128000 tokens. However, your messages resulted"
        " in 200000 tokens.",
    )


def filtered_prompt() -> Step:
    return failing(
        400,
        "content_filter",
        "The response was filtered due to the prompt triggering the content management policy.",
    )


def filtered_answer(text: str = "I will tell you how") -> Step:
    return Step(text=text, finish="content_filter")


def refusal(text: str = "") -> Step:
    """Anthropic's own stop reason; OpenAI's dialect says `content_filter`."""
    return Step(text=text, finish="refusal")


def truncated(text: str) -> Step:
    return Step(text=text, finish="length")


def hang() -> Step:
    return Step(hangs=True)


def stall(text: str = "Wait for") -> Step:
    return Step(text=text, stalls=True)


def cut(text: str = "Half an ans", **more: Any) -> Step:
    return Step(text=text, is_cut=True, **more)


def error_in_stream(code: str = "server_error", text: str = "So far") -> Step:
    return Step(text=text, stream_error={"code": code, "type": code, "message": "went wrong"})


def pieces(text: str, size: int = 7) -> list[str]:
    """The text in the portions in which it is streamed."""
    return [text[i : i + size] for i in range(0, len(text), size)]


def count(asked: Asked, step: Step) -> Counted:
    """What the request costs in tokens: the step's own numbers, else four characters a token."""
    if step.usage is not None:
        return step.usage
    made = len(step.text) + sum(len(name) + len(raw) for name, raw in step.calls)
    return Counted(input=max(1, len(asked.text) // 4), output=max(1, made // 4))
