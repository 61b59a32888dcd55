"""What the executor does with an approved call: checked again, asked for once, said for good."""

import asyncio
import random
from dataclasses import replace

import pytest

from core.approvals import upkeep
from core.connectors.outcome import Done, Failed, Unknown
from core.records import Json, TurnId
from core.storage import evidence, outbox, parked
from core.storage.database import Database
from tests.approvals.office import ADA, MAIL, Office, approved, office

MOVED = outbox.channel("slack")
"""Rung after every move: each changes a card."""


WAYS_TO_REVOKE = ("withhold", "approver", "tool", "person", "row", "switch", "stricter")


async def revoke(room: Office, way: str, call_id: str) -> None:
    match way:
        case "withhold":
            room.policy({"withhold": "tool:mail/send"})
        case "approver":
            room.policy({"approve": "tool:mail/send", "by": "group:comms"})
        case "stricter":
            room.policy({"approve": "tool:mail/send", "by": ["asker", "person:U2"], "needed": 2})
        case "person":
            room.people.gone.add(ADA.id)
        case "switch":
            room.policy(effects="off")
        case "tool":
            await room.db.execute(
                'UPDATE parked SET body = replace(body, \'"tool_digest":"\', \'"tool_digest":"0\')'
                " WHERE id = ?",
                (call_id,),
            )
        case _:
            await room.db.execute(
                "UPDATE parked SET body = replace(body, 'Q3', 'Q9') WHERE id = ?", (call_id,)
            )


@pytest.mark.promise("P4", "core.approvals")
async def test_what_was_revoked_between_click_and_claim_is_not_carried_out(
    sqlite: Database,
) -> None:
    chance = random.Random(5)
    async with office(sqlite) as room:
        for n in range(500):
            way = chance.choice(WAYS_TO_REVOKE)
            call = await approved(room, {**MAIL, "subject": f"Q3 {n}"})
            await revoke(room, way, call.id)
            await room.carry_out()
            assert (await room.now(call)).state in ("failed", "parked"), way
            room.policy()
            room.people.gone.clear()
        assert room.box.sent == []


@pytest.mark.promise("P5", "core.approvals")
async def test_nothing_is_carried_out_after_its_expiry(sqlite: Database) -> None:
    """The clock jumps by up to five minutes between any two steps."""
    chance = random.Random(9)
    performed: list[float] = []
    async with office(sqlite) as room:
        for n in range(150):
            call = await room.park({**MAIL, "subject": f"Q3 {n}"})
            room.clock.now = call.expires_at + chance.uniform(-600, 100)
            await room.click(call)
            room.clock.now += chance.uniform(-300, 300)
            before = len(room.box.sent)
            await room.carry_out()
            if len(room.box.sent) > before:
                performed.append(call.expires_at - room.clock.now)
            await upkeep.sweep(room.rooms)
        assert len(performed) > 30
        assert min(performed) > 0
        states = [row["state"] for row in await sqlite.fetch("SELECT state FROM parked")]
        assert "expired" in states
        assert "done" in states


@pytest.mark.promise("D4", "core.approvals")
async def test_a_blind_effect_that_breaks_is_unknown_and_said_and_never_repeated(
    database: Database,
) -> None:
    async with office(database) as room:
        room.box.answers = [ConnectionResetError("gone"), TimeoutError(), Unknown(sentence="?")]
        for n in range(3):
            call = await approved(room, {**MAIL, "subject": f"{n}"})
            for _ in range(3):
                await room.carry_out()
            doubt = await room.now(call)
            assert doubt.state == "unknown"
            assert "I will not repeat it by myself." in doubt.outcome
            assert any(doubt.outcome in told for told in await room.told(ADA.id))
            card = [post.card for post in await room.posts() if post.card][-1]
            assert (card.state, card.buttons) == ("unknown", ("was_sent", "again"))
        assert len(room.box.tokens) == 3
        assert room.box.looked == 0


@pytest.mark.promise("D2", "core.approvals")
async def test_what_a_dead_process_had_claimed_is_not_asked_for_again(
    database: Database,
) -> None:
    async with office(database) as room:
        call = await approved(room)
        claimed = replace(call, state="executing")
        assert await parked.move(database, call, claimed)
        await room.carry_out()
        assert (await room.now(call)).state == "unknown"
        assert (room.box.tokens, room.box.looked) == ([], 0)


@pytest.mark.promise("D3", "core.approvals")
@pytest.mark.parametrize("read_back", [Done(summary="It is there."), None])
async def test_a_keyed_effect_is_read_back_and_only_then_repeated(
    database: Database, read_back: Done | None
) -> None:
    async with office(database) as room:
        room.box.certainty = "keyed"
        room.box.answers = [Unknown(sentence="504")]
        room.box.read_back = [read_back]
        call = await approved(room)
        await room.carry_out()
        assert (await room.now(call)).state == "done"
        assert len(room.box.tokens) == (1 if read_back else 2)
        assert {one.id for one in room.box.sent} == {call.id}


async def test_a_checkable_effect_is_looked_up_and_never_repeated(database: Database) -> None:
    async with office(database) as room:
        room.box.certainty = "checkable"
        room.box.answers = [Unknown(sentence="504"), Unknown(sentence="504")]
        room.box.read_back = [None, Done(summary="It is in Sent Items."), None, None, None]
        seen, unseen = await approved(room), await approved(room, {**MAIL, "subject": "Q4"})
        await room.carry_out()
        assert (await room.now(seen)).outcome == "It is in Sent Items."
        assert (await room.now(unseen)).state == "unknown"
        assert len(room.box.tokens) == 2


async def test_a_repetition_that_is_refused_says_nothing_about_the_first(
    database: Database,
) -> None:
    async with office(database) as room:
        room.box.certainty = "keyed"
        room.box.answers = [Unknown(sentence="504"), Failed(reason="Forbidden.")]
        call = await approved(room)
        await room.carry_out()
        assert (await room.now(call)).state == "unknown"


async def test_a_failure_says_why_and_trying_again_is_a_new_call(database: Database) -> None:
    async with office(database) as room:
        room.box.answers = [Failed(reason="The mailbox is full.", request_id="r-9")]
        call = await approved(room)
        await room.carry_out()
        failed = await room.now(call)
        assert (failed.state, failed.outcome) == ("failed", "The mailbox is full.")
        kinds = [(await room.click(failed, "again")).kind for _ in range(2)]
        assert kinds == ["recorded", "already"]
        old, new = await parked.of_turn(database, TurnId("t_1"))
        assert (old.state, new.state, new.number) == ("void", "parked", 2)
        assert old.outcome.endswith("Prepared again as #2.")
        assert (new.arguments, new.agreed) == (call.arguments, ())
        await room.carry_out()
        assert len(room.box.sent) == 1
        assert (await room.click(new)).kind == "recorded"
        await room.carry_out()
        assert len(room.box.sent) == 2


async def test_two_who_prepare_again_at_once_make_one_call(database: Database) -> None:
    async with office(database) as room:
        room.box.answers = [Unknown(sentence="?")]
        call = await approved(room)
        await room.carry_out()
        doubt = await room.now(call)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(room.click(doubt, "again")) for _ in range(10)]
        assert sorted(task.result().kind for task in tasks) == ["already"] * 9 + ["recorded"]
        assert len(await parked.of_turn(database, TurnId("t_1"))) == 2


async def test_what_would_fail_the_same_way_cannot_be_tried_again(sqlite: Database) -> None:
    async with office(sqlite) as room:
        room.box.answers = [Failed(reason="There is no such person.", can_try_again=False)]
        call = await approved(room)
        await room.carry_out()
        assert (await room.click(await room.now(call), "again")).kind == "refused"


async def test_an_outcome_is_evidence_that_names_no_number_of_the_turn(
    database: Database,
) -> None:
    async with office(database) as room:
        room.box.answers = [Done(summary="Sent.", evidence={"id": "m-1"}, link="https://m/1")]
        call = await approved(room)
        await room.carry_out()
        [piece] = await evidence.of_turn(database, call.turn)
        assert piece.id == f"{call.id}.done"
        assert piece.title == "#1 Send a mail: done"
        assert "To: priya@larkspur.example" in piece.text
        assert piece.links == (("#1 Send a mail", "https://m/1"),)
        assert piece.structured == {"id": "m-1"}


async def test_a_foreign_tool_runs_with_the_rows_arguments_and_the_calls_key(
    database: Database,
) -> None:
    async with office(database) as room:
        lead: Json = {"name": "Acme", "revenue": 10.5}
        call = await approved(room, lead, key="crm/create_lead")
        await room.carry_out()
        ended = await room.now(call)
        assert (ended.state, ended.outcome) == ("done", "Lead Acme created.")
        assert room.heard == [({**lead, "contacts": None}, call.id)]


async def test_what_a_foreign_tool_reports_is_a_failure_in_its_words(sqlite: Database) -> None:
    async with office(sqlite) as room:
        call = await approved(room, {"name": "Refused", "revenue": 1.0}, key="crm/create_lead")
        await room.carry_out()
        ended = await room.now(call)
        assert ended.state == "failed"
        assert "the CRM does not take this name" in ended.outcome


@pytest.mark.parametrize(
    ("key", "arguments", "state", "times"),
    [
        ("crm/set_stage", {"lead": "Acme", "stage": "won"}, "done", 1),
        ("crm/create_lead", {"name": "Acme", "revenue": 1.0}, "unknown", 0),
    ],
)
async def test_after_a_crash_only_an_idempotent_foreign_tool_is_called_again(
    database: Database, key: str, arguments: Json, state: str, times: int
) -> None:
    async with office(database) as room:
        call = await approved(room, arguments, key=key)
        effect = "keyed" if times else "blind"
        assert await parked.move(database, call, replace(call, state="executing", effect=effect))
        await room.carry_out()
        assert (await room.now(call)).state == state
        assert [key for _, key in room.heard] == [call.id] * times


async def test_after_a_crash_nothing_is_read_back_while_effects_are_off(database: Database) -> None:
    async with office(database) as room:
        call = await approved(room, {"lead": "Acme", "stage": "won"}, key="crm/set_stage")
        assert await parked.move(database, call, replace(call, state="executing", effect="keyed"))
        room.policy(effects="off")
        await room.carry_out()
        assert (await room.now(call)).state == "unknown"
        assert room.heard == []


async def test_the_executor_carries_out_what_is_clicked_and_drains(database: Database) -> None:
    async with office(database) as room:
        left = await approved(room, {**MAIL, "subject": "left"})
        assert await parked.move(database, left, replace(left, state="executing"))
        executor = room.executor()
        async with asyncio.TaskGroup() as group:
            group.create_task(executor.run())
            calls = [await approved(room, {**MAIL, "subject": f"{n}"}) for n in range(40)]
            async with asyncio.timeout(30):
                while len(room.box.sent) < 40 or not await room.is_at_rest():
                    await database.wait(MOVED, 0.5)
            await executor.drain(5.0)
        assert sorted(one.id for one in room.box.sent) == sorted(call.id for call in calls)
        assert (await room.now(left)).state == "unknown"
        assert {(await room.now(call)).state for call in calls} == {"done"}


async def test_a_call_that_breaks_the_executor_is_told_and_holds_up_no_other(
    sqlite: Database,
) -> None:
    async with office(sqlite) as room:
        bad, good = await approved(room), await approved(room, {**MAIL, "subject": "good"})
        broke: list[str] = []

        async def granted(person: str) -> None:
            if not broke:
                broke.append(person)
                raise ZeroDivisionError
            return None

        room.accounts.granted = granted  # pyright: ignore[reportAttributeAccessIssue]
        executor = room.executor()
        async with asyncio.TaskGroup() as group:
            group.create_task(executor.run())
            async with asyncio.timeout(30):
                while not await room.is_at_rest():
                    await sqlite.wait(MOVED, 0.5)
            await executor.drain(5.0)
        assert (await room.now(bad)).outcome == "Nothing was sent: something broke on our side."
        assert (await room.now(good)).state == "done"
