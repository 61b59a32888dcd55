"""The same message again, hours later and after a restart, is no second question."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.capabilities.catalog import Catalog
from core.policy.guards import Choice
from core.storage.database import open_database
from core.turn.intake import Intake
from core.turn.setup import Setup
from core.turn.steering import Steering
from tests.fakes.mcp_pins import MemoryPins
from tests.storage.examples import question

SETUP = Setup(models=("demo",), default=Choice(model="demo", agent=""))
HOUR = 3_600.0


@pytest.mark.parametrize("is_refused", [False, True])
async def test_a_delivery_that_comes_hours_later_posts_nothing(
    tmp_path: Path, is_refused: bool
) -> None:
    """Case 4."""
    asked = replace(question("d1"), text="help" if is_refused else "how was Q3?", said_at=1_000.0)
    seen: list[str] = []
    posts: list[int] = []
    for restart, hours in enumerate((0, 5, 23)):
        db = await open_database("sqlite:///c.db", state=tmp_path)
        now = 1_000.0 + hours * HOUR
        async with Catalog([], MemoryPins(), clock=lambda now=now: now) as catalog:
            door = Intake(
                db, Steering(db, SETUP), catalog, lambda now=now: now, lambda n=restart: f"{n:016x}"
            )
            seen.append((await door.accept(asked)).kind)
            posts.append(len(await db.fetch("SELECT id FROM outbox")))
            assert len(await db.fetch("SELECT id FROM inbox")) == 1
        await db.close()
    assert seen == ["refused" if is_refused else "accepted", "duplicate", "duplicate"]
    assert posts[0] == posts[1] == posts[2] == 1
