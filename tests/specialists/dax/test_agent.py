"""The Power BI specialist answers from the model's measures, and says how."""

import asyncio
import random
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from core.records import PersonId
from core.specialists.dax.desk import Memory
from core.specialists.dax.failures import DaxFailed
from core.specialists.dax.source import Verified
from core.specialists.sql.result import structured, text
from tests.fakes.powerbi.service import refused
from tests.specialists.dax.asking import SOURCE, Scripted, bench, service
from tests.specialists.dax.questions import BY_CATEGORY, QUESTIONS, WRONG, by_hand, cells


def test_there_are_forty_questions() -> None:
    assert len(QUESTIONS) >= 40


@pytest.mark.parametrize("place", range(len(QUESTIONS)), ids=[one[0] for one in QUESTIONS])
async def test_a_figure_is_what_plain_sql_gives_though_the_first_dax_was_wrong(place: int) -> None:
    """Every second one is first written wrongly, and mended by what was wrong with it."""
    question, dax, sql = QUESTIONS[place]
    wrong = [WRONG[place % len(WRONG)]] if place % 2 else []
    model = Scripted([*wrong, dax])
    async with bench() as desk:
        ending = await desk.ask(question, model)
    assert cells(ending) == by_hand(sql)
    assert ending.brought is not None
    assert ending.brought.query.tries == len(wrong) + 1
    if wrong:
        told = model.heard[-1][-1]
        assert (told.is_error, told.text.startswith("Not taken: ")) == (True, True)


async def test_the_model_is_told_measures_and_relationships_and_no_hidden_thing() -> None:
    played = service()
    played.models["d1"].hidden = frozenset({"Sales[CustomerKey]", "Share"})
    model = Scripted([BY_CATEGORY])
    async with bench(played) as desk:
        await desk.ask("sales by category", model)
    told = model.heard[0][-1].text
    assert "[Total Sales] = SUM(Sales[Amount])" in told
    assert "'Sales'[ProductKey] -> 'Product'[ProductKey]" in told
    assert "Share" not in told
    assert "'Sales'[CustomerKey]  " not in told and "'Sales'[CustomerKey] Integer" not in told


async def test_the_model_is_told_the_words_of_the_house_that_the_question_speaks_of() -> None:
    words = {"churn": "customers with no order in the last twelve months", "backlog": "unbilled"}
    model = Scripted([BY_CATEGORY])
    async with bench() as desk:
        await desk.ask("churn by category", model, source=replace(SOURCE, glossary=words))
    system, *_, told = model.heard[0]
    assert "- churn: customers with no order" in told.text and "backlog" not in told.text
    assert "leave time intelligence to measures" in system.text


async def test_an_answer_says_its_dax_its_measures_its_filters_and_how_old_its_data_is() -> None:
    dax = (
        "EVALUATE SUMMARIZECOLUMNS('Product'[Category], TREATAS({2025}, 'Date'[Year]),"
        ' "Sales", [Total Sales])'
    )
    async with bench() as desk:
        ending = await desk.ask("sales by category in 2025", Scripted([dax]))
    assert ending.brought is not None
    query = structured(ending.brought)["query"]
    assert query["sql"] == dax
    assert query["filters"] == ["Date[Year] IN {2025}"]
    assert "[Total Sales] is the model's measure: SUM(Sales[Amount])" in query["notes"]
    assert "The model's data was last loaded at 2026-11-30T05:12:44Z." in query["notes"]
    assert query["is_complete"] is True
    assert "| Category | Sales |" in text(ending.brought)


async def test_an_expression_of_its_own_is_said_to_be_one() -> None:
    dax = 'EVALUATE ROW("v", SUMX(Sales, Sales[Amount] * 2))'
    async with bench() as desk:
        ending = await desk.ask("twice the sales", Scripted([dax]))
    assert ending.brought is not None
    [said] = [note for note in ending.brought.query.notes if note.startswith("No measure")]
    assert said.endswith("worked out as SUMX(Sales, Sales[Amount] * 2)")


async def test_a_model_with_many_tables_is_learnt_step_by_step() -> None:
    played = service()
    model = played.models["d1"]
    many = {f"Table {number}": ["A"] for number in range(30)}
    for name in many:
        model.db.execute(f'CREATE TABLE "{name}"("A" INTEGER)')
    model.tables = {**model.tables, **many}
    script = Scripted([["Sales", "Product"], BY_CATEGORY])
    async with bench(played) as desk:
        ending = await desk.ask("sales by category", script)
    assert len(cells(ending)) == 2
    index, learnt = script.heard[0][-1].text, script.heard[1][-1].text
    assert "Table 29" in index and "'Product'[Category]" not in index
    assert "'Product'[Category] Text" in learnt and "Table 29" not in learnt


async def test_a_query_that_never_runs_ends_in_a_sentence_after_three_refinements() -> None:
    script = Scripted([WRONG[0]] * 9)
    async with bench() as desk:
        ending = await desk.ask("sales", script)
    assert ending.brought is None
    assert "There is no column Product[Categ]" in ending.refusal
    assert len(script.heard) == 4
    assert [query for _, query in desk.service.asked if "SUMMARIZE" in query] == []


async def test_a_value_that_is_spelt_otherwise_is_mended_and_one_of_several_is_asked_for() -> None:
    def of(name: str) -> str:
        return f'EVALUATE ROW("o", CALCULATE([Orders], \'Customer\'[Name] = "{name}"))'

    async with bench() as desk:
        mended = await desk.ask("orders of Orsted", Scripted([of("orsted"), of("Ørsted A/S")]))
        nothing = await desk.ask("orders of Zork", Scripted([of("Zorkmid Inc")]))
    assert cells(mended) == by_hand('SELECT COUNT(*) FROM "Sales" WHERE "CustomerKey" = 1')
    assert nothing.brought is not None
    assert 'Customer[Name] holds no "Zorkmid Inc" or anything like it.' in (
        nothing.brought.query.notes
    )


async def test_values_are_looked_up_under_the_rights_of_the_person_who_asks() -> None:
    def of(name: str) -> str:
        return f'EVALUATE ROW("o", CALCULATE([Orders], \'Customer\'[Name] = "{name}"))'

    async with bench() as desk:
        seen = await desk.ask("orders", Scripted([of("fabrikam"), of("Fabrikam")]), token="t-ann")
        unseen = await desk.ask("orders", Scripted([of("fabrikam")]), token="t-bo")
    assert seen.brought is not None and seen.brought.query.tries == 2
    assert unseen.brought is not None
    assert 'Customer[Name] holds no "fabrikam" or anything like it.' in unseen.brought.query.notes


async def test_columns_that_are_not_looked_at_are_never_asked_for_their_values() -> None:
    source = replace(SOURCE, unprofiled=frozenset({"Customer[Name]"}))
    dax = 'EVALUATE ROW("o", CALCULATE([Orders], \'Customer\'[Name] = "nobody"))'
    async with bench() as desk:
        await desk.ask("orders of nobody", Scripted([dax]), source=source)
        assert not [query for _, query in desk.service.asked if "VALUES" in query]


VOUCHED = Verified(
    question="What did we sell by category?", dax=BY_CATEGORY, owner="Finance", checked="2026-10-01"
)


async def test_a_verified_query_is_answered_as_such_without_a_model() -> None:
    source = replace(SOURCE, verified=(VOUCHED,))
    async with bench() as desk:
        ending = await desk.ask("what did we sell by category", None, source=source)
        other = await desk.ask("who is our best customer?", None, source=source)
        written = await desk.ask("categories?", Scripted([BY_CATEGORY]), source=source)
    assert ending.brought is not None and written.brought is not None
    assert ending.brought.query.verified == (
        "What did we sell by category?, checked by Finance on 2026-10-01"
    )
    assert written.brought.query.verified == ending.brought.query.verified
    assert other.refusal.startswith("The demo model writes no DAX")
    assert "What did we sell by category?" in other.refusal


async def test_a_service_that_does_not_say_what_it_holds_is_asked_by_the_committed_definition() -> (
    None
):
    played = service()
    played.knows_itself = False
    async with bench(played) as desk:
        bare = await desk.ask("sales", Scripted([]))
        source = replace(SOURCE, definition=TMDL)
        ending = await desk.ask("sales", Scripted([BY_CATEGORY]), source=source)
    assert "this function is not open to queries from outside" in bare.refusal
    assert cells(ending)
    assert ending.brought is not None
    assert "What the model holds was read from its committed definition." in (
        ending.brought.query.notes
    )


TMDL = """\
model Model

/// What was sold
table Sales

\tmeasure 'Total Sales' = SUM(Sales[Amount])
\t\tformatString: #,0.00

\tcolumn Amount
\t\tdataType: decimal

table Product

\tcolumn Category
\t\tdataType: string

relationship r1
\tfromColumn: Sales.ProductKey
\ttoColumn: Product.ProductKey
"""


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda: refused(404, "PowerBIEntityNotFound", "x"), "permissions Read and Build"),
        (
            lambda: refused(403, "FeatureNotAvailableError", "The API is not enabled."),
            "Dataset Execute Queries REST API",
        ),
        (lambda: web.json_response({}, status=429, headers={"Retry-After": "12"}), "pause of 12 s"),
        (lambda: web.Response(status=503, text="<html>"), "HTTP 503"),
        (lambda: web.Response(status=200, text="<html>"), "HTTP 200"),
        (lambda: web.Response(status=413), "larger than Power BI hands out"),
    ],
)
async def test_what_nobody_can_write_better_ends_in_words_at_once(answer: Any, words: str) -> None:
    played = service()
    played.fault = lambda query: answer() if "ROW(" in query else None
    script = Scripted(['EVALUATE ROW("t", [Total Sales])'] * 4)
    async with bench(played) as desk:
        ending = await desk.ask("sales", script)
    assert words in ending.refusal
    assert len(script.heard) == 1


async def test_missing_permission_an_expired_token_and_a_tenant_switch_are_told_apart() -> None:
    async with bench() as desk:
        foreign = await desk.ask("sales", Scripted([]), token="t-eve")
        expired = await desk.ask("sales", Scripted([]), token="t-old")
        desk.service.is_switched_on = False
        desk.memory = Memory()
        off = await desk.ask("sales", Scripted([]))
    assert "needs the permissions Read and Build" in foreign.refusal
    assert "connect the account again" in expired.refusal
    assert "Dataset Execute Queries REST API" in off.refusal


async def test_the_useless_error_text_is_made_of_use_by_its_code() -> None:
    played = service()
    tries = [0]

    def fault(query: str) -> web.Response | None:
        tries[0] += "ROW(" in query
        useless = refused(400, "", "Failed to execute the DAX query.", 3241803785)
        return useless if "ROW(" in query and tries[0] == 1 else None

    played.fault = fault
    script = Scripted(['EVALUATE ROW("t", [Total Sales])'] * 2)
    async with bench(played) as desk:
        ending = await desk.ask("sales", script)
    assert cells(ending)
    assert "aggregate it" in script.heard[1][-1].text


async def test_a_part_of_the_rows_is_said_to_be_a_part() -> None:
    played = service()
    played.most_rows = 3
    everything = "EVALUATE VALUES('Date'[Month])"
    # What describes the model is longer than that too.
    async with bench() as whole:
        seen = whole.memory
        await whole.ask("months", Scripted([everything]))
        async with bench(played) as desk:
            desk.memory = seen
            ending = await desk.ask("months", Scripted([everything]))
    assert ending.brought is not None
    query = structured(ending.brought)["query"]
    assert (query["rows"], query["is_complete"]) == (3, False)
    assert "Power BI gave a part of the rows: More than 3 rows in a query result" in query["notes"]


async def test_two_evaluates_are_answered_with_200_and_understood_as_a_refusal() -> None:
    """Our guard lets none through; the service itself answers without a table."""
    two = "EVALUATE VALUES('Date'[Month]) EVALUATE VALUES('Date'[Month])"
    async with bench() as desk:
        with pytest.raises(DaxFailed) as refused:
            await desk.power.query(
                SOURCE, two, person=PersonId("ann"), token="t-ann", deadline=20.0
            )
    assert refused.value.kind == "query"
    assert refused.value.sentence.startswith("Power BI refused the query: ")
    assert desk.service.asked[-1] == ("ann", two)


async def test_two_people_never_see_each_others_rows_in_a_thousand_interleaved_queries() -> None:
    """Whole answers among them: what one may see of a model is kept for that one alone."""
    dax = "EVALUATE SUMMARIZECOLUMNS('Customer'[Country], \"s\", [Total Sales])"
    people = {"t-ann": PersonId("ann"), "t-bo": PersonId("bo")}
    lands: dict[str, set[str]] = {"t-ann": set(), "t-bo": set()}
    dice = random.Random(5)
    async with bench() as desk:
        room = asyncio.Semaphore(16)

        async def one(number: int, token: str) -> None:
            async with room:
                if number % 20 == 0:
                    ending = await desk.ask("sales by country", Scripted([dax]), token=token)
                    assert ending.brought is not None
                    rows = ending.brought.rows.rows
                else:
                    table = await desk.power.query(
                        SOURCE, dax, person=people[token], token=token, deadline=60.0
                    )
                    rows = table.rows
                lands[token] |= {str(row[0]) for row in rows}

        async with asyncio.TaskGroup() as group:
            for number in range(1_000):
                group.create_task(one(number, dice.choice(("t-ann", "t-bo"))))
        queries = [query for _, query in desk.service.asked if query == dax]
    assert len(queries) == 1_000
    assert lands == {"t-ann": {"DK", "US", "SE"}, "t-bo": {"DK"}}
