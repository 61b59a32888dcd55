"""The repair workshops of Larkspur Cycles: an invented database with verified queries."""

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from core.specialists.sql.source import Metric, Source, Table, Verified

AS_OF = date(2026, 9, 30)
"""The last day of the book."""
_SHOPS = ("Aarhus", "Berlin", "Bilbao", "Leeds", "Utrecht")
_FAULTS = ("brakes", "bottom bracket", "gears", "puncture", "wheel", "battery")
_SUPPLIERS = (("Nordkette", "DE"), ("Fjordlager", "NO"), ("Vélo Pièces", "FR"))
_PARTS = (
    ("brake pads", 240, 120, "8.50", 1),
    ("chain 12-speed", 36, 60, "27.90", 1),
    ("inner tube 28", 510, 200, "3.20", 3),
    ("bottom bracket BSA", 18, 25, "31.00", 2),
    ("spoke set", 75, 40, "14.75", 3),
    ("battery 500 Wh", 9, 10, "389.00", 2),
    ("gear cable", 330, 150, "4.10", 1),
    ("rim tape", 88, 80, "2.60", 3),
)
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
"""


def write(path: Path) -> None:
    """The database as a file, the same each time; one that is there stays."""
    import duckdb

    if path.exists():
        return
    with duckdb.connect(str(path)) as connection:
        connection.execute(_TABLES)
        connection.executemany("INSERT INTO suppliers VALUES (?, ?, ?)", _numbered(_SUPPLIERS))
        connection.executemany("INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?)", _numbered(_PARTS))
        repairs, used = _repairs()
        connection.executemany("INSERT INTO repairs VALUES (?, ?, ?, ?, ?, ?, ?)", repairs)
        connection.executemany("INSERT INTO parts_used VALUES (?, ?, ?)", used)


def workshop(path: Path) -> Source:
    """How the database is described to the SQL specialist."""
    return Source(
        id="workshop",
        title="the repair workshops",
        kind="duckdb",
        connection={"path": str(path)},
        description=f"Repairs, spare parts and their suppliers, up to {AS_OF}.",
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


def _numbered(rows: tuple[tuple[Any, ...], ...]) -> list[tuple[Any, ...]]:
    return [(number, *row) for number, row in enumerate(rows, start=1)]


def _repairs() -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    # Invented figures, the same each time: nothing here has to be hard to guess.
    dice = random.Random(12)  # noqa: S311
    repairs: list[tuple[Any, ...]] = []
    used: list[tuple[Any, ...]] = []
    for number in range(1, 421):
        received = date(2025, 10, 1) + timedelta(days=dice.randrange(365))
        finished = received + timedelta(days=dice.randrange(1, 15))
        minutes = dice.randrange(10, 180, 5)
        cost = f"{minutes * 0.95 + dice.randrange(500, 9_000) / 100:.2f}"
        over = finished if finished <= AS_OF else None
        shop, fault = dice.choice(_SHOPS), dice.choice(_FAULTS)
        repairs.append((number, shop, received, over, fault, minutes, cost))
        used += [
            (number, dice.randrange(1, len(_PARTS) + 1), dice.randrange(1, 3))
            for _ in range(dice.randrange(3))
        ]
    return repairs, used
