"""What is drawn follows from what the columns hold, whatever the answer wishes."""

import pytest

from core.figures import Cell
from core.turn.charts import Drawn, drawn
from core.turn.figures import figures
from tests.turn.test_figures import evidence

MONTHS = [(f"2026-{month:02d}", month * 10) for month in range(1, 13)]
REGIONS = [("North", 10), ("South", 20.5), ("East", 5)]
MANY = [(f"city {number}", number) for number in range(30)]
TEXTS = [("North", "high"), ("South", "low")]


@pytest.mark.parametrize(
    ("wished", "column", "rows", "kind"),
    [
        (None, "sales", MONTHS, "line"),
        (None, "sales", REGIONS, "bar"),
        (None, "share", REGIONS, "pie"),
        (None, "sales", MANY, "table"),
        (None, "mark", TEXTS, "table"),
        (None, "sales", REGIONS[:1], "table"),
        ("table", "sales", MONTHS, "table"),
        ("pie", "sales", REGIONS, "pie"),
        ("pie", "sales", MANY, "bar"),
        ("pie", "sales", [("North", -1), ("South", 2)], "bar"),
        ("line", "sales", REGIONS, "bar"),
        ("bar", "sales", MONTHS, "bar"),
        (None, "sales", [(f"2026-Q{q}", q) for q in (1, 2, 3)], "line"),
    ],
)
def test_rows_decide_how_they_are_drawn(
    wished: Drawn | None, column: str, rows: list[tuple[Cell, ...]], kind: Drawn
) -> None:
    assert drawn(wished, ("label", column), rows) == kind


def test_decimals_that_came_as_texts_are_numbers_of_a_chart() -> None:
    rows = [{"region": "North", "eur": "10.50"}, {"region": "South", "eur": "7.25"}]
    told = {"columns": {"region": "text", "eur": "decimal"}, "rows": rows}
    (made,) = figures("[chart 1]", [evidence(1, told)])
    assert (made.kind, made.rows) == ("bar", (("North", 10.5), ("South", 7.25)))


def test_a_number_that_a_float_would_bend_stays_as_it_is_written() -> None:
    rows = [{"n": "9007199254740993"}, {"n": "0.1234567890123456789"}]
    (made,) = figures("[table 1]", [evidence(1, {"columns": {"n": "decimal"}, "rows": rows})])
    assert made.rows == (("9007199254740993",), ("0.1234567890123456789",))


def test_a_code_of_digits_is_no_number_unless_the_result_says_so() -> None:
    (made,) = figures("[table 1]", [evidence(1, {"rows": [{"code": "0800"}]})])
    assert made.rows == (("0800",),)
