"""Each table has a place on the page of measurements, and changes nothing beside its own."""

import pytest

from bench.__main__ import TABLES
from bench.page import PAGE, put


def test_each_table_has_its_place_on_the_page() -> None:
    page = PAGE.read_text("utf-8")
    for table in TABLES:
        assert "measured anew" in put(page, table.name, "measured anew"), table.name


def test_a_table_that_is_measured_anew_leaves_the_others_as_they_are() -> None:
    page = "before\n<!-- one -->\nold\n<!-- /one -->\n<!-- two -->\n<!-- /two -->\nafter\n"
    assert put(page, "one", "new") == page.replace("old", "new")
    assert put(page, "two", "new").replace("new\n", "") == page


def test_a_table_without_a_place_is_told_so() -> None:
    with pytest.raises(LookupError, match="no place for three"):
        put("<!-- three -->", "three", "new")
