"""Every decision has a person, a moment, a digest and a rule; and no model stands in its path."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from core.policy.rules import version
from core.storage import decisions
from core.storage.database import Conflict, Database
from core.storage.retention import DAY, Retention, sweep
from tests.approvals.office import ADA, MAIL, PRIYA, office

ROOT = Path(__file__).parents[2]


@pytest.mark.promise("P10", "core.approvals")
async def test_each_call_has_one_decision_that_names_who_when_what_and_why(
    database: Database,
) -> None:
    async with office(database) as room:
        calls = [await room.park({**MAIL, "subject": f"{n}"}) for n in range(60)]
        for n, call in enumerate(calls):
            room.clock.now += 1.0
            button = "cancel" if n % 5 == 0 else "send"
            for _ in range(3):
                await room.click(call, button, delivery=f"d{n}")
            await room.click(call, "send", PRIYA)
        await room.carry_out()
        rows = await decisions.export(database)
        assert Counter(row["call"] for row in rows) == {call.id: 1 for call in calls}
        for n, (row, call) in enumerate(zip(rows, calls, strict=True)):
            sent = n % 5 != 0
            assert row == {
                "call": call.id,
                "number": call.number,
                "revision": 1,
                "tool": "mail/send",
                "person": ADA.id,
                "button": "send" if sent else "cancel",
                "verdict": "approved" if sent else "cancelled",
                "digest": call.digest,
                "policy_version": version(room.rules[-1]),
                "reason": "",
                "delivery": f"d{n}",
                "decided_at": 1_000_001.0 + n,
                "outcome": "done" if sent else "",
                "request_id": "r-1" if sent else "",
            }


async def test_a_decision_is_never_changed(database: Database) -> None:
    async with office(database) as room:
        await room.click(await room.park())
        with pytest.raises(Conflict):
            await database.execute("UPDATE decisions SET person = 'slack:T1/U666'")


async def test_decisions_outlive_what_was_decided_about(database: Database) -> None:
    async with office(database) as room:
        call = await room.park()
        await room.click(call)
        await room.carry_out()
        gone = await sweep(database, Retention(), now=room.clock.now + 100 * DAY)
        assert gone["parked"] == 1
        [row] = await decisions.export(database)
        assert (row["outcome"], row["digest"]) == ("done", call.digest)
        await sweep(database, Retention(), now=room.clock.now + 500 * DAY)
        assert await decisions.export(database) == []


REACHED = """
import sys
import core.approvals.desk, core.approvals.executor
loaded = [name for name in sys.modules if name.split(".")[0] in
          ("langchain_core", "langgraph", "openai", "anthropic", "onnxruntime")
          or name.startswith("core.llm") or name.startswith("core.loop")]
print(",".join(loaded))
"""


@pytest.mark.promise("P8", "core.approvals")
def test_no_model_is_loaded_where_clicks_are_decided_and_carried_out() -> None:
    command = [sys.executable, "-c", REACHED]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == ""
