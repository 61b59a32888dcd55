"""The sample server: the numbers and notes of Larkspur Cycles as MCP tools.

It is the data of the demo and the example of docs/writing-a-capability.md. No model works in it.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ResourceLink,
    TextContent,
    ToolAnnotations,
)
from pydantic import Field

from core.specialists.sample import notes, orders, sheet
from core.specialists.server import tags

NAME = "sample"

_READS = ToolAnnotations(read_only_hint=True)
_SAMPLE = tags("connector:sample")

GroupBy = Annotated[orders.GroupBy, Field(description="What each line of the result stands for.")]
Quarter = Annotated[orders.Quarter | None, Field(description="Only this quarter.")]
Year = Annotated[
    orders.Year | None,
    Field(description="Only this year. A quarter without a year is the latest one."),
]
Region = Annotated[orders.Region | None, Field(description="Only this sales region.")]


def sample_server() -> MCPServer:
    server = MCPServer(
        NAME,
        instructions="Sales and company notes of Larkspur Cycles, an invented bicycle maker.",
        version="1",
        log_level="ERROR",
    )
    server.add_tool(sales_by, annotations=_READS, meta=_SAMPLE)
    server.add_tool(find_customer, annotations=_READS, meta=_SAMPLE)
    server.add_tool(customer_orders, annotations=_READS, meta=_SAMPLE)
    server.add_tool(list_products, annotations=_READS, meta=_SAMPLE)
    server.add_tool(search_notes, annotations=_READS, meta=_SAMPLE)
    server.add_tool(
        export_sheet,
        annotations=_READS,
        meta=tags("connector:sample", "produces_file", "format:xlsx"),
    )
    return server


def sales_by(
    group_by: GroupBy, quarter: Quarter = None, year: Year = None, region: Region = None
) -> CallToolResult:
    """What Larkspur Cycles sold: orders, units and net revenue in euros, added up per region,
    product, category, month, quarter or customer. Narrow it to a quarter, a year or a region."""
    chosen, period = orders.select(quarter=quarter, year=year, region=region)
    lines = orders.totals(chosen, group_by)
    where = f" in {region}" if region else ""
    revenue = sum(line.revenue for line in lines)
    title = (
        f"Sales by {group_by}, {period}{where}: {len(chosen)} orders, {revenue:,.2f} EUR net "
        f"(order book as of {orders.AS_OF})"
    )
    rows = [
        {
            group_by: line.label,
            "orders": line.orders,
            "units": line.units,
            "revenue_eur": float(line.revenue),
        }
        for line in lines
    ]
    return _table(title, rows)


def find_customer(
    name: Annotated[str, Field(min_length=1, description="The name or a part of it.")],
) -> CallToolResult:
    """Find a customer (a bicycle dealer) by name. Gives the customer id that customer_orders
    needs."""
    words = [word for word in re.findall(r"\w+", name.casefold()) if len(word) > 2]
    customers = orders.table("customers")
    best = max(_shared(words, row["customer"]) for row in customers)
    rows = [row for row in customers if best and _shared(words, row["customer"]) == best]
    if not rows:
        raise ToolError(f"No customer is called anything like {name!r}.")
    return _table(f"{len(rows)} customer(s) found", rows)


def customer_orders(
    customer_id: Annotated[
        str, Field(pattern=r"^C-\d{4}$", description="A customer id like C-1001.")
    ],
    quarter: Quarter = None,
    year: Year = None,
) -> CallToolResult:
    """The orders of one customer with day, product, units and revenue. Needs the customer id that
    find_customer gives."""
    customers = {row["customer_id"]: row["customer"] for row in orders.table("customers")}
    if customer_id not in customers:
        raise ToolError(f"There is no customer {customer_id}. Ask find_customer for the id.")
    chosen, period = orders.select(quarter=quarter, year=year)
    rows = [
        {
            "order_id": order.id,
            "ordered_on": order.day.isoformat(),
            "product": order.product,
            "units": order.units,
            "revenue_eur": float(order.revenue),
        }
        for order in chosen
        if order.customer_id == customer_id
    ]
    total = sum(order.revenue for order in chosen if order.customer_id == customer_id)
    title = (
        f"Orders of {customers[customer_id]}, {period}: {len(rows)} orders, {total:,.2f} EUR net"
    )
    return _table(title, rows)


def list_products() -> CallToolResult:
    """The products of Larkspur Cycles with category and list price in euros."""
    products = orders.table("products")
    rows = [{**row, "list_price_eur": float(row["list_price_eur"])} for row in products]
    return _table(f"{len(rows)} products", rows)


def search_notes(
    query: Annotated[str, Field(min_length=1, description="What to look for, in a few words.")],
) -> CallToolResult:
    """Look up a rule or policy in the company notes: returns, warranty, dealer discounts, payment
    terms, shipping, vacation, expenses, how revenue is counted."""
    found = notes.search(query)
    if not found:
        raise ToolError(f"No company note speaks of {query!r}.")
    return CallToolResult(
        content=[
            *(TextContent(text=f"## {note.title}\n{note.text}") for note in found),
            *(ResourceLink(name=note.slug, title=note.title, uri=note.url) for note in found),
        ],
        structured_content={"notes": [{"title": n.title, "text": n.text} for n in found]},
    )


def export_sheet(
    group_by: GroupBy, quarter: Quarter = None, year: Year = None, region: Region = None
) -> CallToolResult:
    """Write the sales report as an Excel spreadsheet (xlsx) that people can download: orders,
    units and revenue per region, product, category, month, quarter or customer."""
    chosen, period = orders.select(quarter=quarter, year=year, region=region)
    lines = orders.totals(chosen, group_by)
    title = f"Sales by {group_by} {period}"
    content = sheet.workbook(
        title,
        (group_by.capitalize(), "Orders", "Units", "Revenue (EUR)"),
        [(line.label, line.orders, line.units, line.revenue) for line in lines],
    )
    words = ["larkspur", "sales", "by", group_by, *period.split(), region or ""]
    name = "-".join("".join(c for c in word if c.isalnum()) for word in words if word).lower()
    return CallToolResult(
        content=[
            TextContent(text=f"{title}: {len(lines)} rows from {len(chosen)} orders."),
            EmbeddedResource(
                resource=BlobResourceContents(
                    uri=f"file:///{name}.xlsx",
                    mime_type=sheet.MEDIA_TYPE,
                    blob=base64.b64encode(content).decode(),
                )
            ),
        ]
    )


def _table(title: str, rows: Sequence[Mapping[str, str | float | int]]) -> CallToolResult:
    """The rows twice: as a Markdown table to read, and as structure to reckon with."""
    lines = [title]
    if rows:
        head = list(rows[0])
        sides = ["---" if isinstance(rows[0][key], str) else "---:" for key in head]
        lines += ["", f"| {' | '.join(head)} |", f"| {' | '.join(sides)} |"]
        lines += [f"| {' | '.join(_shown(row[key]) for key in head)} |" for row in rows]
    return CallToolResult(
        content=[TextContent(text="\n".join(lines))],
        structured_content={"title": title, "rows": rows},
    )


def _shown(value: str | float | int) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else str(value)


def _shared(words: list[str], name: str) -> int:
    return sum(word in name.casefold() for word in words)
