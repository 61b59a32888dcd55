"""The star schema that the tests ask about."""

from core.specialists.dax.model import Column, Measure, Model, Relationship, Table


def _table(name: str, *columns: str) -> Table:
    return Table(name=name, columns=tuple(Column(name=column) for column in columns))


SALES = Model(
    tables=(
        _table("Sales", "Amount", "Quantity", "DateKey", "ProductKey", "CustomerKey"),
        _table("Date", "Date", "Year", "Month"),
        _table("Product", "ProductKey", "Name", "Category"),
        _table("Customer", "CustomerKey", "Name", "Country"),
    ),
    measures=(
        Measure(table="Sales", name="Total Sales", expression="SUM(Sales[Amount])"),
        Measure(table="Sales", name="Orders", expression="COUNTROWS(Sales)"),
        Measure(table="Sales", name="Avg Order", expression="DIVIDE([Total Sales], [Orders])"),
    ),
    relationships=(
        Relationship(table="Sales", column="DateKey", to_table="Date", to_column="Date"),
        Relationship(
            table="Sales", column="ProductKey", to_table="Product", to_column="ProductKey"
        ),
        Relationship(
            table="Sales", column="CustomerKey", to_table="Customer", to_column="CustomerKey"
        ),
    ),
)
