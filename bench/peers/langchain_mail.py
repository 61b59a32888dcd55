"""LangChain's HumanInTheLoopMiddleware with LangGraph's AsyncSqliteSaver."""

from contextlib import asynccontextmanager
from pathlib import Path

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from bench.peers.mailing import PROMPT, TEXT, Mailing, Opened, Send
from bench.scripted import Scripted


@asynccontextmanager
async def mailing(folder: Path, send: Send) -> Opened:
    @tool
    async def send_mail(text: str) -> str:
        """Send a mail to the buyer."""
        return await send(text)

    async with AsyncSqliteSaver.from_conn_string(str(folder / "threads.db")) as saver:
        agent = create_agent(
            Scripted(tool="send_mail", arguments={"text": TEXT}),
            [send_mail],
            checkpointer=saver,
            middleware=[HumanInTheLoopMiddleware(interrupt_on={"send_mail": True})],
        )
        thread = {"configurable": {"thread_id": "one"}}

        async def ask() -> None:
            asked = {"messages": [{"role": "user", "content": PROMPT}]}
            await agent.ainvoke(asked, thread, durability="sync")

        async def resume() -> None:
            """LangGraph's own way on after a crash: a thread that has a next step is invoked
            without input."""
            state = await agent.aget_state(thread)
            if state.next and not state.interrupts:
                await agent.ainvoke(None, thread, durability="sync")

        async def click() -> None:
            # Only what still waits is resumed.
            if (await agent.aget_state(thread)).interrupts:
                agreed = Command(resume={"decisions": [{"type": "approve"}]})
                await agent.ainvoke(agreed, thread, durability="sync")

        await resume()
        yield Mailing(ask=ask, click=click)
