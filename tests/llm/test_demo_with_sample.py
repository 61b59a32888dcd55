"""The demo model answers questions over the sample server that is shipped with it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack

import pytest

from core.capabilities.aliases import aliases
from core.capabilities.catalog import Catalog
from core.capabilities.results import shorten
from core.capabilities.schemas import acceptable
from core.capabilities.servers import Server
from core.context import prompts
from core.llm.demo.model import answer
from core.records import ModelMessage, Tool, ToolCall, ToolSchema
from core.specialists.sample.server import sample_server
from core.specialists.server import serving
from tests.capabilities.bridge import catalog, silence

SYSTEM = ModelMessage(role="system", text="Today is Monday, 30 November 2026 (UTC, UTC).")


class Thread:
    """Turns over a catalogue, as the loop makes them."""

    def __init__(self, held: Catalog, by_alias: Mapping[str, Tool]) -> None:
        self._held = held
        self._by_alias = by_alias
        self._history: list[ModelMessage] = []
        self.made: list[tuple[str, dict[str, object]]] = []

    async def ask(self, question: str) -> str:
        asked = ModelMessage(role="user", text=question)
        messages = [SYSTEM, *self._history, asked]
        self.made = []
        for left in (4, 3, 2, 1, 0):
            reply = answer(messages, self._offered(question) if left else ()).message
            messages.append(reply)
            if not reply.calls:
                self._history += [asked, reply]
                return reply.text
            messages += [await self._perform(call) for call in reply.calls]
        raise AssertionError("the last call did not end in words")

    def _offered(self, question: str) -> Sequence[ToolSchema]:
        """Every tool but those for a format that the question does not speak of."""
        return [
            ToolSchema(
                name=alias, description=t.description, parameters=acceptable(t.schema, "plain")
            )
            for alias, t in sorted(self._by_alias.items())
            if "format:xlsx" not in t.tags or "spreadsheet" in question
        ]

    async def _perform(self, call: ToolCall) -> ModelMessage:
        tool = self._by_alias[call.name]
        self.made.append((tool.name, dict(call.arguments)))
        result = await self._held.call(tool, call.arguments, credentials={}, on_progress=silence)
        text = prompts.evidence(len(self.made), shorten(result.text, "ev_1"))
        return ModelMessage(role="tool", text=text, call_id=call.id, is_error=result.is_error)


@pytest.fixture
async def thread() -> AsyncIterator[Thread]:
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(serving(sample_server()))
        held = await stack.enter_async_context(catalog(Server(name="sample", app=app)))
        yield Thread(held, aliases((await held.discover()).tools))


async def test_sales_and_three_follow_ups(thread: Thread) -> None:
    first = await thread.ask("What did we sell per region in Q3?")
    assert "| Nordics | 13 | 76 | 63,660.60 |" in first
    assert "[1]" in first

    assert "| Osprey | 2 | 12 | 36,956.40 |" in await thread.ask("and per product?")

    await thread.ask("and in Q2?")
    assert thread.made == [("sales_by", {"group_by": "product", "quarter": "Q2"})]

    await thread.ask("Give me that as a spreadsheet")
    assert thread.made == [("export_sheet", {"group_by": "product", "quarter": "Q2"})]


async def test_the_orders_of_somebody_who_is_known_by_name(thread: Thread) -> None:
    text = await thread.ask("What did Pennine Pedals order in Q1 2026?")

    assert [name for name, _ in thread.made] == ["find_customer", "customer_orders"]
    assert thread.made[1][1] == {"customer_id": "C-1015", "quarter": "Q1", "year": 2026}
    assert "Orders of Pennine Pedals, Q1 2026" in text

    await thread.ask("and Dublin Wheel Co?")
    assert [name for name, _ in thread.made] == ["find_customer", "customer_orders"]


async def test_a_customer_who_does_not_exist(thread: Thread) -> None:
    text = await thread.ask("What did Nowhere Cycles & Sons Ltd buy?")

    assert "[1]" in text


@pytest.mark.parametrize(
    ("question", "tool", "part"),
    [
        ("Which region sold the most in Q3?", "sales_by", "**Nordics** is highest"),
        ("How many orders did we have in Q3?", "sales_by", "**orders** comes to 62"),
        ("what is our best product?", "sales_by", "**Osprey** is highest"),
        ("How did the UK do in Q3?", "sales_by", "Q3 2026 in UK & Ireland"),
        ("sales in DACH last year by month", "sales_by", "Sales by month, 2025 in DACH"),
        ("how expensive is the cargo bike?", "list_products", "| P-402 | Osprey Cargo |"),
        ("Which is the cheapest product?", "list_products", "**Lantern light set** is lowest"),
        ("What is our return policy?", "search_notes", "within 60 days"),
        ("how many vacation days do I get?", "search_notes", "28 days of vacation"),
        ("How is revenue counted?", "search_notes", "net of discount"),
        ("Who is Pennine?", "find_customer", "Pennine Pedals"),
        ("who are our customers?", "sales_by", "Zweirad Zimmermann"),
    ],
)
async def test_one_question_one_tool(thread: Thread, question: str, tool: str, part: str) -> None:
    text = await thread.ask(question)

    assert [name for name, _ in thread.made] == [tool]
    assert part in text


async def test_two_things_at_once(thread: Thread) -> None:
    text = await thread.ask("sales per region and list the products")

    assert {name for name, _ in thread.made} == {"sales_by", "list_products"}
    assert "12 products. [2]" in text
