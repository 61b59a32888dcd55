"""A DAX query is run only when it reads, and only what exists for the person who asks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.specialists.dax.guard import Admitted, admit
from core.specialists.dax.tokens import LONGEST, Refused
from tests.specialists.dax.models import SALES

READING = {
    "EVALUATE Sales": "EVALUATE Sales",
    'evaluate row("Total", [Total Sales])': 'evaluate row("Total", [Total Sales])',
    "EVALUATE /* all */ VALUES('Product'[Category]) -- of them": (
        "EVALUATE VALUES('Product'[Category])"
    ),
    'EVALUATE TOPN(3, SUMMARIZECOLUMNS(Customer[Name], "s", [Total Sales]), [s], DESC)': "",
    "EVALUATE SUMMARIZECOLUMNS('Date'[Year], TREATAS({\"Bikes\"}, 'Product'[Category]),"
    " \"Sales\", [Total Sales]) ORDER BY 'Date'[Year] DESC": "",
    "DEFINE MEASURE Sales[Net] = [Total Sales] * 0.8 VAR year = 2025"
    " EVALUATE FILTER(SUMMARIZECOLUMNS('Date'[Year], \"n\", [Net]), 'Date'[Year] = year)": "",
    'EVALUATE VAR best = TOPN(5, Sales, Sales[Amount]) RETURN ADDCOLUMNS(best, "d",'
    " VAR b = Sales[Amount] RETURN b ^ 2 - -1)": "",
    "EVALUATE CALCULATETABLE(Sales, NOT 'Date'[Year] IN {2024, 2025} && Sales[Quantity] >= 2)": "",
    'EVALUATE {(1, "one"), (2, "two")}': "",
    "EVALUATE ROW(\"YoY\", CALCULATE([Total Sales], DATEADD('Date'[Date], -1, YEAR)))": "",
    'EVALUATE SELECTCOLUMNS(GENERATESERIES(1, 3), "n", [Value])': "",
    "DEFINE TABLE big = FILTER(Sales, Sales[Amount] > 100) EVALUATE big": "",
    "DEFINE COLUMN Sales[Double] = Sales[Amount] * 2 EVALUATE SUMMARIZE(Sales, Sales[Double])": "",
}


@pytest.mark.parametrize("text", READING)
def test_a_query_that_reads_is_admitted_and_written_without_its_comments(text: str) -> None:
    assert admit(text, SALES).dax == (READING[text] or text)


HOSTILE = (
    "",
    "   ",
    "Sales",
    "DELETE Sales",
    "DROP TABLE Sales",
    "INSERT INTO Sales VALUES (1)",
    "UPDATE Sales SET Amount = 0",
    "SELECT * FROM Sales",
    "SELECT * FROM $SYSTEM.DISCOVER_SESSIONS",
    "SELECT [Measures].[Total Sales] ON 0 FROM [Model]",
    "CALL p()",
    '{"create": {"database": "x"}}',
    "<Batch xmlns='urn:x'><Alter/></Batch>",
    "EVALUATE",
    "EVALUATE Sales EVALUATE Product",
    "EVALUATE Sales; EVALUATE Product",
    "EVALUATE Sales GO",
    "EVALUATE Sales ORDER",
    "EVALUATE Sales ORDER BY",
    "EVALUATE Sales ORDER BY Sales[Amount],",
    "EVALUATE Sales START AT 5",
    "EVALUATE EVALUATE Sales",
    "DEFINE EVALUATE Sales",
    "DEFINE MEASURE Sales[x] = 1",
    "DEFINE MEASURE [x] = 1 EVALUATE Sales",
    "DEFINE MEASURE Sales[x] 1 EVALUATE Sales",
    "DEFINE FUNCTION f = () => 1 EVALUATE Sales",
    "DEFINE ROLE x = 1 EVALUATE Sales",
    "CREATE MEASURE Sales[x] = 1",
    "EVALUATE INFO.TABLES()",
    "EVALUATE INFO.VIEW.TABLES()",
    "EVALUATE INFO.PARTITIONS()",
    "EVALUATE INFO.ROLES()",
    'EVALUATE ROW("x", EVALUATEANDLOG([Total Sales]))',
    'EVALUATE ROW("x", USERPRINCIPALNAME())',
    'EVALUATE ROW("x", CUSTOMDATA())',
    'EVALUATE ROW("x", RAND())',
    'EVALUATE ROW("x", NOW())',
    'EVALUATE ROW("x", EXTERNALMEASURE("a", INTEGER, "b"))',
    'EVALUATE ROW("x", SUMM(Sales[Amount]))',
    "EVALUATE Salaries",
    "EVALUATE 'Human Resources'",
    "EVALUATE VALUES(Salaries[Amount])",
    "EVALUATE VALUES(Sales[Margin])",
    'EVALUATE ROW("Margin", MAX(Sales[Margin]))',
    'EVALUATE ROW("x", [Total Sale])',
    "EVALUATE SUMMARIZECOLUMNS('Product'[Category], \"S\", [Total Sales]",
    "EVALUATE SUMMARIZECOLUMNS('Product'[Category] \"S\", [Total Sales])",
    "EVALUATE 'Sales",
    "EVALUATE Sales[Amount",
    'EVALUATE ROW("x, [Total Sales])',
    "EVALUATE /* Sales",
    "EVALUATE Sales)",
    "EVALUATE (Sales",
    "EVALUATE {1, }",
    "EVALUATE VAR a = 1",
    "EVALUATE VAR a 1 RETURN a",
    "EVALUATE Sales \x00",
    "EVALUATE Sales # x",
    "EVALUATE @parameter",
    "EVALUATE " + "(" * 5_000 + "1" + ")" * 5_000,
    "EVALUATE " + "-" * 4_001 + "1",
    "EVALUATE {" + "1," * LONGEST + "1}",
)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:40])
def test_whatever_does_not_read_or_does_not_exist_is_refused_in_words(text: str) -> None:
    with pytest.raises(Refused) as refused:
        admit(text, SALES)
    assert refused.value.reason.endswith(".")
    assert len(refused.value.reason) < 300


def test_there_are_sixty_of_them() -> None:
    assert len(set(HOSTILE)) >= 60


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('EVALUATE ROW("x", [Total Sale])', "Total Sales"),
        ("EVALUATE Sale", "Sales"),
        ("EVALUATE VALUES('Product'[Categry])", "Product[Category]"),
        ('EVALUATE ROW("x", SUMM(Sales[Amount]))', "SUM"),
    ],
)
def test_a_refusal_names_what_may_have_been_meant(text: str, meant: str) -> None:
    with pytest.raises(Refused) as refused:
        admit(text, SALES)
    assert meant in refused.value.candidates


def _admitted(text: str) -> Admitted:
    return admit(text, SALES)


def test_a_query_says_what_it_reads_and_what_it_reckons_for_itself() -> None:
    found = _admitted(
        "DEFINE MEASURE Sales[Net] = [Total Sales] * 0.8 // less discounts\n"
        "EVALUATE SUMMARIZECOLUMNS('Product'[category], FILTER(ALL('Date'[Year]), 'Date'[Year] ="
        ' 2025), TREATAS({"DK", "SE"}, Customer[Country]), "n", [Net], "a", [avg order],'
        ' "q", SUM(Sales[Quantity]))'
    )
    assert found.tables == ("Product", "Date", "Customer", "Sales")
    assert [one.name for one in found.measures] == ["Total Sales", "Avg Order"]
    assert found.written == (("Net", "[Total Sales] * 0.8"), ("q", "SUM(Sales[Quantity])"))
    assert found.filters == ("Date[Year] = 2025", 'Customer[Country] IN {"DK", "SE"}')


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "EVALUATE DEFINE MEASURE VAR RETURN ORDER BY Sales 'Date' [Year] ( ) { } , = + - NOT IN"
            ' && "x" 1 [Total Sales] SUM FILTER INFO.TABLES /* */ -- \' " [ ]'.split(" ")
        ),
        max_size=25,
    )
)
def test_any_text_is_admitted_or_refused_and_what_is_admitted_is_admitted_again(
    parts: list[str],
) -> None:
    try:
        once = _admitted("EVALUATE " + " ".join(parts))
    except Refused:
        return
    assert _admitted(once.dax).dax == once.dax
