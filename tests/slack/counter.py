"""A counter where cards are decided: the real desk on SQLite behind the real adapter, and a
courier between them."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from adapters.slack.app import SlackAdapter, build
from adapters.slack.pacing import Pacing
from bot.workspace.slack.records import Member
from bot.workspace.slack_server import SlackStandIn
from core.approvals.park import Wanted, park
from core.parked import ParkedCall
from core.policy.approvers import approval_for
from core.ports import Desk
from core.records import Json, Person, PersonId, Place, ThreadId, TurnId
from core.storage.database import Database
from core.turn.deliver import Courier, Patience
from tests.approvals.office import MAIL, Office, office
from tests.door import Door, Hand
from tests.slack.conftest import serving, settings_for

TEAM = "T00000001"
MARA, TOMAS, PRIYA = (PersonId(f"slack:{TEAM}/U0{name}") for name in ("MARA", "TOMAS", "PRIYA"))
SALES = Place(surface="slack", tenant=TEAM, channel="C0SALES", kind="public", name="sales")
STRANGER = Member(id="U0FAR", name="far", real_name="Far Away", team="T0OTHER")
QUICK = Patience(first_pause=0.01, longest_pause=0.02, poll=0.02)


@dataclass
class Counter:
    office: Office
    slack: SlackStandIn
    adapter: SlackAdapter
    door: Door
    hand: Hand
    parkings: int = 0

    async def park(self, arguments: Json | None = None, *, key: str = "mail/send") -> ParkedCall:
        """Park a call that Mara asked for in #sales, and wait until its card stands there."""
        self.parkings += 1
        asked = await self.slack.say("mara", "sales", "@Countersign mail the Q3", is_told=False)
        tool = await self.office.tool(key)
        given = MAIL if arguments is None else arguments
        approval = approval_for(tool, given, Person(id=MARA), SALES, self.office.rules[-1])
        assert approval is not None
        placed = await park(
            self.office.rooms,
            Wanted(
                turn=TurnId(f"t_{self.parkings}"),
                thread=ThreadId(f"{SALES.id}/{asked}"),
                place=SALES,
                address=address(asked),
                requester=MARA,
                question="mail the Q3 summary to Priya <!channel>",
                tool=tool,
                arguments=given,
                approval=approval,
                evidence=(),
                place_in_turn="1",
            ),
        )
        await self.slack.wait_for(lambda: self.cards(placed.call))
        return placed.call

    def cards(self, call: ParkedCall) -> list[Json]:
        """The messages of the call's thread that show its card."""
        return self.slack.replies("sales", call.address["thread_ts"])

    def card(self, call: ParkedCall) -> Json:
        (shown,) = self.cards(call)
        return shown

    async def until(self, call: ParkedCall, words: str) -> Json:
        """The card in the thread, once it says this."""
        await self.slack.wait_for(lambda: words in text_of(self.card(call)))
        return self.card(call)

    async def press(self, person: str, message: Json, word: str = "send") -> Any:
        return await self.slack.click(person, message, f"call.{word}")

    def told(self, person: str, channel: str = "sales") -> str:
        """The newest thing that this person alone was told."""
        seen = self.slack.ephemerals(person, channel)
        return text_of(seen[-1]) if seen else ""

    def clicked(self) -> Json:
        """The newest click that Slack delivered."""
        return next(
            one.payload for one in reversed(self.slack.deliveries) if one.kind == "interaction"
        )

    def window(self, person: str) -> Json:
        """The modal that this person has open."""
        stack = self.slack.world.modals.get(self.slack.member(person).id, [])
        return self.slack.world.views[stack[-1]] if stack else {}

    async def submit(self, person: str, values: Mapping[str, Any] | None = None) -> Json:
        """Send the open modal; `values` by block id."""
        filled = {block: {"value": value} for block, value in (values or {}).items()}
        return await self.slack.submit(person, self.window(person)["id"], filled)


def address(asked: str, user: str = "U0MARA") -> dict[str, str]:
    return {
        "team": TEAM,
        "channel": "C0SALES",
        "thread_ts": asked,
        "message_ts": asked,
        "user": user,
        "is_dm": "false",
    }


def text_of(shown: Any) -> str:
    """All text of a message's blocks or a modal's, piece by piece as it was written."""
    return "".join(texts(shown.get("blocks", [])))


def texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [found for one in value for found in texts(one)]
    if not isinstance(value, dict):
        return []
    own = [value["text"]] if isinstance(value.get("text"), str) else []
    return own + [
        found for key, one in value.items() if key != "text" or not own for found in texts(one)
    ]


def buttons_of(shown: Any) -> list[str]:
    rows = [block["elements"] for block in shown.get("blocks", []) if block["type"] == "actions"]
    return [one["action_id"].partition(".")[2] for row in rows for one in row]


@asynccontextmanager
async def counter(
    db: Database,
    slack: SlackStandIn,
    *rules: Json,
    desk: Callable[[Office], Desk] | None = None,
    has_auth_provider: bool = False,
    **section: Any,
) -> AsyncGenerator[Counter]:
    """`desk` may stand something in front of the office's own."""
    async with office(db, *rules, **section) as room:
        door, hand = Door(), Hand()
        adapter = build(
            replace(settings_for(slack), has_auth_provider=has_auth_provider),
            door,
            time.time,
            desk=desk(room) if desk else room.desk,
            accounts=room.accounts,
            pacing=Pacing(hand, hand.sleep),
        )
        await adapter.start()
        try:
            async with serving(adapter) as url, delivering(room, adapter):
                slack.connect(url)
                yield Counter(office=room, slack=slack, adapter=adapter, door=door, hand=hand)
        finally:
            await adapter.close()


@asynccontextmanager
async def delivering(room: Office, adapter: SlackAdapter) -> AsyncGenerator[None]:
    courier = Courier(room.db, adapter.surface, clock=time.time, chance=lambda: 0.5, patience=QUICK)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(courier.run())
        try:
            yield
        finally:
            await courier.drain(1.0)
            running.cancel()
