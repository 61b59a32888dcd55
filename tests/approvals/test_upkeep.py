"""What happens to a parked call without a click: expiry, reminders, deputies, accounts."""

import asyncio
from dataclasses import dataclass

import pytest

from core import errors
from core.approvals import upkeep
from core.cards import Card
from core.connectors.outcome import NeedsAccount
from core.parked import ParkedCall
from core.records import Json, TurnId
from core.storage import decisions, outbox, parked
from core.storage.database import Database
from tests.approvals.office import ADA, MAIL, PRIYA, Office, PostBox, approved, office


async def test_an_undecided_call_expires_and_its_asker_is_told(database: Database) -> None:
    async with office(database) as room:
        call = await room.park()
        room.clock.now = call.expires_at
        await upkeep.sweep(room.rooms)
        assert (await room.now(call)).state == "expired"
        assert (await room.told(ADA.id))[-1].startswith("#1 has expired")
        assert (await room.click(call)).kind == "expired"


async def test_those_concerned_are_reminded_once_before_expiry(database: Database) -> None:
    rule = {"approve": "tool:mail/send", "by": "person:U2", "expires": "4h"}
    async with office(database, rule) as room:
        await room.park()
        room.clock.now += 3 * 3600.0 - 1
        await upkeep.sweep(room.rooms)
        assert await room.told(PRIYA) == []
        room.clock.now += 1
        for _ in range(3):
            await upkeep.sweep(room.rooms)
        for person in (ADA.id, PRIYA):
            [sentence] = await room.told(person)
            assert "still waits for Priya and expires at" in sentence


async def test_deputies_get_the_card_when_their_time_has_come(database: Database) -> None:
    rule = {"approve": "tool:mail/send", "by": "person:U2", "deputy": "person:U8", "after": "2h"}
    async with office(database, rule) as room:
        call = await room.park()
        room.clock.now += 7200.0
        for _ in range(2):
            await upkeep.sweep(room.rooms)
        names = [copy.name for copy in await parked.copies(database, call.id)]
        assert names == ["slack:T1/U2", "slack:T1/U8", "thread"]
        assert sum(post.kind == "card" for post in await room.posts()) == 3


async def test_a_question_taken_back_takes_its_calls_with_it(database: Database) -> None:
    """Peers' case 24."""
    async with office(database) as room:
        waiting = await room.park()
        agreed = await approved(room, {**MAIL, "subject": "Q4"})
        elsewhere = await room.park({**MAIL, "subject": "Q5"}, turn="t_2")
        assert await upkeep.void_of_turn(room.rooms, TurnId("t_1")) == 2
        assert (await room.click(waiting)).kind == "already"
        await room.carry_out()
        assert room.box.sent == []
        assert (await room.now(agreed)).state == "void"
        assert (await room.now(elsewhere)).state == "parked"


async def test_without_an_account_nobody_is_asked_before_it_is_connected(
    database: Database,
) -> None:
    rule = {"approve": "tool:mail/send", "by": "person:U2", "not": "asker"}
    async with office(database, rule) as room:
        room.box.needs = ("Mail.Send",)
        call = await room.park()
        [post] = [post for post in await room.posts() if post.card]
        assert post.card is not None
        assert post.card.buttons == ("connect", "edit", "cancel")
        assert (await room.click(call, "send", PRIYA)).kind == "not_yours"
        link = await room.click(call, "connect")
        assert (link.kind, link.sentence) == ("connect", "Connect for Mail.Send.")
        room.accounts.connected.add(ADA.id)
        room.box.signature = "Ada, Larkspur Cycles"
        assert await upkeep.connected(room.rooms, ADA.id) == 1
        assert await upkeep.connected(room.rooms, ADA.id) == 0
        again = await room.now(call)
        assert (again.state, again.waits_for, again.revision) == ("parked", "", 2)
        cards = [post.card for post in await room.posts() if post.card]
        assert [card.buttons[0] for card in cards] == ["connect", "send", "send"]
        assert room.box.sent == []
        assert (await room.click(again, "send", PRIYA)).kind == "recorded"
        await room.carry_out()
        assert room.accounts.minted == [(ADA.id, ("Mail.Send",))]
        assert room.box.tokens == [f"token of {ADA.id}, number 1"]


@pytest.mark.parametrize("when", ["before the claim", "by the provider"])
async def test_a_lost_sign_in_parks_the_call_again_and_tells_its_owner(
    database: Database, when: str
) -> None:
    async with office(database) as room:
        room.box.needs = ("Mail.Send",)
        room.accounts.connected.add(ADA.id)
        call = await approved(room)
        if when == "by the provider":
            room.box.answers = [NeedsAccount(sentence="Connect your account again.")]
        else:
            room.accounts.connected.clear()
        await room.carry_out()
        waiting = await room.now(call)
        assert (waiting.state, waiting.waits_for) == ("parked", "Connect your account again.")
        assert (waiting.agreed, waiting.decided_by) == ((), None)
        [sentence] = await room.told(ADA.id)
        assert "Connecting sends nothing: press Send again afterwards." in sentence
        assert (await room.click(waiting)).kind == "connect"
        room.accounts.connected.add(ADA.id)
        await upkeep.connected(room.rooms, ADA.id)
        await room.carry_out()
        assert room.accounts.minted[1:] == []
        assert (await room.click(await room.now(call))).kind == "recorded"
        await room.carry_out()
        assert (await room.now(call)).state == "done"
        verdicts = [row["verdict"] for row in await decisions.of_call(database, call.id)]
        assert verdicts == ["approved", "approved"]


@pytest.mark.parametrize("when", ["before the claim", "by the provider"])
async def test_a_further_proof_that_was_asked_for_is_what_connecting_asks_for(
    database: Database, when: str
) -> None:
    proof = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'
    async with office(database) as room:
        room.box.needs = ("Mail.Send",)
        room.accounts.connected.add(ADA.id)
        call = await approved(room)
        if when == "by the provider":
            room.box.answers = [NeedsAccount(sentence="Prove it is you.", claims=proof)]
        else:
            room.accounts.proof = proof
        await room.carry_out()
        assert (await room.click(await room.now(call), "connect")).kind == "connect"
        assert room.accounts.proven == [proof]
        room.accounts.proof = ""
        assert await upkeep.connected(room.rooms, ADA.id) == 1
        again = await room.now(call)
        assert (again.claims, again.waits_for) == ("", "")
        assert (await room.click(again)).kind == "recorded"


async def test_an_account_that_the_policy_names_is_used_and_never_the_approvers(
    sqlite: Database,
) -> None:
    rule = {"approve": "tool:mail/send", "by": "person:U2", "account": "person:U9"}
    async with office(sqlite, rule) as room:
        room.box.needs = ("Mail.Send",)
        room.accounts.connected = {ADA.id, PRIYA, shared := "slack:T1/U9"}  # pyright: ignore[reportAttributeAccessIssue]
        call = await room.park()
        await room.click(call, "send", PRIYA)
        await room.carry_out()
        assert [person for person, _ in room.accounts.minted] == [shared]


async def test_a_missing_permission_is_asked_for_before_anybody_decides(sqlite: Database) -> None:
    async with office(sqlite) as room:
        room.accounts.connected.add(ADA.id)
        room.box.needs = ("Mail.ReadWrite",)
        call = await room.park()
        assert call.waits_for.startswith("Waits for a further permission of Ada")
        assert (await room.click(call)).sentence == "Connect for Mail.ReadWrite."
        assert await upkeep.connected(room.rooms, ADA.id) == 0


async def test_the_switch_stands_on_every_card_when_it_is_turned(database: Database) -> None:
    async with office(database) as room:
        call = await room.park()
        executor = room.executor()
        async with asyncio.TaskGroup() as group:
            group.create_task(executor.run())
            for effects, buttons in (("off", 2), ("on", 3)):
                room.policy(effects=effects)
                async with asyncio.timeout(30):
                    while len((await shown(room))[-1].buttons) != buttons:
                        await database.wait(outbox.channel("slack"), 0.5)
            await executor.drain(5.0)
        assert (await room.now(call)).state == "parked"


async def shown(room: Office) -> list[Card]:
    return [post.card for post in await room.posts() if post.card]


@dataclass
class _Curious(PostBox):
    """Looks something up with the account while it is prepared."""

    lacks: bool = True

    async def prepare(self, call: ParkedCall) -> Json:
        if self.lacks:
            raise errors.NeedsAccount("not_linked", "Connect yours.", scopes=("Mail.Read",))
        return await super().prepare(call)


async def test_an_edit_that_needs_a_lookup_offers_the_link_to_whose_account_it_is_alone(
    sqlite: Database,
) -> None:
    async with office(sqlite, {"approve": "tool:mail/send", "by": "person:U2"}) as room:
        box = _Curious(lacks=False)
        room.rooms.effects["mail/send"] = box  # pyright: ignore[reportIndexIssue]
        call = await room.park()
        box.lacks = True
        typed: Json = {"values": {"subject": "Q4"}, "is_edit": True}
        own = await room.click(call, "edit", ADA.id, **typed)
        assert (own.kind, own.sentence) == ("connect", "Connect for Mail.Read.")
        other = await room.click(call, "edit", PRIYA, **typed)
        assert (other.kind, other.url) == ("refused", "")
        assert await room.now(call) == call


async def test_a_lookup_with_the_account_of_another_asks_nobody_to_connect_theirs(
    sqlite: Database,
) -> None:
    rule = {"approve": "tool:mail/send", "by": "person:U2", "account": "person:U2"}
    async with office(sqlite, rule) as room:
        room.rooms.effects["mail/send"] = _Curious()  # pyright: ignore[reportIndexIssue]
        with pytest.raises(errors.BadArguments, match="the Microsoft account of Priya"):
            await room.park()
