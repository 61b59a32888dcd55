"""LangChain's `create_agent` with LangGraph's AsyncSqliteSaver."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from langchain.agents import create_agent
from langchain_core.messages import BaseMessage
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from bench import words
from bench.peers.kinds import Script, Turn
from bench.peers.spoken import spoken
from bench.scripted import Scripted


@tool
async def order_lines(query: str) -> str:
    """The order lines that fit the query, with city, product, units and net revenue."""
    return words.table(query)[0]


@asynccontextmanager
async def agent(folder: Path, script: Script) -> AsyncIterator[Turn]:
    def hears(messages: Sequence[BaseMessage]) -> None:
        script.hear([spoken(message) for message in messages])

    model = Scripted(seconds=script.seconds, says=script.answer, hears=hears)
    async with AsyncSqliteSaver.from_conn_string(str(folder / "threads.db")) as saver:
        made = create_agent(model, [order_lines], checkpointer=saver)

        async def turn(thread: str, question: str) -> None:
            asked = {"messages": [{"role": "user", "content": question}]}
            await made.ainvoke(asked, {"configurable": {"thread_id": thread}})

        yield turn
