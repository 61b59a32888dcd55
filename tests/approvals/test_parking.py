"""A call that a person decides about is parked by the loop, once, and never performed there."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from core.approvals.digest import is_intact
from core.ledger.meter import Meter
from core.loop.calls import Calls, no_credentials
from core.policy.rules import Rules
from core.records import (
    Billing,
    Json,
    LedgerEntry,
    Place,
    Question,
    ThreadId,
    ToolCall,
    Turn,
    TurnId,
)
from core.storage import evidence, parked
from core.storage.database import Database
from tests.approvals.office import ADA, MAIL, SALES, Office, office

CARDS = ("thread", "slack:T1/U2")


@dataclass
class Entries:
    kept: list[LedgerEntry] = field(default_factory=list)

    async def add(self, entry: LedgerEntry) -> None:
        self.kept.append(entry)


async def unheard(text: str) -> None:
    """Nobody watches."""


def rules_of(room: Office) -> Callable[[], Awaitable[Rules]]:
    async def now() -> Rules:
        return room.rules[-1]

    return now


async def calls_of(room: Office, turn: str = "t_1", place: Place = SALES) -> Calls:
    """The loop's calls of one turn."""
    question = Question(
        delivery="d", thread=ThreadId("slack:T1/C1/1"), place=place, person=ADA,
        text="mail the Q3 summary to Priya", address={"channel": "C1", "thread_ts": "1"},
        said_at=0.0,
    )  # fmt: skip
    found = await room.rooms.catalog.discover()
    return Calls(
        turn=Turn(id=TurnId(turn), question=question, model="m", agent="", attempt=1,
                  accepted_at=0.0),
        billing=Billing(turn=TurnId(turn), thread=question.thread, person=ADA.id, place=place.id),
        by_alias={tool.key.replace("/", "_"): tool for tool in found.tools},
        accepted=found.accepted,
        rules=rules_of(room),
        deadline=10.0,
        catalog=room.rooms.catalog,
        db=room.db,
        meter=Meter(Entries().add, room.clock, {}),
        clock=room.clock,
        progress=unheard,
        approvals=room.rooms,
        credentials=no_credentials,
    )  # fmt: skip


def mail(id: str = "call_1", **more: object) -> ToolCall:
    return ToolCall(id=id, name="mail_send", arguments={**MAIL, **more})


async def test_a_tagged_call_waits_and_the_model_is_told_its_number(database: Database) -> None:
    async with office(database) as room:
        calls = await calls_of(room)
        await calls.perform(ToolCall(id="c0", name="crm_list_leads", arguments={}), 1, 1)
        result = await calls.perform(mail(), 2, 1)
        assert not result.is_error
        assert result.text.startswith("Parked as #1: a person decides")
        assert "Do not call it again" in result.text
        [call] = await parked.of_turn(database, TurnId("t_1"))
        assert (call.state, call.arguments, call.proposed) == ("parked", MAIL, MAIL)
        assert (call.requester, call.authority) == (ADA.id, ADA.id)
        assert call.question == "mail the Q3 summary to Priya"
        assert (call.evidence, call.sources) == (("t_1.1",), ("List leads",))
        assert call.expires_at == room.clock.now + 86_400.0
        assert (call.facts, call.effect) == ({"signature": "Larkspur Cycles"}, "blind")
        assert len(call.policy_version) == 16
        assert call.tool_digest == calls.by_alias["mail_send"].digest
        assert (call.place, call.thread) == (SALES, "slack:T1/C1/1")
        assert is_intact(call)
        assert room.box.sent == []
        [post] = await room.posts()
        assert (post.kind, post.replaces, post.address["thread_ts"]) == ("card", "", "1")
        assert post.card is not None
        assert (post.card.question, post.card.sources) == (call.question, call.sources)


async def test_a_round_that_is_run_again_parks_nothing_twice(database: Database) -> None:
    async with office(database) as room:
        texts = set()
        for _ in range(3):
            calls = await calls_of(room)
            texts.add((await calls.perform(mail(), 1, 1)).text)
        assert len(texts) == 1
        assert len(await parked.of_turn(database, TurnId("t_1"))) == 1
        assert len(await room.posts()) == 1


async def test_other_arguments_at_a_replay_change_nothing_of_what_waits(database: Database) -> None:
    """Peers' case 17. What is carried out is what the card showed."""
    async with office(database) as room:
        calls = await calls_of(room)
        await calls.perform(mail("a", subject="A"), 1, 1)
        told = await calls.perform(mail("a", subject="B"), 1, 1)
        [call] = await parked.of_turn(database, TurnId("t_1"))
        assert told.text.startswith(f"Parked as #{call.number}:")
        await room.click(call)
        await calls.perform(mail("a", subject="C"), 1, 1)
        await room.carry_out()
        assert [one.arguments["subject"] for one in room.box.sent] == ["A"]


async def test_the_same_wish_is_one_card_and_another_one_is_another(database: Database) -> None:
    """Side by side in one round, and again in the next one."""
    async with office(database) as room:
        calls = await calls_of(room)
        wanted = [mail("a"), mail("b"), mail("c", subject="Q4"), mail("d", to=["bo@x.example"])]
        async with asyncio.TaskGroup() as group:
            for number, call in enumerate(wanted, start=1):
                group.create_task(calls.perform(call, number, 1))
        assert len(await parked.of_turn(database, TurnId("t_1"))) == 3
        first = await room.now((await parked.of_turn(database, TurnId("t_1")))[0])
        await room.click(first, "cancel", reason="no")
        again = await calls.perform(
            ToolCall(id="e", name="mail_send", arguments=first.proposed), 9, 2
        )
        assert "is cancelled by now" in again.text
        assert len(await parked.of_turn(database, TurnId("t_1"))) == 3


async def test_two_parked_in_one_round_are_decided_apart(database: Database) -> None:
    """Peers' case 20."""
    async with office(database) as room:
        calls = await calls_of(room)
        await calls.perform(mail("a", subject="A"), 1, 1)
        await calls.perform(mail("b", subject="B"), 2, 1)
        a, b = await parked.of_turn(database, TurnId("t_1"))
        await room.click(b)
        await room.click(a, "cancel")
        await room.carry_out()
        assert [one.arguments["subject"] for one in room.box.sent] == ["B"]
        assert (await room.now(a)).state == "cancelled"


async def test_a_wrong_call_goes_back_to_the_model_and_is_not_parked(sqlite: Database) -> None:
    async with office(sqlite) as room:
        calls = await calls_of(room)
        result = await calls.perform(mail(subject=3), 1, 1)
        assert result.is_error
        assert "subject: 3 is not of type 'string'" in result.text
        assert await parked.of_turn(sqlite, TurnId("t_1")) == []


async def test_a_rule_about_arguments_parks_this_call_and_not_that_one(sqlite: Database) -> None:
    rule: Json = {"approve": "tool:crm/list_leads", "in": ["place:public"], "by": "person:U2"}
    async with office(sqlite, rule) as room:
        leads = ToolCall(id="c", name="crm_list_leads", arguments={})
        public = await (await calls_of(room)).perform(leads, 1, 1)
        assert public.text.startswith("Parked as #1")
        dm = Place(surface="slack", tenant="T1", channel="D1", kind="dm")
        private = await (await calls_of(room, "t_2", dm)).perform(leads, 1, 1)
        assert "no leads" in private.text


async def test_approvers_who_can_be_listed_get_a_copy_and_all_change_together(
    database: Database,
) -> None:
    rule: Json = {"approve": "tool:mail/send", "by": ["group:comms", "group:far"]}
    groups = {"comms": ["person:U1", "person:U2"]}
    async with office(database, rule, groups=groups) as room:
        call = await room.park()
        first = {post.id: post for post in await room.posts()}
        assert set(first) == {f"{call.id}.{name}" for name in CARDS}
        assert first[f"{call.id}.slack:T1/U2"].address == {"person": "slack:T1/U2"}
        await database.execute("UPDATE outbox SET state = 'sent', platform_id = 'ts-' || id")
        await room.click(call, "edit", values={"subject": "Q4"}, is_edit=True)
        await room.click(await room.now(call))
        await room.carry_out()
        # What nobody has tried to show yet gives way to what is newer.
        changed = await room.posts()
        assert [post.replaces for post in changed if post.kind == "card"] == sorted(first)
        cards = [post.card for post in changed if post.card]
        assert {(card.state, card.revision) for card in cards} == {("done", 2)}
        assert cards[0] == cards[1]


async def test_without_approvals_such_a_call_is_refused(sqlite: Database) -> None:
    async with office(sqlite) as room:
        calls = await calls_of(room)
        result = await replace(calls, approvals=None).perform(mail(), 1, 1)
        assert result.is_error
        assert "approvals are not switched on" in result.text
        assert await evidence.of_turn(sqlite, TurnId("t_1")) == []
