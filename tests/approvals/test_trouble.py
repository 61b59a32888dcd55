"""What happens where something around an approval is missing, slow, broken or twice there."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from core.approvals import carry, upkeep
from core.approvals.asking import Patience
from core.approvals.desk import Desk
from core.approvals.executor import Executor, Pace
from core.approvals.rooms import NoTokens, Strangers
from core.cards import CallId
from core.connectors.outcome import Done, Failed, Unknown
from core.errors import BadArguments, NeedsAccount, SourceFailed, Unavailable
from core.parked import Form, ParkedCall, Verdict
from core.policy.rules import CHANGED
from core.records import Json, TurnId
from core.storage import decisions, parked
from core.storage.database import Database, open_database
from tests.approvals.office import ADA, MAIL, PRIYA, QUICK, Office, approved, office


class Away:
    """A database whose reads, or whose whole writes, fail for a while."""

    def __init__(self, db: Database, *, reads: int = 0, writes: int = 0) -> None:
        self._db = db
        self.reads = reads
        self.writes = writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    async def fetch(self, *given: Any) -> Any:
        self.reads -= 1
        if self.reads >= 0:
            raise Unavailable("busy")
        return await self._db.fetch(*given)

    async def write(self, *given: Any, **how: Any) -> Any:
        self.writes -= 1
        if self.writes >= 0:
            raise Unavailable("disk full")
        return await self._db.write(*given, **how)


async def claimed(room: Office, call: ParkedCall, effect: Any) -> ParkedCall:
    """The row as a process that is gone has left it."""
    after = replace(call, state="executing", effect=effect)
    assert await parked.move(room.db, call, after)
    return await room.now(call)


async def test_of_twenty_clicks_on_two_replicas_one_counts(database_url: str) -> None:
    """Case 40."""
    first = await open_database(database_url)
    second = await open_database(database_url, is_shared=True)
    async with office(first) as room:
        desks = [Desk(room.rooms), Desk(replace(room.rooms, db=second))]
        call = await room.park()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(desks[n % 2].decide(room.clicked(call))) for n in range(20)]
        kinds = Counter(task.result().kind for task in tasks)
        assert kinds == {"recorded": 1, "already": 19}
        approved_call = await room.now(call)
        for db in (first, second):
            await carry.carry(replace(room.rooms, db=db), approved_call, QUICK)
        assert len(room.box.sent) == 1
    await second.close()
    await first.close()


async def test_two_executors_of_one_row_ask_once(database: Database) -> None:
    async with office(database) as room:
        call = await approved(room)
        async with asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(carry.carry(room.rooms, call, QUICK))
        assert len(room.box.sent) == 1


async def test_of_a_batch_cut_in_its_middle_each_is_carried_out_once(database: Database) -> None:
    """Peers' case 18."""
    async with office(database) as room:
        room.box.certainty = "keyed"
        calls = [await approved(room, {**MAIL, "subject": f"{n}"}) for n in range(3)]
        await carry.carry(room.rooms, calls[0], QUICK)
        await claimed(room, calls[1], "keyed")
        for _ in range(3):
            await room.carry_out()
        assert sorted(one.id for one in room.box.sent) == sorted(call.id for call in calls)
        assert {(await room.now(call)).state for call in calls} == {"done"}


@pytest.mark.parametrize(
    ("error", "state", "sentence"),
    [
        (SourceFailed("Entra is away"), "failed", "the sign-in service did not answer"),
        (NeedsAccount("consent", "Allow it."), "parked", ""),
        (None, "failed", "no token came in time"),
    ],
)
async def test_without_a_token_nothing_is_asked_for(
    database: Database, error: Exception | None, state: str, sentence: str
) -> None:
    async with office(database) as room:
        room.box.needs = ("Mail.Send",)
        room.accounts.connected.add(ADA.id)
        call = await approved(room)

        async def token(*_: object) -> str:
            if error is None:
                await asyncio.Event().wait()
            raise error or AssertionError

        room.accounts.token = token  # pyright: ignore[reportAttributeAccessIssue]
        await carry.carry(room.rooms, call, replace(QUICK, token=0.05))
        ended = await room.now(call)
        assert (ended.state, sentence in ended.outcome) == (state, True)
        assert room.box.tokens == []


async def test_a_keyed_effect_is_settled_once_the_sign_in_service_is_back(
    sqlite: Database,
) -> None:
    async with office(sqlite) as room:
        room.box.needs = ("Mail.Send",)
        room.accounts.connected.add(ADA.id)
        minted = room.accounts.token
        away = [SourceFailed("away"), SourceFailed("away")]

        async def token(*given: Any) -> str:
            if away:
                raise away.pop()
            return await minted(*given)

        room.accounts.token = token  # pyright: ignore[reportAttributeAccessIssue]
        room.box.read_back = [Done(summary="It is there.")]
        call = await claimed(room, await approved(room), "keyed")
        await room.carry_out()
        assert (await room.now(call)).outcome == "It is there."


async def test_what_cannot_be_looked_up_is_unknown_and_says_why(database: Database) -> None:
    async with office(database) as room:
        room.box.needs = ("Mail.Send",)
        room.accounts.connected.add(ADA.id)
        call = await claimed(room, await approved(room), "checkable")
        room.accounts.connected.clear()
        await room.carry_out()
        ended = await room.now(call)
        assert ended.state == "unknown"
        assert "I could not look it up: Connect your account again." in ended.outcome


async def test_a_look_that_breaks_is_followed_by_another(database: Database) -> None:
    async with office(database) as room:
        room.box.certainty = "checkable"
        room.box.answers = [Unknown(sentence="504")]
        looks: list[Exception | None] = [ZeroDivisionError(), TimeoutError(), None]

        async def reconcile(call: ParkedCall, token: str) -> Done:
            if look := looks.pop(0):
                raise look
            return Done(summary="It is there.")

        room.box.reconcile = reconcile  # pyright: ignore[reportAttributeAccessIssue]
        call = await approved(room)
        await room.carry_out()
        assert (await room.now(call)).outcome == "It is there."


async def test_nothing_is_repeated_once_effects_are_switched_off(database: Database) -> None:
    async with office(database) as room:
        room.box.certainty = "keyed"
        perform = room.box.perform

        async def lost(call: ParkedCall, token: str) -> Unknown:
            await perform(call, token)
            room.policy(effects="off")
            return Unknown(sentence="504")

        room.box.perform = lost  # pyright: ignore[reportAttributeAccessIssue]
        call = await approved(room)
        await room.carry_out()
        assert (await room.now(call)).state == "unknown"
        assert (len(room.box.sent), room.box.looked) == (1, 0)


async def test_an_effect_that_hangs_is_given_up_after_its_time(sqlite: Database) -> None:
    async with office(sqlite) as room:

        async def perform(call: ParkedCall, token: str) -> Done:
            await asyncio.Event().wait()
            raise AssertionError

        room.box.perform = perform  # pyright: ignore[reportAttributeAccessIssue]
        call = await approved(room)
        await carry.carry(room.rooms, call, Patience(perform=0.05))
        assert (await room.now(call)).outcome.startswith("I asked for this and did not hear back.")


async def test_what_breaks_in_the_middle_is_unknown_and_before_it_a_failure(
    database: Database,
) -> None:
    async with office(database) as room:
        before = await approved(room)
        after = await claimed(room, await approved(room, {**MAIL, "subject": "Q4"}), "keyed")
        for call in (before, after):
            await carry.give_up(room.rooms, call.id)
        await carry.give_up(room.rooms, CallId("c_nothing"))
        assert [(await room.now(call)).state for call in (before, after)] == ["failed", "unknown"]


@asynccontextmanager
async def stale_tool(room: Office, call: ParkedCall):
    """The tool that was shown is no longer the one that is listed."""
    row = await room.db.fetch_one("SELECT body FROM parked WHERE id = ?", (call.id,))
    assert row is not None
    body = row["body"].replace(call.tool_digest, "0" * 64)
    await room.db.execute("UPDATE parked SET body = ? WHERE id = ?", (body, call.id))
    yield
    await room.db.execute("UPDATE parked SET body = ? WHERE id = ?", (row["body"], call.id))


async def test_a_tool_that_changed_can_be_neither_edited_nor_prepared_again(
    sqlite: Database,
) -> None:
    async with office(sqlite) as room:
        call = await room.park()
        async with stale_tool(room, call):
            refused = await room.desk.form(room.clicked(call, "edit"))
            assert isinstance(refused, Verdict)
            assert CHANGED in refused.sentence
            edited = await room.click(call, "edit", values={"subject": "x"}, is_edit=True)
            assert (edited.kind, CHANGED in edited.sentence) == ("refused", True)
        room.box.answers = [Failed(reason="No.")]
        await room.click(call)
        await room.carry_out()
        failed = await room.now(call)
        async with stale_tool(room, failed):
            assert (await room.click(failed, "again")).kind == "refused"
        room.policy({"withhold": "tool:mail/send"})
        refused = await room.click(failed, "again")
        assert "it is no longer permitted" in refused.sentence
        room.policy()
        room.people.gone.add(ADA.id)
        room.people.joined[PRIYA] = frozenset({PRIYA, ADA.id})
        refused = await room.click(failed, "again", PRIYA)
        assert "has no say here any more" in refused.sentence


async def test_a_call_of_a_tool_that_is_gone_is_not_carried_out(sqlite: Database) -> None:
    async with office(sqlite) as room:
        call = await approved(room)
        gone = replace(call, tool="mail/gone")
        assert await parked.move(sqlite, call, gone)
        await room.carry_out()
        assert "mail/gone is not there at the moment" in (await room.now(call)).outcome


async def test_forms_and_whole_cards_are_for_those_concerned_while_it_waits(
    sqlite: Database,
) -> None:
    async with office(sqlite) as room:
        call = await room.park()
        missing = replace(room.clicked(call), call=CallId("c_nothing"))
        for ask in (room.desk.form, room.desk.full):
            assert (await ask(missing)).kind == "not_yours"  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
            stale = await ask(room.clicked(call, "open", revision=7))
            assert isinstance(stale, Verdict)
            assert stale.kind == "stale"
        assert (await room.click(call, "open")).sentence == "Open the card to read all of it."
        assert isinstance(await room.desk.form(room.clicked(call, "edit")), Form)
        await room.click(call, "cancel")
        closed = await room.desk.form(room.clicked(call, "edit"))
        assert isinstance(closed, Verdict)
        assert closed.kind == "already"
        assert (await room.desk.full(room.clicked(call))).state == "cancelled"  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        room.people.gone.add(ADA.id)
        assert await room.desk.waiting(ADA.id) == []


async def test_there_is_nothing_to_connect_where_nothing_is_missing(sqlite: Database) -> None:
    async with office(sqlite) as room:
        call = await room.park()
        assert (await room.click(call, "connect")).kind == "already"
        assert (await room.click(call, "connect", PRIYA)).kind == "not_yours"


async def test_without_accounts_an_effect_that_needs_one_says_so(sqlite: Database) -> None:
    async with office(sqlite) as room:
        room.box.needs = ("Mail.Send",)
        bare = replace(room.rooms, tokens=NoTokens(), people=Strangers(), accounts=None)
        call = await room.park()
        verdict = await Desk(bare).decide(room.clicked(call))
        assert (verdict.kind, verdict.sentence) == ("refused", call.waits_for)
        with pytest.raises(NeedsAccount):
            await NoTokens().token(ADA.id, ("Mail.Send",))
        assert await NoTokens().granted(ADA.id) is None


async def test_an_account_that_comes_too_late_changes_nothing(sqlite: Database) -> None:
    async with office(sqlite) as room:
        room.box.needs = ("Mail.Send",)
        call = await room.park()
        room.accounts.connected.add(ADA.id)
        async with stale_tool(room, call):
            assert await upkeep.connected(room.rooms, ADA.id) == 0
        assert await upkeep.connected(room.rooms, ADA.id) == 1


async def test_what_the_host_adds_must_be_there_in_time(sqlite: Database) -> None:
    async with office(sqlite) as room:

        async def prepare(call: ParkedCall) -> Json:
            raise TimeoutError

        room.box.prepare = prepare  # pyright: ignore[reportAttributeAccessIssue]
        with pytest.raises(BadArguments, match="could not be read in time"):
            await room.park()
        assert await parked.of_turn(sqlite, TurnId("t_1")) == []


async def test_while_the_database_is_away_the_executor_waits_and_goes_on(
    sqlite: Database,
) -> None:
    """Reading fails twice; what was approved is carried out afterwards."""
    async with office(sqlite) as room:
        call = await approved(room)
        away = cast("Database", Away(sqlite, reads=2))
        executor = Executor(replace(room.rooms, db=away), Pace(poll=0.02, patience=QUICK))
        async with asyncio.TaskGroup() as group:
            group.create_task(executor.run())
            async with asyncio.timeout(30):
                while (await room.now(call)).state != "done":
                    await sqlite.wait("outbox:slack", 0.2)
            await executor.drain(5.0)
        assert len(room.box.sent) == 1


async def test_a_drain_cuts_what_hangs_and_the_next_start_settles_it(database: Database) -> None:
    async with office(database) as room:
        asked = asyncio.Event()

        async def perform(call: ParkedCall, token: str) -> Done:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

        room.box.perform = perform  # pyright: ignore[reportAttributeAccessIssue]
        call = await approved(room)
        executor = room.executor()
        async with asyncio.TaskGroup() as group:
            group.create_task(executor.run())
            await asked.wait()
            await executor.drain(0.01)
        assert (await room.now(call)).state == "executing"
        await room.carry_out()
        assert (await room.now(call)).state == "unknown"


async def test_a_decision_that_cannot_be_written_is_not_answered(sqlite: Database) -> None:
    async with office(sqlite) as room:
        call = await room.park()
        away = cast("Database", Away(sqlite, writes=1))
        with pytest.raises(Unavailable):
            await Desk(replace(room.rooms, db=away)).decide(room.clicked(call))
        assert await room.now(call) == call
        assert await decisions.export(sqlite) == []
        assert (await room.click(call)).kind == "recorded"
