"""The SQL specialist writes, is checked, mends what can be mended, and says the rest."""

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.records import (
    Billing,
    ModelMessage,
    ModelReply,
    PersonId,
    ThreadId,
    ToolCall,
    TurnId,
    Usage,
)
from core.specialists.sql.agent import Ending, answer
from core.specialists.sql.desk import Asked, Desk, Discovery
from core.specialists.sql.engine import engine_for
from core.specialists.sql.periods import filled, today
from core.specialists.sql.source import Metric, Source, Table, Verified
from core.specialists.sql.values import Values

SHOP = """
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer TEXT, amount NUMERIC, day TEXT, currency TEXT
);
INSERT INTO orders VALUES (1, 'Contoso', 10.5, '2026-10-02', 'EUR'),
  (2, 'Fabrikam', 20, '2026-10-03', 'EUR'), (3, 'Contoso', 5, '2026-11-01', 'EUR');
CREATE TABLE lines (id INTEGER PRIMARY KEY, order_id INTEGER, product TEXT);
INSERT INTO lines VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'a');
CREATE TABLE big (id INTEGER PRIMARY KEY, n INTEGER);
INSERT INTO big VALUES (1, 9007199254740993), (2, 9223372036854775807);
CREATE TABLE regions (region TEXT, sales INTEGER);
INSERT INTO regions VALUES ('North', 1), ('South', 2), ('Total', 3);
"""
NOW = date(2026, 11, 30)


class Model:
    """Says these calls in order, and keeps what it was told."""

    def __init__(self, *said: tuple[str, dict[str, Any]]) -> None:
        self._said = list(said)
        self.told: list[list[ModelMessage]] = []
        self.tools: list[list[str]] = []

    async def __call__(self, messages, tools, billing, deadline) -> ModelReply:
        self.told.append(list(messages))
        self.tools.append([tool.name for tool in tools])
        name, arguments = self._said.pop(0)
        call = ToolCall(id=f"c{len(self.told)}", name=name, arguments=arguments)
        message = ModelMessage(role="assistant", text="", calls=(call,))
        return ModelReply(message=message, usage=Usage(), finish="tools", model="scripted")

    @property
    def last(self) -> str:
        return self.told[-1][-1].text


def sql(text: str) -> tuple[str, dict[str, Any]]:
    return "run_query", {"sql": text}


def pick(*tables: str) -> tuple[str, dict[str, Any]]:
    return "look_at_tables", {"tables": list(tables)}


@pytest.fixture
def shop(tmp_path: Path) -> Source:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SHOP)
    return Source(id="shop", title="the shop", kind="sqlite", connection={"path": str(path)})


async def ask(
    source: Source,
    question: str,
    model: Model | None,
    *,
    day: date = NOW,
    discovery: Discovery = "progressive",
    **more: Any,
) -> Ending:
    engine = engine_for(source)
    billing = Billing(
        turn=TurnId("t1"), thread=ThreadId("th"), person=PersonId("p"), place="slack:T/C"
    )
    desk = Desk(
        source=source,
        engine=engine,
        values=Values(source, engine),
        asked=Asked(
            question=question,
            billing=billing,
            today=day,
            time_zone="Europe/Copenhagen",
            ends=1_796_000_060.0,
        ),
        clock=lambda: 1_796_000_000.0,
        ask=model,
        discovery=discovery,
        **more,
    )
    try:
        return await answer(desk)
    finally:
        await engine.close()


async def test_it_is_shown_an_index_then_columns_and_then_writes(shop: Source):
    model = Model(pick("orders"), sql("SELECT COUNT(*) AS orders FROM orders"))
    ending = await ask(shop, "How many orders?", model)
    assert ending.brought is not None and ending.brought.rows.rows == ((3,),)
    assert "customer" not in model.told[0][-1].text and "orders" in model.told[0][-1].text
    assert "customer TEXT" in model.told[1][-1].text and "product" not in model.told[1][-1].text


async def test_a_misspelt_value_is_mended_by_how_the_column_spells_it(shop: Source):
    query = "SELECT SUM(amount) AS revenue FROM orders WHERE customer = '{}'"
    model = Model(pick("orders"), sql(query.format("contoso")), sql(query.format("Contoso")))
    ending = await ask(shop, "Revenue of contoso?", model)
    assert "it is spelt 'Contoso'" in model.last
    assert ending.brought is not None and ending.brought.rows.rows == ((15.5,),)


async def test_a_value_that_is_like_none_is_said(shop: Source):
    query = sql("SELECT SUM(amount) AS revenue FROM orders WHERE customer = 'Zebra Works'")
    ending = await ask(shop, "Revenue of Zebra Works?", Model(pick("orders"), query))
    assert ending.brought is not None
    assert "holds no 'Zebra Works'" in " ".join(ending.brought.query.notes)


async def test_rows_that_a_join_counts_twice_are_noticed(shop: Source):
    doubled = sql(
        "SELECT l.product, SUM(o.amount) AS revenue FROM orders AS o"
        " JOIN lines AS l ON l.order_id = o.id GROUP BY l.product"
    )
    model = Model(pick("orders", "lines"), doubled, doubled)
    ending = await ask(shop, "Revenue per product?", model)
    assert "lines.order_id is not unique" in model.last
    assert ending.brought is not None
    assert "counts a row of o once for each row of lines" in ending.brought.query.notes[0]


async def test_a_join_to_a_key_is_no_doubt(shop: Source):
    query = sql(
        "SELECT o.customer, COUNT(l.id) AS lines FROM lines AS l"
        " JOIN orders AS o ON o.id = l.order_id GROUP BY o.customer"
    )
    ending = await ask(shop, "Lines per customer?", Model(pick("orders", "lines"), query))
    assert ending.brought is not None and ending.brought.query.notes == ()


async def test_a_row_that_adds_up_others_is_pointed_out(shop: Source):
    query = sql("SELECT region, sales FROM regions")
    ending = await ask(shop, "Sales per region?", Model(pick("regions"), query))
    assert ending.brought is not None
    assert ending.brought.query.notes == ("The row 'Total' seems to add up other rows.",)


async def test_twenty_and_twenty_one_rows_are_told_apart(shop: Source):
    for cap, is_complete in ((3, True), (2, False)):
        query = sql("SELECT id FROM orders")
        ending = await ask(shop, "Orders?", Model(pick("orders"), query), row_cap=cap)
        assert ending.brought is not None
        assert ending.brought.query.is_complete is is_complete
        assert len(ending.brought.rows.rows) == cap


async def test_a_limit_of_the_models_own_is_not_all(shop: Source):
    query = sql("SELECT id FROM orders ORDER BY id LIMIT 2")
    ending = await ask(shop, "Orders?", Model(pick("orders"), query))
    assert ending.brought is not None and not ending.brought.query.is_complete
    assert "there may be more" in ending.brought.query.notes[0]


async def test_it_gives_up_after_three_refinements(shop: Source):
    model = Model(pick("orders"), *[sql("SELECT nmae FROM orders")] * 4)
    ending = await ask(shop, "Names?", model)
    assert ending.brought is None and "nmae" in ending.refusal
    assert len(model.told) == 5


async def test_writing_is_refused_whatever_the_model_says(shop: Source):
    model = Model(pick("orders"), *[sql("DELETE FROM orders")] * 4)
    assert (await ask(shop, "Delete all orders", model)).brought is None
    left = Model(pick("orders"), sql("SELECT COUNT(*) FROM orders"))
    ending = await ask(shop, "How many?", left)
    assert ending.brought is not None and ending.brought.rows.rows == ((3,),)


async def test_what_the_tables_do_not_hold_is_said_and_not_guessed(shop: Source):
    model = Model(("cannot_answer", {"reason": "There are no costs here."}))
    ending = await ask(shop, "What was the margin?", model)
    assert (ending.brought, ending.refusal) == (None, "There are no costs here.")


async def test_last_month_is_that_of_the_persons_clock(shop: Source):
    shanghai = today(1_796_059_800.0, "Asia/Shanghai")
    assert (shanghai, today(1_796_059_800.0, "UTC")) == (date(2026, 12, 1), date(2026, 11, 30))
    model = Model(pick("orders"), sql("SELECT COUNT(*) FROM orders"))
    await ask(shop, "Orders last month?", model, day=date(2026, 11, 30))
    assert "Last month is 2026-10-01 to 2026-10-31" in model.told[0][0].text.replace(
        "last month", "Last month"
    )
    assert "Today is Monday, 2026-11-30 (Europe/Copenhagen)" in model.told[0][0].text


async def test_the_databases_own_clock_is_not_asked(shop: Source):
    clock = sql("SELECT COUNT(*) FROM orders WHERE day >= CURRENT_DATE")
    model = Model(
        pick("orders"), clock, sql("SELECT COUNT(*) FROM orders WHERE day >= '2026-11-30'")
    )
    await ask(shop, "Orders today?", model)
    assert "dates" in model.last


async def test_integers_beyond_what_json_holds_stay_exact(shop: Source):
    from core.specialists.sql.result import structured, text

    ending = await ask(shop, "n?", Model(pick("big"), sql("SELECT n FROM big ORDER BY id")))
    assert ending.brought is not None
    found = [row["n"] for row in structured(ending.brought)["rows"]]
    assert found == ["9007199254740993", "9223372036854775807"]
    assert "9223372036854775807" in text(ending.brought)


VOUCHED = Verified(
    question="How many orders were there last month?",
    sql="SELECT COUNT(*) AS orders FROM orders AS o"
    " WHERE o.day BETWEEN '{last_month_first}' AND '{last_month_last}'",
    owner="Ann",
    checked="2026-10-01",
)


def vouching(source: Source) -> Source:
    return Source(
        id=source.id,
        title=source.title,
        kind=source.kind,
        connection=source.connection,
        verified=(VOUCHED,),
    )


async def test_a_verified_question_is_answered_by_its_query_and_labelled(shop: Source):
    model = Model()
    ending = await ask(vouching(shop), "how many orders were there LAST MONTH", model)
    assert ending.brought is not None and ending.brought.rows.rows == ((2,),)
    assert ending.brought.query.verified.endswith("checked by Ann on 2026-10-01")
    assert model.told == []


async def test_without_a_model_verified_queries_alone_are_answered(shop: Source):
    source = vouching(shop)
    known = await ask(source, "How many orders were there last month, please?", None)
    assert known.brought is not None and known.brought.query.verified
    unknown = await ask(source, "Who is the best customer?", None)
    assert unknown.brought is None
    assert "The demo model writes no SQL" in unknown.refusal and VOUCHED.question in unknown.refusal


async def test_a_query_that_says_the_same_as_a_verified_one_is_labelled(shop: Source):
    written = sql(filled(VOUCHED.sql, NOW).lower().replace("as orders", "as orders"))
    ending = await ask(vouching(shop), "Orders in October?", Model(pick("orders"), written))
    assert ending.brought is not None and ending.brought.query.verified


async def test_metrics_and_terms_reach_the_model_where_they_concern_the_question(shop: Source):
    source = Source(
        id="shop",
        title="the shop",
        kind="sqlite",
        connection=shop.connection,
        tables=(Table(name="orders"), Table(name="lines")),
        glossary={"revenue": "sum of amounts, net", "churn": "lost customers"},
        metrics=(Metric(name="revenue", sql="SUM(orders.amount)"),),
        joins=("lines.order_id = orders.id",),
    )
    model = Model(sql("SELECT SUM(o.amount) AS revenue FROM orders AS o"))
    await ask(source, "What is our revenue?", model)
    assert "revenue = SUM(orders.amount)" in model.last and "lost customers" not in model.last
    assert "lines.order_id = orders.id" in model.last


async def test_progressive_discovery_costs_an_eighth_of_the_whole_schema(tmp_path: Path):
    path = tmp_path / "wide.db"
    with closing(sqlite3.connect(path)) as connection:
        for number in range(200):
            columns = ", ".join(f"measured_value_{at} NUMERIC" for at in range(29))
            connection.execute(f"CREATE TABLE sensor_{number} (id INTEGER PRIMARY KEY, {columns})")
    source = Source(id="wide", title="sensors", kind="sqlite", connection={"path": str(path)})
    spent: dict[str, int] = {}
    query = sql("SELECT COUNT(*) AS n FROM sensor_7")
    for discovery, said in (("progressive", (pick("sensor_7"), query)), ("whole", (query,))):
        model = Model(*said)
        ending = await ask(source, "How many values of sensor 7?", model, discovery=discovery)
        assert ending.brought is not None
        spent[discovery] = sum(len(one.text) for told in model.told for one in told) // 4
    print(f"\n200 tables of 30 columns, tokens by length: {spent}")
    assert spent["progressive"] <= spent["whole"] / 8


async def test_where_several_values_may_be_meant_the_person_is_asked(shop: Source):
    with closing(sqlite3.connect(shop.connection["path"])) as connection:
        connection.execute("UPDATE orders SET customer = 'Contoso Retail Denmark' WHERE id = 1")
        connection.execute("UPDATE orders SET customer = 'Contoso Retail Sweden' WHERE id = 3")
        connection.commit()
    query = sql("SELECT SUM(amount) AS revenue FROM orders WHERE customer = 'Contoso Retail'")
    ending = await ask(shop, "Revenue of Contoso Retail?", Model(pick("orders"), query))
    assert ending.brought is None
    assert "Contoso Retail Denmark" in ending.question and "Sweden" in ending.question


async def test_amounts_of_several_currencies_are_not_added_up_unnoticed(shop: Source):
    with closing(sqlite3.connect(shop.connection["path"])) as connection:
        connection.execute("UPDATE orders SET currency = 'DKK' WHERE id = 3")
        connection.commit()
    added = sql("SELECT SUM(amount) AS amount FROM orders")
    grouped = sql("SELECT currency, SUM(amount) AS amount FROM orders GROUP BY currency")
    model = Model(pick("orders"), added, grouped)
    ending = await ask(shop, "Amount of all orders?", model)
    assert "several currencies" in model.last
    assert ending.brought is not None and len(ending.brought.rows.rows) == 2
    assert ending.brought.query.notes == ()
