"""pydantic-ai's deferred tools, with the messages of the thread as JSON in a row of SQLite."""

import sqlite3
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel

from bench.peers.mailing import PROMPT, TEXT, Mailing, Opened, Send


@asynccontextmanager
async def mailing(folder: Path, send: Send) -> Opened:
    async def reply(messages: list[Any], _: Any) -> ModelResponse:
        if any(isinstance(part, ToolReturnPart) for part in messages[-1].parts):
            return ModelResponse(parts=[TextPart("Sent.")])
        return ModelResponse(parts=[ToolCallPart("send_mail", {"text": TEXT}, "call_0")])

    agent = Agent(FunctionModel(reply), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    async def send_mail(text: str) -> str:
        """Send a mail to the buyer."""
        return await send(text)

    rows = sqlite3.connect(folder / "threads.db")
    rows.execute("PRAGMA journal_mode = WAL")
    rows.execute("CREATE TABLE IF NOT EXISTS threads (thread TEXT PRIMARY KEY, messages, waits)")

    def keep(result: Any) -> None:
        output = result.output
        waits = [c.tool_call_id for c in getattr(output, "approvals", ())]
        kept = ("one", result.all_messages_json(), ",".join(waits))
        rows.execute("INSERT OR REPLACE INTO threads VALUES (?, ?, ?)", kept)
        rows.commit()

    async def ask() -> None:
        keep(await agent.run(PROMPT))

    async def click() -> None:
        past, waits = rows.execute("SELECT messages, waits FROM threads").fetchone()
        # Only what still waits is carried out.
        if waits:
            agreed = DeferredToolResults(approvals=dict.fromkeys(waits.split(","), True))
            messages = ModelMessagesTypeAdapter.validate_json(past)
            keep(await agent.run(message_history=messages, deferred_tool_results=agreed))

    try:
        yield Mailing(ask=ask, click=click)
    finally:
        rows.close()
