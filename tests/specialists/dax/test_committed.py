"""A committed definition gives the same model, whichever of its forms it is in."""

import json

import pytest

from core.specialists.dax.committed import read
from core.specialists.dax.model import Relationship, within

TMDL = """\
createOrReplace

\tmodel Model
\t\tculture: en-US

/// Every line of an order.
/// One row each.
table Sales
\tlineageTag: 1-2-3

\t/// In euros, without tax
\tmeasure 'Total Sales' = SUM ( Sales[Amount] )
\t\tformatString: #,0.00
\t\tdisplayFolder: Money

\tmeasure Margin = ```
\t\t\tVAR costs = SUM ( Sales[Cost] )
\t\t\tRETURN [Total Sales] - costs
\t\t\t```

\tmeasure Secret = 1
\t\tisHidden

\tcolumn Amount
\t\tdataType: decimal
\t\tsummarizeBy: sum

\tcolumn 'Date Key'
\t\tdataType: int64
\t\tisHidden

\tpartition Sales = m
\t\tmode: import
\t\tsource = let x = 1 in x

table 'Bob''s Dates'

\tcolumn 'Date Key'
\t\tdataType: int64

table Staging
\tisHidden

\tcolumn Raw
\t\tdataType: string

relationship 9f
\tisActive: false
\tfromColumn: Sales.'Date Key'
\ttoColumn: 'Bob''s Dates'.'Date Key'
"""
BIM = {
    "model": {
        "tables": [
            {
                "name": "Sales",
                "description": "Every line of an order. One row each.",
                "columns": [
                    {"name": "Amount", "dataType": "decimal"},
                    {"name": "Date Key", "dataType": "int64", "isHidden": True},
                    {"name": "RowNumber", "type": "rowNumber"},
                ],
                "measures": [
                    {
                        "name": "Total Sales",
                        "expression": "SUM ( Sales[Amount] )",
                        "formatString": "#,0.00",
                        "description": "In euros, without tax",
                    },
                    {
                        "name": "Margin",
                        "expression": [
                            "VAR costs = SUM ( Sales[Cost] )",
                            "RETURN [Total Sales] - costs",
                        ],
                    },
                    {"name": "Secret", "expression": "1", "isHidden": True},
                ],
            },
            {"name": "Bob's Dates", "columns": [{"name": "Date Key", "dataType": "int64"}]},
            {"name": "Staging", "isHidden": True, "columns": [{"name": "Raw"}]},
        ],
        "relationships": [
            {
                "fromTable": "Sales",
                "fromColumn": "Date Key",
                "toTable": "Bob's Dates",
                "toColumn": "Date Key",
                "isActive": False,
            }
        ],
    }
}


def test_tmdl_and_bim_give_the_same_model_without_what_is_hidden() -> None:
    found = read(TMDL)
    assert found == read(json.dumps(BIM))
    assert [one.name for one in found.tables] == ["Sales", "Bob's Dates"]
    assert [one.name for one in found.tables[0].columns] == ["Amount"]
    assert [one.name for one in found.measures] == ["Total Sales", "Margin"]
    assert found.measures[1].expression == (
        "VAR costs = SUM ( Sales[Cost] )\nRETURN [Total Sales] - costs"
    )
    assert found.relationships == (
        Relationship(
            table="Sales",
            column="Date Key",
            to_table="Bob's Dates",
            to_column="Date Key",
            is_active=False,
        ),
    )


def test_a_scope_of_tables_takes_away_what_belongs_to_others() -> None:
    found = within(read(TMDL), ["bob's dates"])
    assert [one.name for one in found.tables] == ["Bob's Dates"]
    assert (found.measures, found.relationships) == ((), ())


@pytest.mark.parametrize("text", ["", "hello", "{}", '{"model": {"tables": []}}', "{"])
def test_what_is_no_definition_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError):
        read(text)
