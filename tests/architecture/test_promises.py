"""The list of promises and the tests say the same."""

from pathlib import Path

import pytest

from tests.architecture.marks import Shown, shown
from tests.promises import PROMISES, Promise, kept, not_yet

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent


def differences(promises: tuple[Promise, ...], marks: list[Shown]) -> list[str]:
    """Sentences for everything that the one side says and the other does not."""
    by_id = {promise.id: promise for promise in promises}
    found: list[str] = []
    for mark in marks:
        promise = by_id.get(mark.promise)
        if promise is None:
            found.append(f"{mark.test} names {mark.promise}, which is no promise")
        elif not promise.kept:
            found.append(f"{mark.test} shows {mark.promise}, which is said not to be kept")
        else:
            found += [
                f"{mark.test} shows {mark.promise} for {room}, where it is not said to be kept"
                for room in mark.rooms
                if room not in promise.rooms
            ]
    seen = {(mark.promise, room) for mark in marks for room in mark.rooms}
    found += [
        f"{promise.id} is said to be kept in {room}, and no test shows it"
        for promise in promises
        if promise.kept
        for room in promise.rooms
        if (promise.id, room) not in seen
    ]
    return found


def test_every_kept_promise_has_a_test_and_every_mark_a_promise():
    assert differences(PROMISES, shown(TESTS)) == []


def test_each_promise_is_listed_once_as_a_sentence():
    ids = [promise.id for promise in PROMISES]
    assert len(set(ids)) == len(ids)
    for letter in "DOIPSELX":
        numbers = [int(one[1:]) for one in ids if one[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1))
    assert all(p.sentence.endswith(".") and p.sentence[0].isupper() for p in PROMISES)


def test_each_promise_is_kept_in_rooms_that_exist_or_says_why_not():
    for promise in PROMISES:
        assert promise.rooms, promise.id
        assert promise.kept or promise.missing, f"{promise.id} does not say why it is not kept"
        for room in promise.rooms if promise.kept else ():
            assert (ROOT / room.replace(".", "/")).is_dir(), (promise.id, room)


HELD = kept("A1", "core.turn core.loop", "It holds.")
OPEN = not_yet("A2", "core.turn", "It will hold.", "nothing but time")
BOTH = [Shown("t", "A1", ("core.turn", "core.loop"))]


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        (BOTH, []),
        (BOTH[:0], ["A1 is said to be kept in core.turn", "A1 is said to be kept in core.loop"]),
        ([Shown("t", "A1", ("core.turn",))], ["A1 is said to be kept in core.loop"]),
        ([*BOTH, Shown("u", "A3", ("bot",))], ["u names A3, which is no promise"]),
        ([*BOTH, Shown("u", "A2", ("core.turn",))], ["u shows A2, which is said not to be kept"]),
        ([*BOTH, Shown("u", "A1", ("bot",))], ["u shows A1 for bot, where it is not said"]),
    ],
)
def test_each_difference_is_found(marks: list[Shown], told: list[str]):
    found = differences((HELD, OPEN), marks)
    assert len(found) == len(told)
    assert all(sentence.startswith(start) for sentence, start in zip(found, told, strict=True))


def test_marks_are_read_from_the_text_of_a_test(tmp_path: Path):
    (tmp_path / "test_x.py").write_text(
        "@pytest.mark.promise('A1', 'bot', 'core.turn')\n"
        "@pytest.mark.parametrize('x', [1])\n"
        "async def test_it_holds(x): ...\n"
        "@pytest.mark.skip\n"
        "@pytest.mark.promise('A2', 'bot')\n"
        "def test_it_is_not_run(): ...\n"
    )
    assert shown(tmp_path) == [Shown("test_x.py::test_it_holds", "A1", ("bot", "core.turn"))]


@pytest.mark.parametrize(
    "text",
    [
        "@pytest.mark.promise('A1')\ndef test_x(): ...",
        "@pytest.mark.promise\ndef test_x(): ...",
        "@pytest.mark.promise(ID, 'bot')\ndef test_x(): ...",
        "@pytest.mark.promise('A1', 'bot')\ndef helper(): ...",
        "@pytest.mark.promise('A1', 'bot')\nclass TestIt: ...",
        "pytestmark = pytest.mark.promise('A1', 'bot')",
    ],
)
def test_a_mark_that_shows_nothing_is_refused(tmp_path: Path, text: str):
    (tmp_path / "test_x.py").write_text(text)
    with pytest.raises(ValueError, match="promise"):
        shown(tmp_path)
