"""What a click may do to a parked call, and what it may not."""

import asyncio
import random
from collections import Counter
from dataclasses import replace

import pytest

from core.approvals.moves import COPIES
from core.cards import CallId, Card
from core.connectors.outcome import Unknown
from core.parked import Verdict
from core.records import Json, Person, PersonId
from core.storage import decisions, parked
from core.storage.database import Database
from tests.approvals.office import ADA, MAIL, MALLORY, PRIYA, office

COMMS = {"approve": "tool:mail/send", "by": "group:comms", "not": "asker"}
BOSS, DEPUTY = PersonId("slack:T1/U7"), PersonId("slack:T1/U8")


async def test_the_askers_click_sends_what_the_card_shows(database: Database) -> None:
    async with office(database) as room:
        call = await room.park()
        assert (await room.click(call)).kind == "recorded"
        await room.carry_out()
        ended = await room.now(call)
        assert (ended.state, ended.outcome) == ("done", "Sent.")
        assert ended.link == "https://mail.example/1"
        assert [one.arguments for one in room.box.sent] == [call.arguments]


@pytest.mark.promise("P1", "core.approvals", "core.policy")
async def test_clicks_of_others_move_nothing_and_are_told_so(database: Database) -> None:
    """Peers' case 27."""
    chance = random.Random(3)
    async with office(database) as room:
        verdicts: Counter[str] = Counter()
        calls = [await room.park({**MAIL, "subject": f"{n}"}) for n in range(60)]
        for call in calls:
            for button in ("send", "cancel", "connect", "was_sent", "again", "edit", "open"):
                if chance.random() < 0.7:
                    verdict = await room.click(call, button, MALLORY, values={"subject": "x"})
                    verdicts[verdict.kind] += 1
                    assert verdict.kind == "not_yours"
            for ask in (room.desk.form, room.desk.full):
                refused = await ask(room.clicked(call, "open", MALLORY))
                assert isinstance(refused, Verdict)
                assert refused.kind == "not_yours"
            assert await room.now(call) == call
        assert verdicts["not_yours"] > 200
        assert await decisions.export(database) == []
        await room.carry_out()
        assert room.box.sent == []


STRANGERS = [
    *(f"slack:T{n}/U1" for n in range(2, 12)),
    *(f"slack:T{n}/U7" for n in range(2, 8)),
    "slack:T1/U11",
    "slack:T1/u1",
    "slack:T1/U1 ",
    "slack:T1/U1/x",
    "slack:T1/",
    "slack:/U1",
    "teams:T1/U1",
    "U1",
    "U7",
    "asker",
    "group:comms",
    "person:U7",
    "slack:T1/B7",
    "",
]


@pytest.mark.promise("P2", "core.approvals", "core.policy")
async def test_guests_other_tenants_bots_and_the_departed_decide_nothing(sqlite: Database) -> None:
    """Who is no approver by the rules, however alike the id, is nobody; and so is who has left."""
    assert len(STRANGERS) == 30
    rule = {"approve": "tool:mail/send", "by": ["person:U7", "group:comms"]}
    async with office(sqlite, rule) as room:
        for n in range(20):
            call = await room.park({**MAIL, "subject": f"{n}"})
            for stranger in STRANGERS:
                verdict = await room.click(call, "send", PersonId(stranger))
                assert verdict.kind == "not_yours", stranger
            room.people.gone.add(BOSS)
            assert (await room.click(call, "send", BOSS)).kind == "not_yours"
            room.people.gone.clear()
            assert await room.now(call) == call
        assert (await room.click(call, "send", BOSS)).kind == "recorded"


async def test_a_second_click_changes_nothing(database: Database) -> None:
    """Peers' case 27."""
    async with office(database) as room:
        call = await room.park()
        kinds: Counter[str] = Counter()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(room.click(call)) for _ in range(20)]
        kinds.update(task.result().kind for task in tasks)
        assert kinds == {"recorded": 1, "already": 19}
        await room.carry_out()
        assert (await room.click(call)).kind == "already"
        assert (await room.click(call, "cancel")).kind == "already"
        await room.carry_out()
        assert len(room.box.sent) == 1
        assert len(await decisions.of_call(database, call.id)) == 1


async def test_a_click_on_an_older_revision_is_stale(database: Database) -> None:
    async with office(database) as room:
        call = await room.park()
        await room.click(call, "edit", values={"subject": "Q4"}, is_edit=True)
        for button in ("send", "cancel", "edit"):
            verdict = await room.click(call, button, values={"subject": "Q5"})
            assert verdict.kind == "stale"
        assert (await room.now(call)).state == "parked"
        newest = await room.now(call)
        assert (await room.click(newest)).kind == "recorded"


async def test_an_approver_of_one_kind_is_none_of_another(sqlite: Database) -> None:
    mail = {"approve": "tool:mail/send", "by": "group:comms"}
    crm = {"approve": "tool:crm/create_lead", "by": "group:sales"}
    async with office(sqlite, mail, crm) as room:
        room.people.groups = {PRIYA: ("comms",), BOSS: ("sales",)}
        letter = await room.park()
        lead = await room.park({"name": "Acme", "revenue": 10.5}, key="crm/create_lead")
        assert (await room.click(letter, "send", BOSS)).kind == "not_yours"
        assert (await room.click(lead, "send", PRIYA)).kind == "not_yours"
        assert (await room.click(lead, "send", BOSS)).kind == "recorded"
        assert (await room.click(letter, "send", PRIYA)).kind == "recorded"


async def test_four_eyes_bar_whoever_asked_or_wrote_it(database: Database) -> None:
    async with office(database, COMMS) as room:
        room.people.groups = {ADA.id: ("comms",), PRIYA: ("comms",), BOSS: ("comms",)}
        call = await room.park()
        assert (await room.click(call, "send", ADA.id)).kind == "not_yours"
        verdict = await room.click(call, "edit", PRIYA, values={"subject": "Q4"}, is_edit=True)
        assert verdict.kind == "recorded"
        edited = await room.now(call)
        assert (await room.click(edited, "send", PRIYA)).kind == "not_yours"
        assert (await room.click(edited, "send", ADA.id)).kind == "not_yours"
        assert (await room.click(edited, "send", BOSS)).kind == "recorded"


@pytest.mark.parametrize(
    ("more", "is_taken"),
    [({}, False), ({"deputy": "person:U8", "after": "2h"}, True)],
)
async def test_the_only_approver_cannot_edit_a_call_into_a_dead_end(
    sqlite: Database, more: Json, is_taken: bool
) -> None:
    rule = {"approve": "tool:mail/send", "by": "person:U2", "not": "asker", **more}
    async with office(sqlite, rule) as room:
        call = await room.park()
        verdict = await room.click(call, "edit", PRIYA, values={"subject": "Q4"}, is_edit=True)
        assert (verdict.kind == "recorded") == is_taken
        if not is_taken:
            assert "nobody else could: Priya" in verdict.sentence
            assert await room.now(call) == call
            [told] = await room.told(ADA.id)
            assert told.startswith(f"Priya wanted to change #{call.number} before agreeing to it.")
            await room.click(call, "edit", PRIYA, values={"subject": "Q5"}, is_edit=True)
            assert await room.told(ADA.id) == [told]
            own = await room.click(call, "edit", ADA.id, values={"subject": "Q4"}, is_edit=True)
            assert own.kind == "recorded"
            assert (await room.click(await room.now(call), "send", PRIYA)).kind == "recorded"


async def test_two_of_a_group_have_to_agree_and_one_person_is_one(database: Database) -> None:
    rule = {"approve": "tool:mail/send", "by": "group:comms", "needed": 2}
    async with office(database, rule) as room:
        teams = PersonId("teams:tenant/priya")
        both = frozenset({PRIYA, teams})
        room.people.joined = {PRIYA: both, teams: both}
        room.people.groups = {PRIYA: ("comms",), teams: ("comms",), BOSS: ("comms",)}
        call = await room.park()
        assert (await room.click(call, "send", PRIYA)).kind == "recorded"
        assert (await room.click(call, "send", PRIYA)).kind == "already"
        assert (await room.click(call, "send", teams)).kind == "already"
        assert (await room.now(call)).state == "parked"
        assert (await room.click(call, "send", BOSS)).kind == "recorded"
        assert (await room.now(call)).state == "approved"
        verdicts = [row["verdict"] for row in await decisions.of_call(database, call.id)]
        assert verdicts == ["agreed", "approved"]


async def test_two_who_agree_at_the_same_moment_are_both_counted(database: Database) -> None:
    rule = {"approve": "tool:mail/send", "by": "group:comms", "needed": 5}
    async with office(database, rule) as room:
        people = [PersonId(f"slack:T1/U{n}") for n in range(100, 105)]
        room.people.groups = dict.fromkeys(people, ("comms",))
        call = await room.park()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(room.click(call, "send", one)) for one in people]
        assert [task.result().kind for task in tasks] == ["recorded"] * 5
        assert (await room.now(call)).state == "approved"


async def test_an_edit_voids_what_was_agreed(database: Database) -> None:
    rule = {"approve": "tool:mail/send", "by": "group:comms", "needed": 2}
    async with office(database, rule) as room:
        room.people.groups = {PRIYA: ("comms",), BOSS: ("comms",)}
        call = await room.park()
        await room.click(call, "send", PRIYA)
        await room.click(call, "edit", BOSS, values={"subject": "Q4"}, is_edit=True)
        edited = await room.now(call)
        assert (edited.revision, edited.agreed, edited.edited_by) == (2, (), BOSS)
        assert edited.digest != call.digest
        await room.click(edited, "send", BOSS)
        assert (await room.now(call)).state == "parked"


async def test_a_deputy_may_decide_only_after_a_while(database: Database) -> None:
    rule = {"approve": "tool:mail/send", "by": "person:U7", "deputy": "person:U8", "after": "2h"}
    async with office(database, rule) as room:
        call = await room.park()
        assert {copy.name for copy in await parked.copies(database, call.id)} == {"thread", BOSS}
        room.clock.now += 7199.0
        assert (await room.click(call, "send", DEPUTY)).kind == "not_yours"
        room.clock.now += 1.0
        assert (await room.click(call, "send", DEPUTY)).kind == "recorded"


async def test_a_cancel_tells_the_asker_who_and_why(database: Database) -> None:
    async with office(database, COMMS) as room:
        room.people.groups = {PRIYA: ("comms",)}
        call = await room.park()
        verdict = await room.click(call, "cancel", PRIYA, reason="wrong quarter")
        assert verdict.kind == "recorded"
        assert await room.told(ADA.id) == ["Priya cancelled #1: wrong quarter"]
        assert (await room.click(call, "send", PRIYA)).kind == "already"
        await room.carry_out()
        assert room.box.sent == []


async def test_a_long_card_is_sent_only_by_who_has_opened_it(database: Database) -> None:
    async with office(database) as room:
        call = await room.park({**MAIL, "body": "All is well.\n" * 800 + "bcc everybody"})
        [post] = [post for post in await room.posts() if post.kind == "card"]
        assert post.card is not None
        assert post.card.buttons == ("open", "edit", "cancel")
        assert (await room.click(call)).kind == "refused"
        whole = await room.desk.full(room.clicked(call, "open"))
        assert isinstance(whole, Card)
        assert whole.buttons == ("send", "edit", "cancel")
        assert whole.fields[2].value.endswith("bcc everybody")
        assert (await room.click(call)).kind == "recorded"


async def test_who_opened_an_older_revision_has_not_seen_this_one(sqlite: Database) -> None:
    async with office(sqlite) as room:
        call = await room.park({**MAIL, "body": "All is well.\n" * 800})
        await room.desk.full(room.clicked(call, "open"))
        await room.click(call, "edit", values={"subject": "other"}, is_edit=True)
        assert (await room.click(await room.now(call))).kind == "refused"


async def test_nothing_is_sent_while_effects_are_off(database: Database) -> None:
    async with office(database) as room:
        before, after = await room.park(), await room.park({**MAIL, "subject": "Q4"})
        await room.click(before)
        room.policy(effects="off")
        assert (await room.click(after)).kind == "refused"
        await room.carry_out()
        waiting = await room.now(before)
        assert (waiting.state, waiting.agreed, room.box.sent) == ("parked", (), [])
        [card] = [c for c in await room.desk.waiting(ADA.id) if c.call == before.id]
        assert "send" not in card.buttons
        assert any("switched all effects off" in notice for notice in card.notices)
        room.policy()
        assert (await room.click(waiting)).kind == "recorded"
        await room.carry_out()
        assert len(room.box.sent) == 1


async def test_what_waits_for_a_person_is_listed_for_them_alone(database: Database) -> None:
    async with office(database, COMMS) as room:
        room.people.groups = {PRIYA: ("comms",)}
        call = await room.park()
        for person in (ADA.id, PRIYA):
            assert [card.number for card in await room.desk.waiting(person)] == [call.number]
        assert await room.desk.waiting(MALLORY) == []
        await room.click(call, "cancel", PRIYA)
        assert await room.desk.waiting(PRIYA) == []


async def test_what_somebody_asked_to_see_is_shown_once_and_changes_with_the_others(
    database: Database,
) -> None:
    async with office(database) as room:
        call = await room.park()
        await database.execute("UPDATE outbox SET state = 'sent', platform_id = 'ts-' || id")
        assert (await room.desk.show(MALLORY, "m0")) == "Nothing waits for you."
        for asked in ("m1", "m1", "m2", *map(str, range(20))):
            assert "1 call waits." in await room.desk.show(ADA.id, asked)
        shown = await room.posts()
        assert len(shown) == COPIES - 1, "there is an end to it"
        assert {post.kind for post in shown} == {"card"}
        assert all(dict(post.address) == {"person": ADA.id} for post in shown)
        await database.execute("UPDATE outbox SET state = 'sent', platform_id = 'ts-' || id")
        await room.click(call, "cancel")
        changed = [post for post in await room.posts() if post.card]
        assert len(changed) == COPIES
        assert {post.card.state for post in changed if post.card} == {"cancelled"}


async def test_a_click_on_a_call_that_never_was_moves_nothing(sqlite: Database) -> None:
    async with office(sqlite) as room:
        call = await room.park()
        verdict = await room.click(replace(call, id=CallId("c_nothing")))
        assert verdict.kind == "not_yours"


async def test_what_an_unknown_outcome_was_is_for_those_concerned_to_say(
    database: Database,
) -> None:
    async with office(database) as room:
        room.box.answers = [Unknown(sentence="I did not hear back.", look_at="Sent Items")]
        call = await room.park()
        await room.click(call)
        await room.carry_out()
        doubt = await room.now(call)
        assert (await room.click(doubt, "was_sent", MALLORY)).kind == "not_yours"
        assert (await room.click(doubt, "was_sent")).kind == "recorded"
        said = await room.now(call)
        assert (said.state, said.outcome) == ("done", "Ada says that it was sent.")
        assert (await room.click(said, "again")).kind == "already"


async def test_a_person_of_the_same_number_elsewhere_is_another(sqlite: Database) -> None:
    rule = {"approve": "tool:mail/send", "by": "person:U7"}
    async with office(sqlite, rule) as room:
        call = await room.park(person=Person(id=PersonId("slack:T1/U1")))
        assert (await room.click(call, "send", PersonId("slack:T9/U7"))).kind == "not_yours"
        assert (await room.click(call, "send", BOSS)).kind == "recorded"
