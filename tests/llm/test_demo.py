"""A conversation with the demo model works on whatever tools are bound."""

import random
import string
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ledger.meter import Meter
from core.llm.chat import ChatDoor
from core.llm.demo.model import answer
from core.llm.models import known, parse
from core.records import LedgerEntry, ModelMessage
from tests.llm.conftest import BILLING
from tests.llm.office import RESULTS, TOOLS, Talk, as_json, said_earlier, tool


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.mark.parametrize(
    "question", ["hello", "What did we sell per region in Q3?", "asdf", "", "What is the weather?"]
)
def test_the_first_line_says_that_it_is_no_language_model(talk: Talk, question: str) -> None:
    first = talk.ask(question).splitlines()[0]

    assert "no language model" in first
    assert "demo" in first


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("What did we sell per region in Q3?", {"group_by": "region", "quarter": "2026-Q3"}),
        ("turnover by products, 2nd quarter 2025", {"group_by": "product", "quarter": "2025-Q2"}),
        (
            "Which region earned most last quarter?",
            {"group_by": "region", "quarter": "2026-Q3"},
        ),
        (
            "Show revenue for the north by month in the third quarter",
            {"group_by": "month", "quarter": "2026-Q3", "region": "North"},
        ),
        ("sales in Q4 of 2025 per segment", {"group_by": "segment", "quarter": "2025-Q4"}),
        ("worst regions in 2026Q2", {"group_by": "region", "quarter": "2026-Q2"}),
    ],
)
def test_a_tool_is_chosen_and_its_arguments_come_from_the_question(
    talk: Talk, question: str, arguments: dict[str, str]
) -> None:
    text = talk.ask(question)

    assert talk.made == [("turnover_report", arguments)]
    assert "| North | 120,400 | 310 |" in text
    assert "[1]" in text


def test_an_id_that_the_question_lacks_is_looked_up_by_another_tool(talk: Talk) -> None:
    text = talk.ask("What did Aurora Traders order?")

    assert talk.made == [
        ("find_customer", {"name": "Aurora Traders"}),
        ("customer_orders", {"customer_id": "C-1042"}),
    ]
    assert "| O-2 | 300 |" in text
    assert "[2]" in text
    assert "customers found" not in text


def test_the_id_is_found_in_json_too(talk: Talk) -> None:
    found = {"customers": [{"id": 7, "name": "Harbor Books"}, {"id": 42, "name": "Aurora Traders"}]}
    talk.results = as_json("find_customer", found)

    talk.ask("list the orders of aurora traders")

    assert talk.calls[-1].arguments == {"customer_id": "42"}


def test_an_id_in_the_question_needs_no_looking_up(talk: Talk) -> None:
    talk.ask("Show the orders of customer C-1042")

    assert talk.made == [("customer_orders", {"customer_id": "C-1042"})]


def test_a_lookup_that_finds_nobody_ends_in_words(talk: Talk) -> None:
    talk.results["find_customer"] = "No customer matches “Nobody Ltd”."

    text = talk.ask("What did Nobody Ltd order?")

    assert [name for name, _ in talk.made] == ["find_customer"]
    assert "No customer matches" in text


def test_two_questions_in_one_are_two_calls_side_by_side(talk: Talk) -> None:
    text = talk.ask("sales per region and list the products")

    assert talk.rounds == [2]
    assert {name for name, _ in talk.made} == {"turnover_report", "catalogue"}
    assert "[1]" in text
    assert "[2]" in text


def test_two_quarters_are_two_calls_side_by_side(talk: Talk) -> None:
    talk.ask("Compare sales of Q2 and Q3")

    assert talk.rounds == [2]
    assert [a["quarter"] for _, a in talk.made] == ["2026-Q2", "2026-Q3"]


def test_two_dimensions_are_one_question(talk: Talk) -> None:
    talk.ask("What did we sell per region and product?")

    assert {name for name, _ in talk.made} == {"turnover_report"}


@pytest.mark.parametrize(
    ("follow_up", "arguments"),
    [
        ("and per product?", {"group_by": "product", "quarter": "2026-Q3"}),
        ("And in Q2?", {"group_by": "region", "quarter": "2026-Q2"}),
        (
            "what about the north?",
            {"group_by": "region", "quarter": "2026-Q3", "region": "North"},
        ),
        ("the same for Q1 please", {"group_by": "region", "quarter": "2026-Q1"}),
    ],
)
def test_a_follow_up_keeps_what_it_does_not_change(
    talk: Talk, follow_up: str, arguments: dict[str, str]
) -> None:
    talk.ask("What did we sell per region in Q3?")
    talk.ask(follow_up)

    assert talk.made == [("turnover_report", arguments)]


def test_a_follow_up_of_a_follow_up_keeps_both(talk: Talk) -> None:
    talk.ask("What did we sell per region in Q3?")
    talk.ask("and per product?")
    talk.ask("and for the south?")

    assert talk.calls[0].arguments["quarter"] == "2026-Q3"
    assert talk.calls[0].arguments["region"] == "South"


def test_a_new_question_is_not_read_as_a_follow_up(talk: Talk) -> None:
    talk.ask("sales by product for the north in Q3")
    talk.ask("list the products")

    assert talk.made == [("catalogue", {})]


def test_a_result_can_be_asked_for_as_a_file(talk: Talk) -> None:
    talk.ask("What did we sell per region in Q3?")
    talk.ask("Give me that as a spreadsheet")

    [(name, arguments)] = talk.made
    assert name == "write_workbook"
    assert (arguments["group_by"], arguments["quarter"]) == ("region", "Q3")


def test_who_did_they_mean_is_known_from_the_question_before(talk: Talk) -> None:
    talk.ask("Who is Aurora Traders?")
    talk.ask("and what did they order?")

    assert [name for name, _ in talk.made] == ["find_customer", "customer_orders"]


def test_what_is_missing_is_asked_for_and_the_reply_completes_it(talk: Talk) -> None:
    text = talk.ask("show me the orders")

    assert talk.made == []
    assert "Which **customer** do you mean?" in text

    talk.ask("Aurora Traders")

    assert talk.calls[-1].arguments == {"customer_id": "C-1042"}


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        ("Which region sold most in Q3?", "**North** is highest: revenue 120,400."),
        ("Which region sold the fewest units in Q3?", "**West** is lowest: units 99."),
        ("What were total sales in Q3?", "**revenue** comes to 263,500 in total."),
    ],
)
def test_the_answer_begins_with_what_was_asked(talk: Talk, question: str, headline: str) -> None:
    assert f"{headline} [1]" in talk.ask(question)


def test_rows_that_the_question_names_are_picked_out(talk: Talk) -> None:
    text = talk.ask("What is the price of the desk?")

    assert "| Desk | Furniture | 300 |" in text
    assert "Lamp" not in text


def test_a_fact_of_the_thread_is_told_from_its_history(talk: Talk) -> None:
    noted = talk.ask("My budget code is 4711-A.")
    recalled = talk.ask("What was my budget code?")

    assert "Noted" in noted
    assert "My budget code is 4711-A." in recalled
    assert talk.made == []


def test_a_fact_that_left_the_prompt_is_told_from_what_retrieve_found(talk: Talk) -> None:
    talk.ask("What did we sell per region in Q3?")
    talk.past = said_earlier(
        "Earlier question\nWhat did we sell in Q1?\nWe sold 300 lamps.",
        "Earlier question\nMy budget code is 4711-A, please keep it.\nNoted.",
    )

    assert "budget code is 4711-A" in talk.ask("what was my budget code?")
    assert talk.made == []


def test_what_was_said_last_is_what_counts(talk: Talk) -> None:
    talk.ask("My budget code is 1000.")
    talk.ask("My budget code is 2000.")

    assert "2000" in talk.ask("What is my budget code?")


def test_what_no_tool_can_do_is_not_replaced_by_something_else(talk: Talk) -> None:
    talk.ask("What did we sell per region in Q3?")
    text = talk.ask("Mail that to finance")

    assert talk.made == []
    assert "found nothing here" in text


@pytest.mark.parametrize(
    "question", ["help", "What can you do?", "Who are you?", "What is the time?"]
)
def test_it_says_what_it_can_do(talk: Talk, question: str) -> None:
    text = talk.ask(question)

    assert "**catalogue**: Lists the products with category and price." in text
    assert "read result" not in text


def test_what_fits_no_tool_is_searched_for_where_something_searches(talk: Talk) -> None:
    text = talk.ask("What was agreed about the warehouse move?")

    assert talk.made == [("search_notes", {"query": "warehouse move"})]
    assert "list prices stay until spring" in text


def test_a_tool_that_failed_is_named_with_its_reason(talk: Talk) -> None:
    talk.results["catalogue"] = "Error: the catalogue is closed today. Try tomorrow."

    assert "“catalogue”: the catalogue is closed today. [1]" in talk.ask("list the products")


def test_a_call_that_waits_is_said_to_wait(talk: Talk) -> None:
    talk.results["catalogue"] = "Parked as #17: a person decides. Do not call it again."

    assert talk.ask("list the products").endswith(
        "#17 waits for a decision on its card. It has not happened yet."
    )


def test_the_last_call_answers_from_what_there_is() -> None:
    asked = ModelMessage(role="user", text="What did Aurora Traders order?")
    first = answer([asked], TOOLS).message
    found = ModelMessage(
        role="tool",
        text=f"[evidence 1]\n{RESULTS['find_customer']}",
        call_id=first.calls[0].id,
    )
    late = ModelMessage(role="user", text="No more tools can be called. Answer now, in words.")

    reply = answer([asked, first, found, late], [])

    assert (reply.finish, reply.message.calls) == ("stop", ())
    assert "Aurora Traders" in reply.message.text
    assert "[1]" in reply.message.text


def test_a_shortened_result_is_said_to_be_incomplete(talk: Talk) -> None:
    talk.results["catalogue"] += "\n\n[Shortened: 200 of 900 characters. Read on with read_result.]"

    text = talk.ask("list the products")

    assert "longer than what I was shown" in text
    assert "[Shortened" not in text


def test_a_tool_that_takes_a_table_gets_the_rows_of_the_last_result() -> None:
    draw = tool(
        "draw_chart",
        "Draws a chart of rows.",
        "rows",
        rows={"type": "array", "items": {"type": "object"}},
    )
    talk = Talk(tools=(TOOLS[0], draw), results={**RESULTS, "draw_chart": "Drew a chart."})

    talk.ask("Show sales per region in Q3 and then draw a chart")

    assert [name for name, _ in talk.made] == ["turnover_report", "draw_chart"]
    assert talk.calls[1].arguments["rows"][0] == {
        "region": "North",
        "revenue": "120,400",
        "units": "310",
    }


@pytest.mark.parametrize(
    ("schema", "question", "value"),
    [
        ({"day": {"type": "string", "format": "date"}}, "bookings on 3 May 2026", "2026-05-03"),
        ({"start_date": {"type": "string"}}, "bookings since July 2026", "2026-07-01"),
        ({"end_date": {"type": "string"}}, "bookings in Q1 2026", "2026-03-31"),
        ({"month": {"type": "string"}}, "bookings in August 2026", "2026-08"),
        ({"month": {"type": "integer"}}, "bookings last month", 10),
        ({"year": {"type": "integer"}}, "bookings in 2025", 2025),
        ({"limit": {"type": "integer"}}, "the top 5 bookings", 5),
        ({"min_amount": {"type": "number"}}, "bookings over 1,500 dollars", 1500),
        ({"open_only": {"type": "boolean"}}, "open only bookings", True),
        (
            {"states": {"type": "array", "items": {"enum": ["open", "paid"]}}},
            "paid bookings",
            ["paid"],
        ),
        ({"guest": {"type": "string"}}, "bookings of “Anna Berg”", "Anna Berg"),
        ({"booking_no": {"type": "string"}}, "booking B-2231", "B-2231"),
    ],
)
def test_each_kind_of_parameter_is_read_from_the_words(
    schema: dict[str, object], question: str, value: object
) -> None:
    [name] = schema
    bookings = tool("bookings", "Bookings of rooms.", name, **schema)
    talk = Talk(tools=(bookings,), results={"bookings": "none"})

    talk.ask(question)

    assert talk.made == [("bookings", {name: value})]


async def test_the_door_meters_the_demo_model_as_free() -> None:
    entries: list[LedgerEntry] = []

    async def add(entry: LedgerEntry) -> None:
        entries.append(entry)

    door = ChatDoor(known([parse("demo")]), Meter(add, lambda: 5.0), lambda: 5.0)

    reply = await door.ask("demo", [ModelMessage(role="user", text="hi")], TOOLS, BILLING, 5)

    [entry] = entries
    assert (entry.provider, entry.model, entry.price, entry.price_table) == (
        "demo",
        "demo",
        "0",
        "demo",
    )
    assert entry.usage == reply.usage
    assert entry.usage.output_tokens > 0


QUESTIONS = st.text(max_size=200) | st.lists(
    st.sampled_from(
        "and what did Aurora order Q3 2026 sales per region that it top 5 notes - ? , the".split()
    ),
    max_size=12,
).map(" ".join)


@settings(max_examples=50, deadline=None)
@given(st.lists(QUESTIONS, min_size=1, max_size=3))
def test_any_words_end_in_words(questions: list[str]) -> None:
    talk, again = Talk(), Talk()

    assert [talk.ask(q) for q in questions] == [again.ask(q) for q in questions]


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "how are you " * n + "\nx",
        lambda n: "A" * n,
        lambda n: "Aa " * n,
        lambda n: "for " * n,
        lambda n: "1-" * n,
        lambda n: "| " * n,
        lambda n: "my " * n,
        lambda n: "“" * n,
        lambda n: "".join(random.Random(3).choices(string.printable, k=n)),
    ],
)
@pytest.mark.timeout(20)
def test_a_hostile_question_holds_nothing_up(make: Callable[[int], str]) -> None:
    assert Talk().ask(make(8000))
