"""What the guard does with single queries: what it writes, what it refuses and how it says so."""

from dataclasses import replace

import pytest

from core.specialists.sql.guard import Admitted, Refused, admit
from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import Kind
from tests.specialists.sql.world import schema, source


def asked(text: str, kind: Kind = "postgres", row_cap: int = 100) -> Admitted:
    return admit(text, schema(kind), source(kind), row_cap)


def refused(text: str, kind: Kind = "postgres") -> Refused:
    with pytest.raises(Refused) as error:
        asked(text, kind)
    return error.value


def test_a_star_becomes_the_columns_that_the_person_may_see() -> None:
    written = asked("SELECT * FROM customers").sql
    assert written == (
        'SELECT "customers"."id" AS "id", "customers"."name" AS "name", '
        '"customers"."country" AS "country" FROM "public"."customers" AS "customers" LIMIT 101'
    )


def test_what_a_query_reads_and_filters_by_is_told_beside_it() -> None:
    found = asked(
        "SELECT SUM(s.amount) AS t FROM sales s JOIN customers c ON c.id = s.customer_id "
        "WHERE lower(c.country) = 'dk' AND s.region IN ('North', 'South') AND s.amount > 5"
    )
    assert found.tables == ("public.sales", "public.customers")
    assert found.columns == (
        "public.customers.country",
        "public.customers.id",
        "public.sales.amount",
        "public.sales.customer_id",
        "public.sales.region",
    )
    told = {one.column: one for one in found.filters}
    assert told["public.customers.country"].values == ("dk",)
    assert told["public.sales.region"].values == ("North", "South")
    assert told["public.sales.amount"].text == "amount > 5"
    assert len(found.filters) == 3


@pytest.mark.parametrize(
    ("text", "kind", "ends"),
    [
        ("SELECT id FROM sales", "postgres", "LIMIT 101"),
        ("SELECT id FROM sales LIMIT 7", "postgres", "LIMIT 7"),
        ("SELECT id FROM sales LIMIT 700000", "postgres", "LIMIT 101"),
        ("SELECT id FROM sales LIMIT ALL", "postgres", '"capped" LIMIT 101'),
        ("SELECT id FROM sales LIMIT 50 + 60", "duckdb", '"capped" LIMIT 101'),
        ("SELECT id FROM sales FETCH FIRST 900 ROWS ONLY", "postgres", "FIRST 101 ROWS ONLY"),
        ("SELECT id FROM sales UNION SELECT id FROM customers", "sqlite", "LIMIT 101"),
        ("SELECT id FROM sales ORDER BY id OFFSET 5 ROWS", "mssql", "FETCH FIRST 101 ROWS ONLY"),
    ],
)
def test_no_query_asks_for_more_than_one_row_beyond_the_cap(
    text: str, kind: Kind, ends: str
) -> None:
    assert asked(text, kind).sql.endswith(ends)


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("SELECT id FROM sales", "SELECT TOP 101 "),
        ("SELECT TOP 7 id FROM sales", "SELECT TOP 7 "),
        ("SELECT TOP 7000 id FROM sales", "SELECT TOP 101 "),
        ("SELECT id FROM sales UNION ALL SELECT id FROM customers ORDER BY id", "SELECT TOP 101 *"),
    ],
)
def test_t_sql_is_limited_in_its_own_way(text: str, begins: str) -> None:
    assert asked(text, "mssql").sql.startswith(begins)


def test_a_share_of_the_rows_is_refused_in_t_sql_and_not_turned_into_a_number() -> None:
    assert "PERCENT" in refused("SELECT TOP 10 PERCENT id FROM sales", "mssql").reason


def test_an_unknown_name_is_refused_with_those_that_it_may_have_meant() -> None:
    column = refused("SELECT regon FROM sales")
    assert column.reason.startswith("There is no column regon here.")
    assert column.candidates == ("public.sales.region",)
    table = refused("SELECT id FROM slaes")
    assert table.candidates == ("public.sales",)


def test_a_hidden_column_is_not_even_among_the_candidates() -> None:
    assert "ssn" not in " ".join(refused("SELECT snn FROM customers").candidates)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM customers GROUP BY id HAVING MAX(ssn) = '1'",
        "SELECT MAX(id) AS ssn FROM customers GROUP BY ssn",
        "SELECT DISTINCT ON (ssn) id FROM customers",
        "SELECT t.b FROM customers AS t(a, b, c, d)",
        "SELECT a.id FROM customers a JOIN customers b USING (ssn)",
        "SELECT * FROM customers NATURAL JOIN sales",
        "SELECT (SELECT c) AS x FROM customers c",
        "SELECT z.x FROM customers c CROSS JOIN LATERAL (SELECT ssn AS x) z",
        "SELECT x.ssn FROM (SELECT FROM customers) x",
    ],
)
def test_a_hidden_column_cannot_be_reached_by_a_detour(text: str) -> None:
    refused(text)


def test_where_a_name_of_select_is_used_otherwise_than_to_order_what_it_stands_for_is_written() -> (
    None
):
    written = asked("SELECT id AS ssn FROM customers ORDER BY UPPER(ssn), ssn").sql
    assert written.endswith('ORDER BY UPPER(("customers"."id")), "ssn" LIMIT 101')


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM sales a, sales b, sales c",
        "SELECT COUNT(*) FROM sales a JOIN sales b ON a.id = a.id JOIN sales c ON c.id = c.id",
        "SELECT COUNT(*) FROM sales a JOIN sales b ON 1 = 1 CROSS JOIN sales c",
    ],
)
def test_tables_beside_one_another_are_refused_from_the_third_on(text: str) -> None:
    assert "join condition" in refused(text).reason


def test_a_figure_beside_every_row_is_no_unjoined_table() -> None:
    asked(
        "WITH t AS (SELECT SUM(amount) AS s FROM sales), n AS (SELECT COUNT(*) AS c FROM customers)"
        " SELECT x.id, x.amount / t.s, n.c FROM sales x CROSS JOIN t CROSS JOIN n"
    )


def test_columns_that_build_upon_one_another_do_not_grow_without_end() -> None:
    doubling = "".join(f", c{i} + c{i} AS c{i + 1}" for i in range(25))
    text = f"SELECT id + id AS c0{doubling} FROM sales"
    assert "too often" in refused(text, "duckdb").reason


def test_names_are_written_as_the_database_spells_them_and_headings_as_the_query_does() -> None:
    album = Relation(
        name="Album",
        schema="dbo",
        columns=(Column(name="AlbumId", type="int"), Column(name="Title", type="nvarchar(160)")),
    )
    found = admit(
        "SELECT albumid, TITLE AS [The title] FROM album ORDER BY [the TITLE]",
        Schema((album,), "dbo"),
        source("mssql"),
        10,
    )
    assert found.sql == (
        "SELECT TOP 11 [album].[AlbumId] AS [AlbumId], [album].[Title] AS [The title] "
        "FROM [dbo].[Album] AS [album] ORDER BY [The title]"
    )


def test_a_table_that_is_in_two_schemas_has_to_be_named_with_one() -> None:
    (sales, _) = schema("postgres").relations
    two = Schema((sales, replace(sales, schema="archive")), "elsewhere")
    with pytest.raises(Refused) as error:
        admit("SELECT id FROM sales", two, source("postgres"), 10)
    assert error.value.candidates == ("public.sales", "archive.sales")
    found = admit("SELECT id FROM archive.sales", two, source("postgres"), 10)
    assert found.tables == ("archive.sales",)


def test_the_default_schema_is_meant_where_none_is_named() -> None:
    (sales, _) = schema("postgres").relations
    two = Schema((replace(sales, schema="archive"), sales), "public")
    found = admit("SELECT id FROM sales", two, source("postgres"), 10)
    assert '"public"."sales"' in found.sql


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT id .*FROM sales UNION ALL SELECT id FROM customers ORDER BY 1", "mssql"),
        ("SHOW ALL ", "duckdb"),
    ],
)
def test_what_the_parser_stumbles_over_is_refused_like_anything_else(text: str, kind: Kind) -> None:
    refused(text, kind)


def test_nothing_of_a_comment_is_left() -> None:
    assert "secret" not in asked("SELECT id /* secret */ FROM sales -- secret").sql
