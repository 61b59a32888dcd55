"""A messy sheet becomes typed tables, and every judgement is said."""

import datetime as dt
import io
from decimal import Decimal
from typing import Any

import pytest
from openpyxl import Workbook

from core.errors import SourceFailed
from core.specialists.sheets.grid import grids
from core.specialists.sheets.tables import Table, tables


def book(*rows: list[Any], merged: tuple[str, ...] = (), state: str = "visible") -> bytes:
    made = Workbook()
    sheet: Any = made.active
    sheet.title = "Salg"
    for at, row in enumerate(rows, start=1):
        for place, value in enumerate(row, start=1):
            sheet.cell(at, place, value)
    for one in merged:
        sheet.merge_cells(one)
    sheet.sheet_state = state
    if state != "visible":
        seen = made.create_sheet("Seen")
        seen.append(["a", "b"])
        seen.append(["c", 2])
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def read(content: bytes, name: str = "report.xlsx") -> list[Table]:
    return [table for grid in grids(content, name) for table in tables(grid)]


def only(content: bytes, name: str = "report.xlsx") -> Table:
    (found,) = read(content, name)
    return found


def values(table: Table, column: str) -> list[Any]:
    return next(one.values for one in table.columns if one.name == column)


def csv_of(text: str, encoding: str = "utf-8") -> Table:
    return only(text.encode(encoding), "report.csv")


def test_rows_that_add_up_others_are_left_out_and_named() -> None:
    table = only(book(["Region", "Sales"], ["North", 1], ["South", 2], ["I alt", 3]))
    assert values(table, "sales") == [1, 2]
    assert "left out a totals row: row 4 (I alt)" in table.notes


def test_a_customer_whose_name_begins_like_a_total_stays() -> None:
    table = only(book(["Customer", "Sales"], ["Total Energies", 5], ["Ørsted", 2], ["Sum Ltd", 4]))
    assert values(table, "sales") == [5, 2, 4]


def test_a_last_row_without_a_name_that_is_the_sum_is_no_value() -> None:
    table = only(book(["Region", "Sales"], ["North", 1.5], ["South", 2], [None, 3.5]))
    assert values(table, "sales") == [Decimal("1.5"), 2]
    assert "row 4 (without a name)" in table.notes[0]


def test_subtotals_between_the_rows_are_left_out_as_well() -> None:
    rows = [["Shop", "Sales"], ["A", 1], ["B", 2], ["Subtotal North", 3], ["C", 4], ["D", 5]]
    table = only(book(*rows, ["Subtotal South", 9], ["Grand total", 12]))
    assert values(table, "shop") == ["A", "B", "C", "D"]


def test_decimal_commas_are_found_and_sums_come_out_even() -> None:
    table = csv_of("Dato;Beløb\n01.02.2026;1.234,50\n13.02.2026;-5,05\n", "cp1252")
    assert values(table, "beløb") == [Decimal("1234.50"), Decimal("-5.05")]
    assert {"Beløb: decimal comma", "text read as Windows-1252"} <= set(table.notes)


def test_a_spreadsheets_tenths_are_exact() -> None:
    table = only(book(["n", "x"], ["a", 0.1], ["b", 0.2]))
    assert sum(values(table, "x")) == Decimal("0.3")


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        (["1.234", "40"], Decimal("1.234")),
        (["1,234", "40"], 1234),
        (["1.234.567", "40"], 1234567),
        (["(250)", "7"], -250),
        (["12,5%", "50%"], Decimal("0.125")),
        (["$1,234.50", "$2.00"], Decimal("1234.50")),
        (["1'234.50", "2.00"], Decimal("1234.50")),
        (["5-", "7"], -5),
    ],
)
def test_numbers_are_read_as_people_write_them(texts: list[str], first: Any) -> None:
    table = only(book(["Name", "Value"], ["a", texts[0]], ["b", texts[1]]))
    assert values(table, "value")[0] == first


def test_what_can_be_thousands_or_decimals_is_said_and_decided_by_its_neighbours() -> None:
    alone = only(book(["Name", "Value"], ["a", "1.234"], ["b", "40"]))
    assert "Value: 1.234 could be thousands or decimals; read as decimals" in alone.notes
    beside = only(book(["Share", "Value"], ["0,5", "1.234"], ["0,25", "40"]))
    assert values(beside, "value") == [1234, 40]


def test_several_currencies_in_one_column_are_not_added_up() -> None:
    table = only(book(["Name", "Price"], ["a", "€10"], ["b", "$10"]))
    assert values(table, "price") == ["€10", "$10"]
    assert "EUR and USD are mixed" in table.notes[0]


def test_numbers_that_begin_with_zeros_are_names() -> None:
    table = only(book(["Code", "Town"], ["0800", "Leeds"], ["2100", "Aarhus"]))
    assert values(table, "code") == ["0800", "2100"]


def test_very_long_numbers_keep_every_digit() -> None:
    table = csv_of("id,n\n12345678901234567890,9007199254740993\n22345678901234567890,1\n")
    assert values(table, "id")[0] == "12345678901234567890"
    assert values(table, "n")[0] == 9007199254740993


def test_ambiguous_dates_follow_a_column_that_shows_the_order() -> None:
    rows = [["Start", "End"], ["3/4/2026", "3/16/2026"], ["4/3/2026", "4/5/2026"]]
    table = only(book(*rows))
    assert values(table, "start")[0] == dt.date(2026, 3, 4)
    assert "read as month-day-year, as in End" in table.notes[-1]


def test_ambiguous_dates_without_a_hint_are_said() -> None:
    table = only(book(["Day", "n"], ["3/4/2026", 1], ["5/6/2026", 2]))
    assert values(table, "day")[0] == dt.date(2026, 4, 3)
    assert table.notes == ("Day: dates like 3/4/2026 are ambiguous; read as day-month-year",)


def test_merged_headings_over_two_rows_become_one_name() -> None:
    rows = [["Region", 2025, None, 2026], [None, "Sales", "Units", "Sales"], ["North", 1, 2, 3]]
    table = only(book(*rows, ["South", 4, 5, 6], merged=("B1:C1", "A1:A2")))
    names = [one.name for one in table.columns]
    assert names == ["region", "c_2025_sales", "c_2025_units", "c_2026_sales"]
    assert "2 rows of headings were joined" in table.notes


def test_a_merged_number_is_counted_once_and_a_merged_label_stands_in_each_row() -> None:
    rows = [["Region", "Shop", "Sales"], ["North", "a", 10], [None, "b", None], ["South", "c", 5]]
    table = only(book(*rows, merged=("A2:A3", "C2:C3")))
    assert values(table, "region") == ["North", "North", "South"]
    assert values(table, "sales") == [10, None, 5]
    assert "counted once" in table.notes[0]


def test_several_tables_on_a_sheet_are_several_tables() -> None:
    rows: list[list[Any]] = [
        ["Product", "Price", None, "Supplier", "Days"],
        ["Bike", 10, None, "Fjord", 3],
        ["Lock", 20, None, "Nord", 4],
        [],
        ["Shops"],
        ["Code", "Town"],
        ["0017", "Leeds"],
    ]
    found = read(book(*rows))
    assert [(one.range, one.title, len(one.numbers)) for one in found] == [
        ("A1:B3", "", 2),
        ("D1:E3", "", 2),
        ("A6:B7", "Shops", 1),
    ]


def test_empty_rows_within_a_table_do_not_cut_it() -> None:
    rows = [["Name", "n"], ["a", 1], [], ["b", 2]]
    table = only(book(*rows))
    assert values(table, "n") == [1, 2] and table.numbers == [2, 4]
    assert "empty rows before row 4 were passed over" in table.notes


def test_hidden_sheets_are_flagged() -> None:
    hidden = read(book(["a", "b"], [1, 2], state="hidden"))[0]
    assert hidden.is_hidden and hidden.notes[0] == "this sheet is hidden in the file"


def test_values_that_are_no_numbers_are_said_where_the_others_are() -> None:
    rows = [[f"n{at}", at] for at in range(40)]
    table = only(book(["Name", "Value"], *rows, ["x", "see below"]))
    assert values(table, "value")[-1] is None
    assert "1 value(s) are not a number and were left empty: 'see below'" in table.notes[0]


def test_the_rows_know_where_they_stand_in_the_sheet() -> None:
    table = only(book(["Report", None], [], ["Name", "n"], ["a", 1]))
    assert (table.range, table.numbers, table.title) == ("A3:B4", [4], "Report")


def test_utf16_and_ragged_lines_are_read() -> None:
    table = only("id\tname\n1\tÅse\n2\tBo\textra\n".encode("utf-16"), "x.csv")
    assert values(table, "name") == ["Åse", "Bo"]
    assert "1 line(s) have more fields" in table.notes[0]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PK\x03\x04 and then nothing", "damaged"),
        (b"\x00\x01\x02\x03binary", "neither a spreadsheet nor a CSV file"),
    ],
)
def test_what_is_no_spreadsheet_is_refused_in_words(content: bytes, why: str) -> None:
    with pytest.raises(SourceFailed, match=why):
        grids(content, "x.xlsx")
