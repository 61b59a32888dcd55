"""How rows came about is taken from evidence, and figures of an answer are held against it."""

import pytest

from core.records import Evidence, Json
from core.turn.workings import unfounded, workings
from tests.turn.test_figures import evidence

QUERY: Json = {
    "source": "the shop",
    "sql": 'SELECT SUM("amount") FROM "orders"',
    "tables": ["orders"],
    "filters": [],
    "rows": 1,
    "is_complete": True,
    "notes": ["one\nnote"],
}


def found(text: str, number: int = 1, **query: object) -> Evidence:
    return evidence(number, {"rows": [], "query": QUERY | query}, text=text)


def test_a_query_is_told_with_its_tables_and_rows() -> None:
    (one,) = workings([found("42")])
    assert (one.number, one.source, one.rows, one.is_complete) == (1, "the shop", 1, True)
    assert one.tables == ("orders",) and one.notes == ("one note",)


def test_results_without_a_query_and_failures_tell_nothing() -> None:
    failed = evidence(2, {"query": QUERY}, is_error=True)
    odd = [evidence(3, {"query": "x"}), evidence(4, {"query": {"sql": 7}})]
    assert workings([evidence(), failed, *odd]) == ()


@pytest.mark.promise("E1", "core.turn")
def test_no_address_of_a_query_is_live() -> None:
    (one,) = workings([found("", sql="SELECT 'https://evil.com/?q=1'", notes=["www.evil.com/x"])])
    assert "https://evil.com/" not in one.query and "www.evil.com/x" not in one.notes[0]


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("Sales were 1,234,567.", ()),
        ("Sales were 1.234.567 EUR.", ()),
        ("About 1.23 million [1].", ()),
        ("About 1,235 thousand.", ()),
        ("That is 12.5 %.", ()),
        ("Exactly 1,234,568.", ("1,234,568",)),
        ("About 1.3 million.", ("1.3 million",)),
        ("That is 13.5 %.", ("13.5 %",)),
        ("The 2 regions in 2026 on 2026-11-30 [12].", ()),
        ("1. North\n2. South\n14. East", ()),
        ("We sold 11 more.", ("11",)),
        ("As you asked: 77.", ()),
        ("The loss is -250.5.", ()),
    ],
)
def test_a_figure_stands_in_a_result_or_is_named(said: str, missing: tuple[str, ...]) -> None:
    rows = "| sales | share | loss |\n|---|---|---|\n| 1234567 | 0.125 | -250.50 |"
    assert unfounded(said, "Top 77?", [found(rows)]) == missing


def test_where_no_query_was_run_figures_are_not_held_against_anything() -> None:
    assert unfounded("4711", "", [evidence()]) == ()
