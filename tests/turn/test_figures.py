"""Tables and charts come from what the tools brought, where the answer asks for them."""

import math

import pytest

from core.figures import Figure
from core.records import Evidence, EvidenceId, Json, PersonId, ThreadId, TurnId
from core.turn.figures import ROWS, figures, without_places
from core.turn.finish import compose

ROWS_OF_SALES = [{"region": "Nordics", "revenue": 17.5}, {"region": "Iberia", "revenue": 9}]


def evidence(number: int = 1, structured: Json | None = None, **more) -> Evidence:
    return Evidence(
        **{
            "id": EvidenceId(f"t_1.{number}"),
            "turn": TurnId("t_1"),
            "thread": ThreadId("slack:T1/C1/1"),
            "person": PersonId("slack:T1/U1"),
            "tool": "sample/sales_by",
            "title": "Sales by region",
            "arguments": {},
            "text": "",
            "structured": structured or {"rows": ROWS_OF_SALES},
            "made_at": 1.0,
            **more,
        }
    )


def test_an_answer_asks_for_a_figure_on_a_line_of_its_own() -> None:
    text = "Nordics lead [1].\n\n[bar chart 1]\n[table 1]\n[table 7]\nThat is all."
    answer, has_words = compose(text, "stop", [evidence()])
    assert answer.text == "Nordics lead [1].\n\nThat is all." and has_words
    assert [figure.kind for figure in answer.figures] == ["bar", "table"]
    assert answer.figures[0] == Figure(
        kind="bar",
        title="Sales by region",
        columns=("region", "revenue"),
        rows=(("Nordics", 17.5), ("Iberia", 9)),
        total=2,
    )


def test_a_figure_alone_is_an_answer() -> None:
    answer, has_words = compose("[table 1]", "stop", [evidence()])
    assert (answer.text, has_words, len(answer.figures)) == ("", True, 1)


@pytest.mark.parametrize("text", ["see [table 1] there", "`[table 1]`", "[table one]", "[table]"])
def test_what_is_said_of_a_table_stays_words(text: str) -> None:
    assert without_places(text) == text and figures(text, [evidence()]) == ()


def test_a_failed_call_and_a_result_without_rows_draw_nothing() -> None:
    failed = evidence(is_error=True)
    prose = evidence(2, {"notes": "none"}, text="Only words.")
    assert figures("[table 1]\n[table 2]", [failed, prose]) == ()


@pytest.mark.promise("E1", "core.turn")
def test_no_cell_and_no_title_holds_a_live_address() -> None:
    rows = [{"name [x](https://evil.com/?q=1)": "see https://evil.com/p?a=1 or www.evil.com/x"}]
    (made,) = figures("[table 1]", [evidence(1, {"rows": rows}, title="At https://evil.com/t")])
    assert "evil.com/" not in repr(made)
    assert "http" not in repr(made)


def test_values_that_json_or_slack_cannot_hold_become_words() -> None:
    rows = [{"a": math.inf, "b": None, "c": True, "d": 10**30, "e": "x\n y" * 200}]
    (made,) = figures("[table 1]", [evidence(1, {"rows": rows})])
    assert made.rows[0][:4] == ("inf", "", "yes", str(10**30))
    assert len(str(made.rows[0][4])) <= 300 and "\n" not in str(made.rows[0][4])


def test_of_very_many_rows_the_first_are_kept_and_all_are_counted() -> None:
    rows = [{"n": number, "label": "x"} for number in range(ROWS + 5)]
    (made,) = figures("[table 1]", [evidence(1, {"rows": rows})])
    assert (len(made.rows), made.total) == (ROWS, ROWS + 5)
