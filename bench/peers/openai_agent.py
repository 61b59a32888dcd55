"""OpenAI Agents with its SQLiteSession."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from agents import (
    Agent,
    Model,
    ModelResponse,
    Runner,
    SQLiteSession,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from bench import words
from bench.peers.kinds import Script, Turn


class _Scripted(Model):
    def __init__(self, script: Script) -> None:
        self._script = script
        self._ids = count()

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:
        await asyncio.sleep(self._script.seconds)
        items: list[Any] = input if isinstance(input, list) else [{"content": input}]
        self._script.hear([_spoken(item) for item in items])
        used = Usage(requests=1, input_tokens=1_200, output_tokens=60, total_tokens=1_260)
        if items[-1].get("type") == "function_call_output":
            text = ResponseOutputText(
                text=self._script.answer(), type="output_text", annotations=[]
            )
            said: Any = ResponseOutputMessage(
                id="m", role="assistant", status="completed", type="message", content=[text]
            )
        else:
            said = ResponseFunctionToolCall(
                id="f",
                call_id=f"call_{next(self._ids)}",
                name="order_lines",
                arguments='{"query": "query 0"}',
                type="function_call",
            )
        return ModelResponse(output=[said], usage=used, response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


@function_tool
async def order_lines(query: str) -> str:
    """The order lines that fit the query, with city, product, units and net revenue."""
    return words.table(query)[0]


@asynccontextmanager
async def agent(folder: Path, script: Script) -> AsyncIterator[Turn]:
    set_tracing_disabled(True)
    made = Agent(name="bench", model=_Scripted(script), tools=[order_lines])

    async def turn(thread: str, question: str) -> None:
        session = SQLiteSession(thread, folder / "threads.db")
        try:
            await Runner.run(made, question, session=session)
        finally:
            session.close()

    yield turn


def _spoken(item: Any) -> str:
    """An item as it goes to the provider: its text without the JSON around it."""
    content = item.get("content") or item.get("output") or item.get("arguments") or ""
    return content if isinstance(content, str) else json.dumps(content)
