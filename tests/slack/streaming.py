"""A pen that writes an answer word by word, and what a thread shows of it."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from adapters.slack.app import SlackAdapter, build
from adapters.slack.pacing import Pacing
from adapters.slack.stream import Manner
from bot.workspace.slack_server import SlackStandIn
from core.ports import Showing
from core.records import Answer, Cost, Json, PersonId, Post, TurnId
from tests.door import Door, Hand
from tests.slack.conftest import settings_for

POST = "t_1.answer"
COST = Cost(models=("m",), calls=1, tokens=9, price="0")
QUICK = Manner(long=50, patience=30.0, every=0.0, closing=5.0)
WORD = re.compile(r"\bw\d+\b")


@dataclass
class Pen:
    """Writes what the model would, and waits until the writer has nothing left to do."""

    slack: SlackStandIn
    adapter: SlackAdapter
    hand: Hand
    address: dict[str, str]
    text: str = ""
    showing: Showing | None = None
    asked: int = 0
    """How often the writer asked for words."""
    is_gone: bool = False
    """It asks no more."""

    def words(self) -> str:
        self.asked += 1
        return self.text[: self.text.rfind("\n") + 1].rstrip("\n")

    async def write(self, text: str, piece: int = 700) -> None:
        for at in range(0, len(text), piece):
            self.text += text[at : at + piece]
            await self.pause()

    async def pause(self) -> None:
        """Until the writer has looked for something to do and found nothing."""
        for _ in range(8):
            calls = len(self.slack.world.calls)
            if not (await self._looked() and await self._looked()):
                return
            if len(self.slack.world.calls) == calls:
                return

    async def _looked(self) -> bool:
        """Once the writer has asked for words again; False where it does so no more."""
        assert self.showing is not None
        if self.is_gone:
            return False
        before = self.asked
        self.showing.more()
        try:
            async with asyncio.timeout(1.5):
                while self.asked == before:  # noqa: ASYNC110
                    await asyncio.sleep(0.001)
        except TimeoutError:
            self.is_gone = True
            return False
        return True

    async def deliver(self, text: str = "", **fields: Any) -> str:
        said = post(self.address, text or self.text.rstrip("\n"), **fields)
        return await self.adapter.surface.deliver(said, None)

    def replies(self) -> list[Json]:
        return self.slack.replies("sales", self.address["thread_ts"])

    def shown(self) -> str:
        """All Markdown that stands in the thread."""
        return "\n".join(map(markdown, self.replies()))


def post(address: dict[str, str], text: str, **fields: Any) -> Post:
    return Post(
        **{
            "id": POST,
            "turn": TurnId("t_1"),
            "surface": "slack",
            "address": address,
            "kind": "answer",
            "person": PersonId("slack:T00000001/U0MARA"),
            "answer": Answer(text=text, cost=COST),
            **fields,
        }
    )


def markdown(message: Json) -> str:
    return "\n".join(block["text"] for block in message["blocks"] if block["type"] == "markdown")


def kinds(message: Json) -> list[str]:
    return [block["type"] for block in message["blocks"]]


def prose(count: int, start: int = 0) -> str:
    """Paragraphs of numbered words, about 700 characters each."""
    lines = []
    for number in range(start, start + count):
        words = " ".join(f"w{number * 100 + place}" for place in range(100))
        lines.append(f"{words}.")
    return "\n\n".join(lines) + "\n"


@asynccontextmanager
async def pen(
    slack: SlackStandIn, manner: Manner = QUICK, channel: str = "sales"
) -> AsyncIterator[Pen]:
    hand = Hand()
    adapter = build(
        settings_for(slack), Door(), lambda: 0.0, pacing=Pacing(hand, hand.sleep), manner=manner
    )
    await adapter.start()
    asked = await slack.say("mara", channel, "@Countersign how many?", is_told=False)
    place = slack.channel(channel)
    address = {
        "team": "T00000001",
        "channel": place.id,
        "thread_ts": asked,
        "message_ts": asked,
        "user": "U0MARA",
        "is_dm": "true" if place.kind == "im" else "false",
    }
    try:
        yield Pen(slack, adapter, hand, address)
    finally:
        await adapter.close()


@asynccontextmanager
async def showing(pen: Pen) -> AsyncIterator[Pen]:
    async with pen.adapter.surface.showing(POST, pen.address, pen.words) as shown:
        pen.showing = shown
        yield pen
