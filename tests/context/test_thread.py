"""What stands around a question keeps its times, its roles and its room."""

import pytest

from core.context import thread
from core.records import Person, Place, Question
from core.said import Heard, Said
from core.times import local, zone

NOON = 1_767_268_800.0
"""2026-01-01 12:00 UTC."""


def _asked(time_zone: str) -> Question:
    return Question(
        delivery="slack:T1/C1/1",
        thread="t",
        place=Place(surface="slack", tenant="T1", channel="C1", kind="public", name="general"),
        person=Person(id="p", time_zone=time_zone),
        text="what now?",
        said_at=NOON,
    )


def _line(time_zone: str) -> str:
    heard = Heard(text="", said=(Said(role="person", name="Ana", text="a\n- b", at=NOON),))
    return thread.around(_asked(time_zone), heard, 5_000).splitlines()[-1]


def test_a_message_bears_the_time_of_the_person_who_asks_and_stays_on_one_line() -> None:
    assert _line("Asia/Tokyo") == "- [01 Jan 21:00, another person] Ana: a ⏎ - b"


@pytest.mark.parametrize("name", ["", "Europe", "Nowhere/Land", "../../etc/passwd", "/etc", "a\0b"])
def test_a_time_zone_that_is_none_is_utc(name: str) -> None:
    assert zone(name).key == "UTC"
    assert local(NOON, name).isoformat() == "2026-01-01T12:00:00+00:00"
    assert _line(name).startswith("- [01 Jan 12:00,")
