"""A turn of four rounds that can be told to hang: `python -m tests.loop.four_rounds URL KEYS N`."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph

from core.identity.vault import KeyRing
from core.loop.checkpoints import SealedSaver
from core.storage.database import Database, open_database


class State(TypedDict):
    messages: list[Any]
    rounds: int


def aloud(text: str) -> None:
    print(text, flush=True)


def build(saver: SealedSaver, hang_in: int, say: Callable[[str], None]) -> Any:
    """A graph that asks four times with a call in between, and hangs in the given ask."""

    async def agent(state: State) -> dict[str, Any]:
        round = state["rounds"] + 1
        say(f"ask {round}")
        if round == hang_in:
            await asyncio.Event().wait()
        message = {"role": "assistant", "text": "é", "calls": [{"id": str(round), "n": 1.5}]}
        return {"messages": [*state["messages"], message], "rounds": round}

    async def tools(state: State) -> dict[str, Any]:
        say(f"call {state['rounds']}")
        return {"messages": [*state["messages"], {"role": "tool", "error": False, "none": None}]}

    graph = StateGraph(State)
    graph.add_node("agent", agent)
    graph.add_node("tools", tools)
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", lambda s: END if s["rounds"] == 4 else "tools")
    graph.add_edge("tools", "agent")
    return graph.compile(checkpointer=saver)


def config(turn: str) -> RunnableConfig:
    return {"configurable": {"thread_id": turn}, "recursion_limit": 30}


async def run(
    db: Database, keys: str, turn: str, hang_in: int, say: Callable[[str], None]
) -> dict[str, Any]:
    """Begin the turn, or go on with it where it was cut."""
    saver = SealedSaver(db, KeyRing.parse(keys))
    graph = build(saver, hang_in, say)
    begun = await saver.aget_tuple(config(turn))
    start = None if begun else {"messages": [{"role": "user", "text": "q"}], "rounds": 0}
    return await graph.ainvoke(start, config(turn), durability="sync")


async def main() -> None:
    db = await open_database(sys.argv[1])
    end = await run(db, sys.argv[2], "t_1", int(sys.argv[3]), aloud)
    aloud(f"end {end['rounds']} {len(end['messages'])}")
    await db.close()


if __name__ == "__main__":
    asyncio.run(main())
