"""The graph of a specialist that writes queries: begin → (pick) → learn → write ⇄ run."""

# LangGraph leaves its node types partly unknown; our own signatures are whole.
# pyright: reportUnknownMemberType=false

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextvars import Context, copy_context
from typing import Any, Literal, Protocol, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langsmith import run_helpers

Flow = CompiledStateGraph[Any, Any, Any, Any]
STEPS = ("begin", "pick", "learn", "write", "run")
MODEL_CALLS = 8
"""At most, whatever the model asks to look at."""
REFINEMENTS = 3
"""Times that a query is written anew after the first."""


class Work(Protocol):
    """The state of the graph, as far as it decides what comes next."""

    @property
    def ended(self) -> Literal["", "answered", "asks", "refused"]: ...

    @property
    def vouched(self) -> object | None:
        """The verified query that is being answered."""
        ...

    @property
    def written(self) -> str:
        """The query that waits to be run."""
        ...


def flow(
    work: type[Any],
    desk: type[Any],
    step: Callable[[Any], Any],
    looks_at_all: Callable[[Any, Any], bool],
) -> Flow:
    """Every turn is decided by the state, never by a model. `step` makes the object whose methods
    are the nodes; `looks_at_all(work, desk)` says whether there is nothing to pick."""

    def node(name: str) -> Any:
        async def run_step(state: Any, runtime: Runtime[Any]) -> Mapping[str, Any]:
            made: Callable[[Any], Awaitable[Mapping[str, Any]]]
            made = getattr(step(runtime.context), name)
            return await made(state)

        return run_step

    def after_begin(state: Any, runtime: Runtime[Any]) -> str:
        if state.ended:
            return END
        if state.vouched is not None:
            return "run"
        return "learn" if looks_at_all(state, runtime.context) else "pick"

    graph = StateGraph(work, context_schema=desk)
    for name in STEPS:
        graph.add_node(name, node(name))
    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", after_begin, ["run", "learn", "pick", END])
    graph.add_conditional_edges("pick", _unless_ended("learn"), ["learn", END])
    graph.add_edge("learn", "write")
    graph.add_conditional_edges("write", _after_write, ["run", "write", END])
    graph.add_conditional_edges("run", _unless_ended("write"), ["write", END])
    return graph.compile(checkpointer=False)


async def followed(graph: Flow, begun: Any, desk: Any) -> dict[str, Any]:
    """The state at the end, for one question. Raises what the steps raise."""

    async def invoked() -> dict[str, Any]:
        # What people ask goes to their model alone, also where the environment asks for LangSmith.
        with cast("Any", run_helpers).tracing_context(enabled=False):
            return await graph.ainvoke(begun, {"recursion_limit": 3 * MODEL_CALLS}, context=desk)

    asking = asyncio.get_running_loop().create_task(invoked(), context=_apart())
    try:
        return await asking
    finally:
        asking.cancel()


def _apart() -> Context:
    """The present context without the graph that the turn runs in: in this process LangGraph would
    take ours for a part of it, and its checkpoints would take in what is none of theirs."""
    apart = Context()
    for variable, value in copy_context().items():
        if variable.name != "child_runnable_config":
            apart.run(variable.set, value)
    return apart


def _after_write(state: Work) -> str:
    if state.ended:
        return END
    return "run" if state.written else "write"


def _unless_ended(then: str) -> Callable[[Work], str]:
    return lambda state: END if state.ended else then
