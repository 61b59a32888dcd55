"""A chat model that thinks for a given time and says what it was told to: the model's own work, \
and the network to it, are no part of what is measured."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

PIECE = 200
"""Characters of an answer that arrive at once."""
USAGE = {"input_tokens": 1_200, "output_tokens": 60, "total_tokens": 1_260}
NAME = "gpt-5.5"


class Scripted(BaseChatModel):
    """Calls a tool `calls` times side by side, then answers from what they brought."""

    seconds: float = 0.0
    """How long each call takes."""
    calls: int = 1
    tool: str = "order_lines"
    """The name of the tool, or how its alias ends."""
    arguments: Mapping[str, Any] = {}
    """What every call is given; without it, a query with the call's number."""
    says: Callable[[], str] = lambda: "The answer is 42 [1]."
    hears: Callable[[Sequence[BaseMessage]], None] = lambda _: None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        return self.bind(tools=tools)

    def _reply(self, messages: Sequence[BaseMessage], tools: Sequence[Any]) -> AIMessage:
        self.hears(messages)
        metadata = {"model_name": NAME, "finish_reason": "stop"}
        if messages[-1].type == "tool" or not tools:
            return AIMessage(self.says(), usage_metadata=USAGE, response_metadata=metadata)
        name = next(n for n in map(_name, tools) if n.endswith(self.tool))
        calls = [
            {"name": name, "args": self._arguments(n), "id": f"call_{n}", "type": "tool_call"}
            for n in range(self.calls)
        ]
        metadata["finish_reason"] = "tool_calls"
        return AIMessage("", tool_calls=calls, usage_metadata=USAGE, response_metadata=metadata)

    def _arguments(self, number: int) -> dict[str, Any]:
        return dict(self.arguments) or {"query": f"query {number}"}

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(
        self, messages: list[BaseMessage], *_: Any, tools: Sequence[Any] = (), **__: Any
    ) -> ChatResult:
        await asyncio.sleep(self.seconds)
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages, tools))])

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, tools: Sequence[Any] = (), **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        await asyncio.sleep(self.seconds)
        reply = self._reply(messages, tools)
        text = str(reply.content)
        for start in range(0, len(text), PIECE):
            yield ChatGenerationChunk(message=AIMessageChunk(content=text[start : start + PIECE]))
        end = AIMessageChunk(
            content="",
            tool_calls=reply.tool_calls,
            usage_metadata=reply.usage_metadata,
            response_metadata=reply.response_metadata,
        )
        yield ChatGenerationChunk(message=end)


def _name(tool: Any) -> str:
    """The name of a bound tool, whoever bound it."""
    if isinstance(tool, dict):
        return tool.get("function", tool)["name"]
    return tool.name
