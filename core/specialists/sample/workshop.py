"""The repair workshops of Larkspur Cycles: an invented database with verified queries."""

from datetime import date
from pathlib import Path

from core.specialists.sql.source import Metric, Source, Table, Verified

AS_OF = date(2026, 9, 30)
"""The last day of the book."""
_TABLES = """
CREATE TABLE repairs (
  id INTEGER PRIMARY KEY, workshop VARCHAR, received DATE, finished DATE, fault VARCHAR,
  labour_minutes INTEGER, cost_eur DECIMAL(10, 2)
);
CREATE TABLE suppliers (id INTEGER PRIMARY KEY, supplier VARCHAR, country VARCHAR);
CREATE TABLE parts (
  id INTEGER PRIMARY KEY, part VARCHAR, stock INTEGER, minimum INTEGER,
  price_eur DECIMAL(10, 2), supplier_id INTEGER
);
CREATE TABLE parts_used (repair_id INTEGER, part_id INTEGER, quantity INTEGER);
INSERT INTO suppliers VALUES
  (1, 'Nordkette', 'DE'), (2, 'Fjordlager', 'NO'), (3, 'Vélo Pièces', 'FR');
INSERT INTO parts VALUES
  (1, 'brake pads', 240, 120, 8.50, 1), (2, 'chain 12-speed', 36, 60, 27.90, 1),
  (3, 'inner tube 28', 510, 200, 3.20, 3), (4, 'bottom bracket BSA', 18, 25, 31.00, 2),
  (5, 'spoke set', 75, 40, 14.75, 3), (6, 'battery 500 Wh', 9, 10, 389.00, 2),
  (7, 'gear cable', 330, 150, 4.10, 1), (8, 'rim tape', 88, 80, 2.60, 3);
INSERT INTO repairs
  SELECT n, ['Aarhus', 'Berlin', 'Bilbao', 'Leeds', 'Utrecht'][1 + n * 7 % 11 % 5],
    DATE '2025-10-01' + (n * 199 % 365)::INTEGER,
    DATE '2025-10-01' + (n * 199 % 365 + 1 + n * 31 % 14)::INTEGER,
    ['brakes', 'gears', 'puncture', 'wheel', 'battery', 'bottom bracket'][1 + n * 5 % 7 % 6],
    10 + n * 53 % 170, (10 + n * 53 % 170) * 0.95 + n * 977 % 8500 / 100
  FROM range(1, 421) AS numbers(n);
UPDATE repairs SET finished = NULL WHERE finished > DATE '2026-09-30';
INSERT INTO parts_used
  SELECT n, 1 + n * 13 % 8, 1 + n % 2 FROM range(1, 421) AS numbers(n) WHERE n % 3 > 0;
"""


def write(path: Path) -> None:
    """The database as a file, the same each time; one that is there stays."""
    import duckdb

    if path.exists():
        return
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with duckdb.connect(str(new)) as connection:
        connection.execute(_TABLES)
    new.replace(path)


def workshop(path: Path) -> Source:
    """How the database is described to the SQL specialist."""
    return Source(
        id="workshop",
        title="the repair workshops",
        kind="duckdb",
        connection={"path": str(path)},
        description="repairs, spare parts with stock and minimum, suppliers, turnover of workshops;"
        f" up to {AS_OF}.",
        tables=(
            Table(
                name="repairs",
                description="one row for each repair; finished is empty while it is open",
                columns={"cost_eur": "what the customer pays, net, in euros"},
            ),
            Table(name="parts", description="spare parts in stock, with their minimum"),
            Table(name="parts_used", description="which parts went into which repair"),
            Table(name="suppliers", description="who delivers spare parts"),
        ),
        glossary={"open repair": "a repair that is not finished"},
        metrics=(Metric(name="turnover", sql="SUM(repairs.cost_eur)", description="net, EUR"),),
        joins=(
            "parts_used.repair_id = repairs.id",
            "parts_used.part_id = parts.id",
            "parts.supplier_id = suppliers.id",
        ),
        verified=_VERIFIED,
        time_zone="Europe/Copenhagen",
    )


def _verified(question: str, sql: str) -> Verified:
    return Verified(question=question, sql=sql, owner="Ingrid Solberg", checked="2026-10-01")


_VERIFIED = (
    _verified(
        "Which spare parts are below their minimum stock?",
        "SELECT p.part, p.stock, p.minimum, s.supplier FROM parts AS p"
        " JOIN suppliers AS s ON s.id = p.supplier_id WHERE p.stock < p.minimum ORDER BY p.part",
    ),
    _verified(
        "What is the turnover of each workshop in 2026?",
        "SELECT r.workshop, COUNT(*) AS repairs, SUM(r.cost_eur) AS turnover_eur"
        " FROM repairs AS r WHERE r.received >= DATE '2026-01-01'"
        " GROUP BY r.workshop ORDER BY turnover_eur DESC",
    ),
    _verified(
        "How many repairs are open in each workshop?",
        "SELECT r.workshop, COUNT(*) AS open_repairs FROM repairs AS r"
        " WHERE r.finished IS NULL GROUP BY r.workshop ORDER BY r.workshop",
    ),
    _verified(
        "How long does a repair take in each workshop?",
        "SELECT r.workshop, ROUND(AVG(r.labour_minutes), 1) AS labour_minutes"
        " FROM repairs AS r GROUP BY r.workshop ORDER BY r.workshop",
    ),
    _verified(
        "How many repairs did the workshops receive per month in 2026?",
        "SELECT strftime(r.received, '%Y-%m') AS month, COUNT(*) AS repairs FROM repairs AS r"
        " WHERE r.received >= DATE '2026-01-01' GROUP BY 1 ORDER BY 1",
    ),
)
