"""What stands around a question keeps its times, its roles and its room."""

from dataclasses import replace

import pytest

from core.context import thread
from core.context.shape import Finished
from core.records import Person, Place, Question
from core.said import Attached, Heard, Said
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


def _said(text: str, **more: object) -> Said:
    return Said(role=more.pop("role", "person"), name="Ana", text=text, **more)  # type: ignore[arg-type]


def test_what_the_model_has_as_its_history_is_not_shown_again() -> None:
    heard = Heard(
        text="",
        said=(
            _said("A report.", role="us"),
            _said("@Countersign  how many?", role="asker"),
            _said("Twelve.", role="us"),
            _said("how many?"),
            _said("so how many?"),
            _said("And why?"),
        ),
    )
    past = [
        Finished(question="how many?", answer="Twelve."),
        Finished(question="where?", answer="In Porto."),
    ]
    left = [one.text for one in thread.beside(heard, past).said]
    assert left == ["A report.", "so how many?", "And why?"]


def test_where_nothing_stands_around_a_question_nothing_is_said() -> None:
    assert thread.around(_asked(""), Heard(text=""), 5_000) == ""


def test_who_is_named_and_what_is_passed_on_stand_before_the_thread() -> None:
    heard = Heard(text="", said=(_said("first"),), named={"Bo": "U2", "Cy": "U3"})
    asked = replace(_asked(""), forwarded=(_said("look at this", role="bot"),))
    head, named, passed, said = thread.around(asked, heard, 5_000).split("\n\n")
    assert head == thread.THREAD
    assert named == "Named in the question: Bo is U2; Cy is U3."
    assert passed == "Passed on with the question:\n- [a bot] Ana: look at this"
    assert said == "The thread so far, oldest first:\n- [another person] Ana: first"


def test_a_long_thread_keeps_its_head_and_its_end_within_the_room() -> None:
    heard = Heard(text="", said=tuple(_said(f"{n} " + "x" * 40) for n in range(100)))
    for limit in range(600, 3_000, 7):
        shown = thread.around(_asked(""), heard, limit)
        lines = shown.splitlines()[3:]
        kept = [int(line.split("Ana: ")[1].split()[0]) for line in lines if "Ana: " in line]
        assert len(shown) <= limit
        assert kept == [0, *range(100 - len(kept) + 1, 100)]
        assert lines[1] == f"(… {100 - len(kept)} messages are left out here …)"
    # No message more would have fitted: what is set aside is a hundred characters and a line.
    assert len(shown) > limit - 200


def test_who_is_named_takes_room_from_the_thread() -> None:
    named = {f"Person {n}": f"U{n}" for n in range(30)}
    heard = Heard(text="", said=tuple(_said("x" * 40) for _ in range(100)), named=named)
    assert len(thread.around(_asked(""), heard, 2_000)) <= 2_000


def test_files_of_the_thread_are_named_in_one_line_each_name_on_it() -> None:
    files = (
        Attached(id="F1", name="plan\n2026.pdf", size=1, media_type="application/pdf"),
        Attached(id="F2", name="stock.csv", size=1, media_type="text/csv"),
    )
    shown = thread.around(_asked(""), Heard(text="", files=files), 5_000)
    assert shown.splitlines()[-1] == "Files posted in the thread before: plan 2026.pdf, stock.csv"


def test_messages_that_the_platform_left_out_are_counted_with_those() -> None:
    heard = Heard(text="", said=(_said("first"), _said("last")), left_out=3)
    lines = thread.around(_asked(""), heard, 5_000).splitlines()
    assert lines[-2] == "(… 3 messages are left out here …)"


def test_one_message_is_cut_and_blank_lines_of_it_are_dropped() -> None:
    heard = Heard(text="", said=(_said("a\n \nb" + "x" * 5_000),))
    line = thread.around(_asked(""), heard, 5_000).splitlines()[-1]
    assert "Ana: a ⏎ bx" in line
    assert len(line) < thread.LONGEST + 40


def test_a_whole_passed_on_message_leaves_room_for_the_thread() -> None:
    asked = replace(_asked(""), forwarded=tuple(_said(f"f{n} " + "y" * 300) for n in range(20)))
    heard = Heard(text="", said=(_said("first"), _said("last")))
    shown = thread.around(asked, heard, 3_000)
    assert len(shown) <= 3_000
    assert 3 <= shown.count("yyy") // 100 <= 4
    assert "first" in shown and "last" in shown
