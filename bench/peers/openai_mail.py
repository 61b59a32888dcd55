"""OpenAI Agents' approvals, with the RunState as text in a row of SQLite."""

import sqlite3
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agents import (
    Agent,
    Model,
    ModelResponse,
    Runner,
    RunState,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from bench.peers.mailing import PROMPT, TEXT, Mailing, Opened, Send


class _Scripted(Model):
    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:
        is_told = isinstance(input, list) and input[-1].get("type") == "function_call_output"
        text = ResponseOutputText(text="Sent.", type="output_text", annotations=[])
        said: Any = ResponseOutputMessage(
            id="m", role="assistant", status="completed", type="message", content=[text]
        )
        wants = ResponseFunctionToolCall(
            id="f",
            call_id="call_0",
            name="send_mail",
            arguments=f'{{"text": "{TEXT}"}}',
            type="function_call",
        )
        output = [said if is_told else wants]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


@asynccontextmanager
async def mailing(folder: Path, send: Send) -> Opened:
    set_tracing_disabled(True)

    @function_tool(needs_approval=True)
    async def send_mail(text: str) -> str:
        """Send a mail to the buyer."""
        return await send(text)

    agent = Agent(name="bench", model=_Scripted(), tools=[send_mail])
    rows = sqlite3.connect(folder / "threads.db")
    rows.execute("PRAGMA journal_mode = WAL")
    rows.execute("CREATE TABLE IF NOT EXISTS waiting (thread TEXT PRIMARY KEY, state TEXT)")

    async def ask() -> None:
        result = await Runner.run(agent, PROMPT)
        assert result.interruptions
        rows.execute("INSERT INTO waiting VALUES ('one', ?)", (result.to_state().to_string(),))
        rows.commit()

    async def click() -> None:
        row = rows.execute("SELECT state FROM waiting").fetchone()
        # Only what still waits is carried out.
        if row is not None:
            state = await RunState.from_string(agent, row[0])
            for waiting in state.get_interruptions():
                state.approve(waiting)
            await Runner.run(agent, state)
            rows.execute("DELETE FROM waiting")
            rows.commit()

    try:
        yield Mailing(ask=ask, click=click)
    finally:
        rows.close()
