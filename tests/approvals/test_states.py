"""A parked call makes legal moves only, whatever people, clocks and crashes do to it."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from core.approvals import upkeep
from core.approvals.digest import is_intact
from core.approvals.states import ENDED, MOVES
from core.connectors.outcome import Failed, Unknown
from core.parked import ParkedCall
from core.records import TurnId
from core.storage import decisions, parked
from core.storage.database import open_database
from tests.approvals.office import ADA, MAIL, MALLORY, PRIYA, Office, office

GATE = settings(
    max_examples=80,
    stateful_step_count=50,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
PEOPLE = st.sampled_from((ADA.id, PRIYA, MALLORY))
TAKEN = st.integers(0, 3)
RULES: Any = ({"approve": "tool:mail/send", "by": ["asker", "person:U2"], "needed": 1},)


class Approvals(RuleBasedStateMachine):
    """The real desk and executor on a real file, driven step by step. Every example has a turn of
    its own on the same database."""

    runner: asyncio.Runner
    room: Office
    examples = 0

    def __init__(self) -> None:
        super().__init__()
        Approvals.examples += 1
        self.turn = TurnId(f"t_{Approvals.examples}")
        self.db = self.room.db
        self.seen: dict[str, ParkedCall] = {}
        self.number = 0

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(work)

    def pick(self, number: int) -> ParkedCall | None:
        calls = list(self.seen.values())
        return self.do(self.room.now(calls[number % len(calls)])) if calls else None

    @rule()
    def park(self) -> None:
        if len(self.seen) < 4:
            self.number += 1
            call = self.do(self.room.park({**MAIL, "subject": f"{self.number}"}, turn=self.turn))
            self.seen[call.id] = call

    @rule(which=TAKEN, person=PEOPLE, back=st.integers(0, 1), button=st.sampled_from(
        ("send", "cancel", "was_sent", "again", "connect", "open")))  # fmt: skip
    def click(self, which: int, person: Any, back: int, button: Any) -> None:
        if call := self.pick(which):
            revision = max(1, call.revision - back)
            verdict = self.do(self.room.click(call, button, person, revision=revision))
            after = self.do(self.room.now(call))
            if verdict.kind != "recorded" and verdict.kind != "expired":
                assert (after.state, after.revision) == (call.state, call.revision)
            if person == MALLORY:
                assert verdict.kind == "not_yours"
                assert after == call

    @rule(which=TAKEN, person=PEOPLE, subject=st.sampled_from(("A", "B", 3, None)))
    def edit(self, which: int, person: Any, subject: Any) -> None:
        if call := self.pick(which):
            values = {"subject": subject}
            self.do(self.room.click(call, "edit", person, values=values, is_edit=True))

    @rule(outcome=st.sampled_from((None, Unknown(sentence="?"), Failed(reason="No."))))
    def carry_out(self, outcome: Any) -> None:
        self.room.box.answers = [outcome] if outcome else []
        self.do(self.room.carry_out())

    @rule(which=TAKEN)
    def crash_after_the_claim(self, which: int) -> None:
        if (call := self.pick(which)) and call.state == "approved":
            assert self.do(parked.move(self.db, call, replace(call, state="executing")))

    @rule(seconds=st.sampled_from((60.0, 50_000.0)))
    def wait(self, seconds: float) -> None:
        self.room.clock.now += seconds
        self.do(upkeep.sweep(self.room.rooms))

    @precondition(lambda self: len(self.seen) > 2)
    @rule()
    def take_back(self) -> None:
        self.do(upkeep.void_of_turn(self.room.rooms, self.turn))

    @invariant()
    def every_move_is_legal_and_nothing_is_sent_twice(self) -> None:
        for call in self.do(parked.of_turn(self.db, self.turn)):
            before = self.seen.get(call.id)
            if before is not None:
                assert call.moves >= before.moves
                assert _is_reachable(before, call), (before.state, call.state)
                assert call.revision >= before.revision
                assert before.state not in ENDED or call == before
            assert is_intact(call)
            self.seen[call.id] = call
        sent = [one for one in self.room.box.sent if one.turn == self.turn]
        assert len(sent) == len({one.id for one in sent})
        for call in sent:
            rows = self.do(decisions.of_call(self.db, call.id))
            approved = [row for row in rows if row["verdict"] == "approved"]
            assert approved[-1]["digest"] == call.digest

    def teardown(self) -> None:
        """Nothing of this example is left for the next one to move."""
        self.room.clock.now += 200_000.0
        self.do(upkeep.sweep(self.room.rooms))
        self.do(self.room.carry_out())
        self.room.box.sent.clear()


def _is_reachable(before: ParkedCall, after: ParkedCall) -> bool:
    """Whether that many legal moves lead from the one to the other."""
    states = {before.state}
    for _ in range(after.moves - before.moves):
        states = {state for one in states for state in MOVES[one]}
    return after.state in states


@pytest.mark.promise("D9", "core.approvals")
@pytest.mark.timeout(300)
def test_whatever_happens_every_move_is_legal(tmp_path: Path) -> None:
    async def opened() -> Office:
        return await held.__aenter__()

    async def close() -> None:
        await held.__aexit__(None, None, None)
        await db.close()

    with asyncio.Runner() as runner:
        db = runner.run(open_database(f"sqlite:///{tmp_path}/countersign.db"))
        held = office(db, *RULES)
        Approvals.runner, Approvals.room = runner, runner.run(opened())
        try:
            run_state_machine_as_test(Approvals, settings=GATE)  # pyright: ignore[reportUnknownMemberType]
        finally:
            runner.run(close())
