"""The sample server: the numbers add up, calls chain, the workbook opens."""

import csv
import io
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from decimal import Decimal
from importlib.resources import files

import pytest
from openpyxl import load_workbook

from core.capabilities.catalog import Catalog
from core.capabilities.raw import RawResult
from core.capabilities.servers import Server
from core.policy.rules import EVERYTHING, permit
from core.records import Json, Person, PersonId, Place
from core.specialists.sample.server import sample_server
from core.specialists.server import serving
from tests.capabilities.bridge import catalog, silence, tool


@asynccontextmanager
async def sample() -> AsyncGenerator[Catalog]:
    async with (
        serving(sample_server()) as app,
        catalog(Server(name="sample", app=app)) as held,
    ):
        yield held


async def call(held: Catalog, which: str, /, **arguments: object) -> RawResult:
    asked = tool(await held.discover(), f"sample/{which}")
    return await held.call(asked, arguments, credentials={}, on_progress=silence)


def orders() -> list[dict[str, str]]:
    text = files("core.specialists.sample").joinpath("orders.csv").read_text()
    return list(csv.DictReader(text.splitlines()))


def rows(result: RawResult) -> list[Json]:
    assert result.structured is not None
    return list(result.structured["rows"])


async def test_sales_per_region_add_up_to_the_order_book() -> None:
    async with sample() as held:
        result = await call(held, "sales_by", group_by="region", quarter="Q3")
    booked = [o for o in orders() if "2026-07-01" <= o["ordered_on"] <= "2026-09-30"]
    assert sum(row["orders"] for row in rows(result)) == len(booked)
    assert sum(Decimal(str(row["revenue_eur"])) for row in rows(result)) == sum(
        Decimal(order["revenue_eur"]) for order in booked
    )
    assert {row["region"] for row in rows(result)} == {
        *("Nordics", "DACH", "Benelux", "UK & Ireland", "Iberia")
    }
    assert result.text.startswith("Sales by region, Q3 2026:")
    assert "| region | orders | units | revenue_eur |" in result.text


@pytest.mark.parametrize(
    ("group_by", "lines"),
    [("region", 5), ("category", 6), ("quarter", 7), ("month", 21), ("product", 12)],
)
async def test_every_grouping_covers_every_order(group_by: str, lines: int) -> None:
    async with sample() as held:
        result = await call(held, "sales_by", group_by=group_by)
    assert len(rows(result)) == lines
    assert sum(row["orders"] for row in rows(result)) == len(orders())


async def test_a_customer_is_found_by_name_and_its_orders_by_the_id() -> None:
    async with sample() as held:
        found = await call(held, "find_customer", name="pennine")
        [customer] = rows(found)
        result = await call(held, "customer_orders", customer_id=customer["customer_id"])
        nobody = await call(held, "find_customer", name="Nobody & Sons")
    assert {row["order_id"] for row in rows(result)} == {
        order["order_id"] for order in orders() if order["customer_id"] == customer["customer_id"]
    }
    assert nobody.is_error


async def test_a_question_about_a_rule_finds_the_note_and_its_place() -> None:
    async with sample() as held:
        result = await call(held, "search_notes", query="how many vacation days do we get?")
    assert "28 days" in result.text
    [(label, url)] = result.links
    assert label == "Vacation and absence"
    assert url.startswith("https://larkspur-cycles.example/")


async def test_the_workbook_holds_numbers_and_is_the_same_each_time() -> None:
    async with sample() as held:
        first = await call(held, "export_sheet", group_by="region", quarter="Q3", year=2026)
        second = await call(held, "export_sheet", group_by="region", quarter="Q3", year=2026)
        table = await call(held, "sales_by", group_by="region", quarter="Q3", year=2026)
    [(file, content)] = first.files
    assert file.name == "larkspur-sales-by-region-q3-2026.xlsx"
    assert file.size == len(content)
    assert content == second.files[0][1]
    sheet = load_workbook(io.BytesIO(content)).worksheets[0]
    head, *body = sheet.iter_rows(values_only=True)
    assert head == ("Region", "Orders", "Units", "Revenue (EUR)")
    assert body == [tuple(row.values()) for row in rows(table)]
    assert all(isinstance(cell, int | float) for row in body for cell in row[1:])


async def test_the_spreadsheet_is_offered_only_when_it_is_asked_for() -> None:
    ann = Person(id=PersonId("slack:T/U"))
    here = Place(surface="slack", tenant="T", channel="C", kind="public")
    async with sample() as held:
        found = await held.discover()
    assert found.problems == ()
    for words, is_offered in (("sales per region in Q3?", False), ("as a spreadsheet", True)):
        permitted = permit(found.tools, ann, here, words, EVERYTHING, found.accepted)
        names = {each.name for each in permitted.offered}
        assert ("export_sheet" in names) is is_offered
        assert {"sales_by", "find_customer", "customer_orders", "search_notes"} <= names
    assert all("connector:sample" in each.tags for each in found.tools)
