"""For whom a specialist works: the turn, the person and the token in the headers of its call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote

from core.records import (
    Billing,
    ModelMessage,
    ModelReply,
    PersonId,
    ThreadId,
    ToolSchema,
    TurnId,
)

CONTEXT = "x-countersign-"
"""What the host's own headers begin with; `core.capabilities.invoke` sends them to our servers."""


class Ask(Protocol):
    """`core.llm.chat.ChatDoor.ask` with the specialist's model chosen: the one metered door."""

    async def __call__(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        billing: Billing,
        deadline: float,
    ) -> ModelReply: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    billing: Billing
    """Its purpose is `specialist`: what the specialist uses belongs to the turn that called it."""
    token: str = field(default="", repr=False)
    """The person's own bearer token for the source; empty where the host sent none."""


def errand(headers: Mapping[str, str] | None) -> Errand:
    """Raises ValueError where the call does not say for whom it is: no host of ours sent it."""
    given = {name.casefold(): value for name, value in (headers or {}).items()}

    def said(name: str) -> str:
        return unquote(given.get(f"{CONTEXT}{name}", ""))

    if not said("turn") or not said("person"):
        raise ValueError("the call names no turn and no person")
    number = said("round")
    scheme, _, value = given.get("authorization", "").partition(" ")
    return Errand(
        billing=Billing(
            turn=TurnId(said("turn")),
            thread=ThreadId(said("thread")),
            person=PersonId(said("person")),
            place=said("place"),
            round=int(number) if number.isdecimal() else 0,
            purpose="specialist",
            tool=said("tool"),
        ),
        token=value if scheme.casefold() == "bearer" else "",
    )
