"""pydantic-ai with the messages of each thread as JSON in a row of SQLite."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel

from bench import words
from bench.peers.kinds import Script, Turn


@asynccontextmanager
async def agent(folder: Path, script: Script) -> AsyncIterator[Turn]:
    async def reply(messages: list[Any], _: Any) -> ModelResponse:
        await asyncio.sleep(script.seconds)
        script.hear([_spoken(part) for message in messages for part in message.parts])
        if any(isinstance(part, ToolReturnPart) for part in messages[-1].parts):
            return ModelResponse(parts=[TextPart(script.answer())])
        return ModelResponse(parts=[ToolCallPart("order_lines", {"query": "query 0"})])

    made = Agent(FunctionModel(reply))

    @made.tool_plain
    async def order_lines(query: str) -> str:
        """The order lines that fit the query, with city, product, units and net revenue."""
        return words.table(query)[0]

    rows = sqlite3.connect(folder / "threads.db")
    rows.execute("PRAGMA journal_mode = WAL")
    rows.execute("CREATE TABLE threads (thread TEXT PRIMARY KEY, messages BLOB)")

    async def turn(thread: str, question: str) -> None:
        find = "SELECT messages FROM threads WHERE thread = ?"
        row = rows.execute(find, (thread,)).fetchone()
        past = ModelMessagesTypeAdapter.validate_json(row[0]) if row else []
        result = await made.run(question, message_history=past)
        kept = (thread, result.all_messages_json())
        rows.execute("INSERT OR REPLACE INTO threads VALUES (?, ?)", kept)
        rows.commit()

    try:
        yield turn
    finally:
        rows.close()


def _spoken(part: Any) -> str:
    if isinstance(part, ToolCallPart):
        return part.tool_name + part.args_as_json_str()
    return str(getattr(part, "content", ""))
