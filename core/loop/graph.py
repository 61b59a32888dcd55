"""The loop as a graph, compiled once: agent → tools → agent, then one call without tools."""

# LangGraph leaves its node and cache types partly unknown; our own signatures are whole.
# pyright: reportUnknownMemberType=false

from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from core.loop import steps
from core.loop.steps import ROUNDS, Ended, Live, State
from core.records import ModelMessage, TurnId

Graph = CompiledStateGraph[State, Live, State, State]


def build(saver: BaseCheckpointSaver[Any]) -> Graph:
    """Compile the loop. What belongs to one turn rides in the run context: one graph serves all."""
    graph = StateGraph(State, context_schema=Live)
    graph.add_node("agent", steps.agent)
    graph.add_node("tools", steps.tools)
    graph.add_node("last", steps.last)
    graph.add_edge(START, "agent")
    graph.add_conditional_edges(
        "agent", steps.after_agent, {"tools": "tools", "last": "last", "end": END}
    )
    graph.add_conditional_edges("tools", steps.after_tools, {"agent": "agent", "last": "last"})
    graph.add_edge("last", END)
    return graph.compile(checkpointer=saver)


async def run(
    graph: Graph, turn: TurnId, question: str, live: Live, *, is_new: bool = False
) -> Ended:
    """Run a turn's loop, from its last checkpoint where there is one. A turn that `is_new` cannot
    have any, and is not looked for.

    Checkpoints are keyed by the turn and written before the next step starts (`sync`): after a
    crash, finished rounds are not repeated. Raises what `live.ask` raises.
    """
    # Only the turn's id is configuration: LangGraph writes all of it to the database in clear.
    config: RunnableConfig = {
        "configurable": {"thread_id": turn},
        "recursion_limit": 2 * ROUNDS + 5,
    }
    saver = cast(BaseCheckpointSaver[Any], graph.checkpointer)
    fresh: State | None = None
    if is_new or await saver.aget_tuple(config) is None:
        message = steps.as_json(ModelMessage(role="user", text=question))
        fresh = State(messages=[message], rounds=0, evidence=0, finish="", calls=[])
    state = await graph.ainvoke(fresh, config, context=live, durability="sync")
    return _ended(state)


async def so_far(graph: Graph, turn: TurnId) -> Ended | None:
    """How far the turn's last checkpoint came; None where there is none. Raises `Unreadable`."""
    saver = cast(BaseCheckpointSaver[Any], graph.checkpointer)
    stored = await saver.aget_tuple({"configurable": {"thread_id": turn}})
    return None if stored is None else _ended(stored.checkpoint["channel_values"])


def _ended(state: Mapping[str, Any]) -> Ended:
    return Ended(
        text=steps.from_json(state["messages"][-1]).text,
        finish=state.get("finish", ""),
        rounds=state.get("rounds", 0),
        messages=state["messages"],
        # A checkpoint that an earlier version wrote has none.
        calls=state.get("calls", ()),
    )
