"""A specialist over the stand-in, with a model that says what a test tells it to."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from core.records import (
    Billing,
    ModelMessage,
    ModelReply,
    PersonId,
    ThreadId,
    ToolCall,
    ToolSchema,
    TurnId,
    Usage,
)
from core.specialists.dax.agent import answer
from core.specialists.dax.client import PowerBI
from core.specialists.dax.desk import Desk, Memory
from core.specialists.dax.pace import Pace
from core.specialists.dax.source import SemanticModel
from core.specialists.sql.desk import Asked
from core.specialists.sql.periods import today
from core.specialists.sql.result import Ending
from tests.fakes.powerbi.service import PowerBIService, Someone, serving
from tests.fakes.powerbi.star import star

NOW = 1_764_590_400.0
"""2025-12-01 12:00 UTC."""
SOURCE = SemanticModel(id="bikes", title="Bike sales", workspace="w1", dataset="d1")


@dataclass
class Scripted:
    """Plays one query after the other; a list of tables is a look at them."""

    says: Sequence[str | list[str]]
    heard: list[Sequence[ModelMessage]] = field(default_factory=list)
    offered: list[list[str]] = field(default_factory=list)

    async def __call__(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        billing: Billing,
        deadline: float,
    ) -> ModelReply:
        said = self.says[len(self.heard)]
        self.heard.append(messages)
        self.offered.append([tool.name for tool in tools])
        if isinstance(said, list):
            call = ToolCall(
                id=f"c{len(self.heard)}", name="look_at_tables", arguments={"tables": said}
            )
        elif said.startswith("cannot:"):
            reason = said.removeprefix("cannot:")
            call = ToolCall(id="c", name="cannot_answer", arguments={"reason": reason})
        else:
            call = ToolCall(id=f"c{len(self.heard)}", name="run_query", arguments={"dax": said})
        message = ModelMessage(role="assistant", text="", calls=(call,))
        return ModelReply(message=message, usage=Usage(), finish="tools", model="scripted")


@dataclass
class Bench:
    service: PowerBIService
    power: PowerBI
    memory: Memory = field(default_factory=Memory)
    clock: Callable[[], float] = lambda: NOW

    async def ask(
        self,
        question: str,
        model: Scripted | None,
        *,
        token: str = "t-ann",
        source: SemanticModel = SOURCE,
    ) -> Ending:
        someone = self.service.people.get(token)
        billing = Billing(
            turn=TurnId("t"),
            thread=ThreadId("th"),
            person=PersonId(someone.name if someone else "nobody"),
            place="slack:T1/C1",
        )
        asked = Asked(
            question=question, billing=billing, token=token, today=today(NOW, "UTC"), ends=NOW + 50
        )
        desk = Desk(
            source=source,
            service=self.power,
            memory=self.memory,
            asked=asked,
            clock=self.clock,
            ask=model,
        )
        return await answer(desk)


def service() -> PowerBIService:
    may = frozenset({"d1"})
    return PowerBIService(
        models={"d1": star()},
        people={
            "t-ann": Someone("ann", may),
            "t-bo": Someone("bo", may),
            "t-eve": Someone("eve", frozenset()),
        },
        a_minute=100_000,
    )


@asynccontextmanager
async def bench(played: PowerBIService | None = None, most: int = 100_000) -> AsyncGenerator[Bench]:
    async with serving(played or service()) as stood:
        power = PowerBI(stood.url, Pace(lambda: NOW, most=most))
        try:
            yield Bench(stood, power)
        finally:
            await power.close()
