"""The SQL specialist: a graph of its own from a question to rows and how they came about."""

# LangGraph leaves its node types partly unknown; our own signatures are whole.
# pyright: reportUnknownMemberType=false

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langsmith import run_helpers

from core.specialists.sql.desk import Desk
from core.specialists.sql.result import Brought
from core.specialists.sql.steps import MODEL_CALLS, Step, Update, Work

Graph = CompiledStateGraph[Any, Desk, Any, Any]
Node = Callable[[Work, Runtime[Desk]], Awaitable[Update]]
SMALL = 3
"""Tables up to which all are looked at: to choose among them costs more than it saves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What became of a question."""

    brought: Brought | None = None
    question: str = ""
    """What the person has to say first, where nothing was brought."""
    refusal: str = ""
    """Why there is no answer."""
    spent: int = 0
    """Model calls."""


async def answer(desk: Desk) -> Ending:
    """Raises `ModelFailed`; whatever the source does wrong is a refusal in words."""
    asking = asyncio.get_running_loop().create_task(_invoked(desk), context=_apart())
    try:
        made = await asking
    finally:
        asking.cancel()
    return _ending(desk, Work(**made))


async def _invoked(desk: Desk) -> dict[str, Any]:
    limit = 3 * MODEL_CALLS
    # What people ask goes to their model alone, also where the environment asks for LangSmith.
    with cast("Any", run_helpers).tracing_context(enabled=False):
        return await _graph().ainvoke(Work(), {"recursion_limit": limit}, context=desk)


def _apart() -> Context:
    """The present context without the graph that the turn runs in: in this process LangGraph would
    take ours for a part of it, and its checkpoints would take in what is none of theirs."""
    apart = Context()
    for variable, value in copy_context().items():
        if variable.name != "child_runnable_config":
            apart.run(variable.set, value)
    return apart


@cache
def _graph() -> Graph:
    """begin → (pick) → learn → write ⇄ run. Every turn is decided by the state, never by a
    model."""
    graph = StateGraph(Work, context_schema=Desk)
    for name in ("begin", "pick", "learn", "write", "run"):
        graph.add_node(name, cast("Any", _node(name)))
    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", _after_begin, ["run", "learn", "pick", END])
    graph.add_conditional_edges("pick", _unless_ended("learn"), ["learn", END])
    graph.add_edge("learn", "write")
    graph.add_conditional_edges("write", _after_write, ["run", "write", END])
    graph.add_conditional_edges("run", _unless_ended("write"), ["write", END])
    return graph.compile(checkpointer=False)


def _node(name: str) -> Node:
    async def node(work: Work, runtime: Runtime[Desk]) -> Update:
        step: Callable[[Work], Awaitable[Update]] = getattr(Step(runtime.context), name)
        return await step(work)

    return node


def _after_begin(work: Work, runtime: Runtime[Desk]) -> str:
    if work.ended:
        return END
    if work.vouched is not None:
        return "run"
    is_small = len(work.schema.relations) <= SMALL
    return "learn" if runtime.context.discovery == "whole" or is_small else "pick"


def _after_write(work: Work) -> str:
    if work.ended:
        return END
    return "run" if work.sql else "write"


def _unless_ended(then: str) -> Callable[[Work], str]:
    return lambda work: END if work.ended else then


def _ending(desk: Desk, work: Work) -> Ending:
    if work.rows is not None and work.query is not None and work.ended == "answered":
        title = " ".join(desk.asked.question.split())[:150]
        brought = Brought(title=title, rows=work.rows, query=work.query)
        return Ending(brought=brought, spent=work.spent)
    if work.ended == "asks":
        return Ending(question=work.sentence, spent=work.spent)
    return Ending(refusal=work.sentence or "No query was written.", spent=work.spent)
