"""The Power BI specialist: a graph of its own from a question to rows and how they came about."""

# LangGraph leaves its node types partly unknown; our own signatures are whole.
# pyright: reportUnknownMemberType=false

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langsmith import run_helpers

from core.specialists.dax.desk import Desk
from core.specialists.dax.steps import MODEL_CALLS, SMALL, Step, Update, Work
from core.specialists.sql.agent import Ending
from core.specialists.sql.result import Brought

Graph = CompiledStateGraph[Any, Desk, Any, Any]
Node = Callable[[Work, Runtime[Desk]], Awaitable[Update]]


async def answer(desk: Desk) -> Ending:
    """Raises `ModelFailed`; whatever the service does wrong is a refusal in words."""
    # What people ask goes to their model alone, also where the environment asks for LangSmith.
    with cast("Any", run_helpers).tracing_context(enabled=False):
        made = await _graph().ainvoke(Work(), {"recursion_limit": 3 * MODEL_CALLS}, context=desk)
    return _ending(desk, Work(**made))


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
    return graph.compile()


def _node(name: str) -> Node:
    async def node(work: Work, runtime: Runtime[Desk]) -> Update:
        step: Callable[[Work], Awaitable[Update]] = getattr(Step(runtime.context), name)
        return await step(work)

    return node


def _after_begin(work: Work) -> str:
    if work.ended:
        return END
    if work.vouched is not None:
        return "run"
    return "learn" if len(work.model.tables) <= SMALL else "pick"


def _after_write(work: Work) -> str:
    if work.ended:
        return END
    return "run" if work.dax else "write"


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
