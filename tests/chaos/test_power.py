"""What was answered is still there when the power comes back."""

from pathlib import Path

import pytest

from tests.chaos import mutants, power
from tests.chaos.mutants import Mutant

pytestmark = pytest.mark.skipif(bool(power.why_not()), reason=power.why_not())

IMAGES = 200
FORGETFUL = (
    Mutant(
        "a decision does not wait for the disk",
        "core/approvals/moves.py",
        "rooms.db.write(written)",
        "rooms.db.write(written, is_durable=False)",
    ),
    Mutant(
        "no commit waits for the disk",
        "core/storage/writer.py",
        'return "PRAGMA synchronous = FULL" if syncs',
        'return "PRAGMA synchronous = OFF" if syncs',
    ),
)


@pytest.mark.promise("D7", "core.storage", "core.approvals")
def test_no_cut_of_the_power_takes_what_was_answered_before(tmp_path: Path) -> None:
    found = power.cut(power.recorded(tmp_path, calls=200), tmp_path, images=IMAGES, seed=1)
    assert found.images == IMAGES
    assert min(found.promised[kind] for kind in power.QUESTIONS) > IMAGES
    assert (found.missing, found.broken) == ([], [])


@pytest.mark.parametrize("mutant", FORGETFUL, ids=lambda mutant: mutant.name)
def test_a_bot_that_does_not_wait_for_the_disk_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    with mutants.broken(mutant) as source:
        record = power.recorded(tmp_path, calls=60, source=source)
    found = power.cut(record, tmp_path, images=40, seed=1)
    assert [what for what in found.missing if what.startswith("decided")] or found.broken
