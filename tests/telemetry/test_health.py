"""From which values on the bot is not ready."""

import pytest

from core.telemetry.health import Bounds, Readings, problems

WRONG = {
    "the database": (Readings(database="disk I/O error"), "cannot be written: disk I/O error."),
    "a key": (Readings(missing_keys=("k1", "k2")), "were sealed with: k1, k2."),
    "a migration": (Readings(pending_migrations=2), "2 database migrations"),
    "the disk": (Readings(disk_free=0), "Only 0 MiB are free"),
    "a part": (Readings(stopped=("lanes",)), "lanes has stopped."),
    "the lanes": (Readings(lane_silence=31.0), "for 31 s."),
    "the outbox": (Readings(outbox_age=601.0), "for 601 s."),
}


@pytest.mark.promise("X2", "core.telemetry")
@pytest.mark.parametrize("case", WRONG)
def test_one_wrong_value_is_one_sentence(case: str):
    readings, sentence = WRONG[case]
    (told,) = problems(readings)
    assert sentence in told


def test_values_at_their_bounds_are_in_order():
    bounds = Bounds()
    readings = Readings(
        disk_free=bounds.disk_free,
        lane_silence=bounds.lane_silence,
        outbox_age=bounds.outbox_age,
    )
    assert problems(readings) == problems(Readings()) == []


def test_everything_that_is_wrong_is_told():
    readings = Readings(database="x", missing_keys=("k",), pending_migrations=1, disk_free=1)
    assert len(problems(readings)) == 4


def test_a_state_that_lies_elsewhere_has_no_disk_to_fill():
    assert problems(Readings(disk_free=None)) == []
