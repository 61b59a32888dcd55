"""A thousand clicks at a bot that is killed while it works, and a provider that lies."""

from pathlib import Path

import pytest

from tests.chaos.storm import Storm


@pytest.mark.promise("D1", "core.approvals")
@pytest.mark.promise("D2", "core.approvals")
@pytest.mark.promise("D3", "core.approvals")
@pytest.mark.promise("D4", "core.approvals")
@pytest.mark.promise("P1", "core.approvals")
@pytest.mark.promise("P10", "core.approvals")
@pytest.mark.timeout(300)
async def test_no_click_is_lost_and_nothing_happens_twice(tmp_path: Path) -> None:
    """Peers' case 22, among the rest."""
    storm = Storm(tmp_path, count=1_000, seed=1, kills=6)
    await storm.run()
    print(storm.report())
    assert not any(storm.faults().values()), storm.report()
    assert storm.killed == 6
    assert storm.verdicts["mallory: not_yours"] > 50
    states = {state for (state,) in storm.ask("SELECT DISTINCT state FROM parked")}
    assert states == {"done", "unknown"}
