"""Graded questions: what counts as right, what is counted, and that the shipped ones pass."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from bot.cli import main
from bot.evaluation import books
from bot.evaluation.asking import Replayed
from bot.evaluation.cases import Book, Case, Cases, Gold, read
from bot.evaluation.command import Wish, evaluate
from bot.evaluation.grading import best, grade
from bot.evaluation.report import Graded, as_json, summaries, table
from bot.evaluation.running import Run, graded
from core.errors import Misconfigured


@pytest.mark.parametrize(
    ("gold", "got", "is_ordered", "expected"),
    [
        ([(1, "a"), (2, "b")], [("b", 2.0), ("a", 1)], False, "match"),
        ([(1, "a"), (2, "b")], [("b", 2), ("a", 1)], True, "wrong"),
        ([(1,), (2,)], [(1, "x"), (2, "y")], False, "extra_columns"),
        ([(1, "a"), (2, "b")], [(1, "b"), (2, "a")], False, "wrong"),
        ([(0.33333,)], [(Decimal("0.33334"),)], False, "match"),
        ([(None,)], [(0,)], False, "wrong"),
        ([(date(2026, 1, 1),)], [("2026-01-01",)], False, "match"),
        ([], [], False, "match"),
        ([(12.5,)], [("12.5",)], False, "match"),
        ([(1, 1), (2, 2)], [(1, 1), (2, 2)], False, "match"),
        ([(1, 2)], [(1,)], False, "wrong"),
        ([(1,)], [(1,), (1,)], False, "wrong"),
        ([(100.0,), (100.001,)], [(100.001,), (100.0,)], False, "match"),
    ],
)
def test_rows_are_compared_by_what_they_say(gold, got, is_ordered, expected) -> None:
    assert grade(gold, got, is_ordered=is_ordered) == expected


def test_any_of_several_right_answers_is_right() -> None:
    assert best([[("a",)], [("a", 1)]], [("a", 1)]) == "match"
    assert best([[("a",)], [("b",)]], [("c",)]) == "wrong"


def one(**more) -> Graded:
    given = {"id": "q", "discovery": "progressive", "outcome": "right", "is_confident": True}
    return Graded(**given | {"rounds": 2, "tokens": 100, "cost": "0.5", "seconds": 1.0} | more)


def test_wrong_answers_without_a_doubt_are_counted_apart() -> None:
    found = [
        one(),
        one(outcome="wrong"),
        one(outcome="wrong", is_confident=False),
        one(outcome="refused"),
    ]
    (summary,) = summaries(found)
    assert (summary.right, summary.wrong, summary.wrong_with_confidence) == (1, 2, 1)
    assert (summary.refused, summary.pass_rate, summary.cost_per_right) == (1, 0.25, "2.0000")
    assert "wrong" in table(found, "label")
    assert as_json(found, "l", "m")["summaries"][0]["pass_rate"] == 0.25


def test_an_unknown_price_makes_no_cost() -> None:
    assert summaries([one(), one(cost=None)])[0].cost_per_right is None


SET = Cases(
    name="own",
    books=[Book(name="a.csv", text="region,sales\nNorth,1\nSouth,2\n")],
    questions=[
        Case(id="sum", question="Sum of sales?", book="a.csv", golds=[Gold(sql="SELECT 3 AS n")]),
        Case(id="none", question="What was the margin?", book="a.csv"),
    ],
)


async def graded_with(folder: Path, case: Case, *calls) -> Graded:
    replies = [{"calls": [{"name": name, "arguments": given}]} for name, given in calls]
    run = Run(ask_for=lambda _: Replayed(replies, "m"), spent=lambda: None, folder=folder)
    try:
        found, counted = await graded(run, SET, case, "progressive")
    finally:
        await run.close()
    assert counted.rounds == found.rounds
    return found


async def test_right_wrong_and_made_up_answers_are_told_apart(tmp_path):
    asked, unanswerable = SET.questions
    right = ("run_query", {"sql": "SELECT SUM(a.sales) AS n FROM a"})
    wrong = ("run_query", {"sql": "SELECT COUNT(*) AS n FROM a"})
    no = ("cannot_answer", {"reason": "no margin"})
    assert (await graded_with(tmp_path, asked, right)).outcome == "right"
    made_up = await graded_with(tmp_path, asked, wrong)
    assert (made_up.outcome, made_up.is_confident) == ("wrong", True)
    assert (await graded_with(tmp_path, asked, no)).outcome == "refused"
    assert (await graded_with(tmp_path, unanswerable, no)).outcome == "right"
    assert (await graded_with(tmp_path, unanswerable, wrong)).outcome == "wrong"
    assert (await graded_with(tmp_path, asked)).outcome == "failed"


def test_the_shipped_set_holds_what_makes_sheets_hard() -> None:
    cases = read("sheets")
    assert len(cases.questions) == len({one.id for one in cases.questions}) == 24
    assert sum(not one.has_answer for one in cases.questions) == 1
    assert all(one.about for one in cases.questions)
    assert {one.book for one in cases.questions} == {one.name for one in cases.books}
    assert all(books.content(one) for one in cases.books)


@pytest.mark.timeout(400)
def test_the_shipped_recording_answers_every_question_right(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["eval", "--replay", "shipped", "--json", "out.json"]) == 0
    said = capsys.readouterr().out
    assert "a script that somebody wrote" in said and "100%" in said
    held = json.loads((tmp_path / "out.json").read_text())
    assert [one["right"] for one in held["summaries"]] == [24, 24]
    assert held["model"] == "scripted"


async def test_the_demo_model_is_not_graded(tmp_path):
    from bot import config, settings

    read_ = settings.read({}, folder=tmp_path, is_workspace=True)
    with pytest.raises(Misconfigured, match="writes no SQL"):
        await evaluate(config.read(read_), Wish())


@pytest.mark.parametrize("text", ["questions: 3", "name: x\nquestions: [{id: a}]", "{"])
def test_a_set_that_is_none_is_refused(tmp_path, text: str) -> None:
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(Misconfigured, match="no set of questions"):
        read(str(tmp_path / "x.yaml"))
