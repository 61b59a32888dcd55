"""A star schema of our own: sales of bikes, with figures that plain SQL gives as well."""

from tests.fakes.powerbi.engine import SemanticModel

MADE_BY = (
    'CREATE TABLE "Sales"("Amount" DECIMAL(12,2), "Quantity" INTEGER, "DateKey" DATE,'
    ' "ProductKey" INTEGER, "CustomerKey" INTEGER)',
    'CREATE TABLE "Date"("Date" DATE, "Year" INTEGER, "Month" VARCHAR)',
    'CREATE TABLE "Product"("ProductKey" INTEGER, "Name" VARCHAR, "Category" VARCHAR)',
    'CREATE TABLE "Customer"("CustomerKey" INTEGER, "Name" VARCHAR, "Country" VARCHAR)',
    """INSERT INTO "Date" SELECT d::DATE, year(d), strftime(d, '%Y-%m')
       FROM range(DATE '2024-01-01', DATE '2026-01-01', INTERVAL 1 DAY) t(d)""",
    """INSERT INTO "Product" VALUES (1, 'Road bike', 'Bikes'), (2, 'Helmet', 'Accessories'),
       (3, 'Lamp', 'Accessories'), (4, 'Cargo bike', 'Bikes')""",
    """INSERT INTO "Customer" VALUES (1, 'Ørsted A/S', 'DK'), (2, 'Fabrikam', 'US'),
       (3, 'Contoso Ltd', 'DK'), (4, 'Adatum', 'SE')""",
    """INSERT INTO "Sales" SELECT 10.25 + i % 7, 1 + i % 3, DATE '2024-01-01' + (i * 7 % 730)::INT,
       1 + i % 4, 1 + i % 5 % 4 FROM range(1000) t(i)""",
)
DK = """'Customer'[Country] = "DK\""""


def star() -> SemanticModel:
    return SemanticModel(
        name="Bike sales",
        made_by=MADE_BY,
        tables={
            "Sales": ["Amount", "Quantity", "DateKey", "ProductKey", "CustomerKey"],
            "Date": ["Date", "Year", "Month"],
            "Product": ["ProductKey", "Name", "Category"],
            "Customer": ["CustomerKey", "Name", "Country"],
        },
        measures={
            "Total Sales": ("Sales", "SUM(Sales[Amount])"),
            "Units": ("Sales", "SUM(Sales[Quantity])"),
            "Orders": ("Sales", "COUNTROWS(Sales)"),
            "Customers": ("Sales", "DISTINCTCOUNT(Sales[CustomerKey])"),
            "Avg Order": ("Sales", "DIVIDE([Total Sales], [Orders])"),
            "Sales 2025": ("Sales", "CALCULATE([Total Sales], 'Date'[Year] = 2025)"),
            "Share": (
                "Sales",
                "DIVIDE([Total Sales], CALCULATE([Total Sales], ALL('Product'[Category])))",
            ),
        },
        relationships=[
            ("Sales", "DateKey", "Date", "Date"),
            ("Sales", "ProductKey", "Product", "ProductKey"),
            ("Sales", "CustomerKey", "Customer", "CustomerKey"),
        ],
        rows_of={"bo": (DK,)},
    )
