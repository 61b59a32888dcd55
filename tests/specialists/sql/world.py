"""A small database on each real engine: two tables in scope, a hidden column, a forbidden table."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import DIALECTS, Kind, Source, Table
from tests.databases import fresh_database

CANARY = "canary-7f3a-of-the-payroll"
HIDDEN = ("ssn-one-1-1", "ssn-two-2-2")
"""What stands in the table that is not in scope, and in the column that is hidden."""

SALES = {
    "id": "int",
    "customer_id": "int",
    "amount": "decimal(10,2)",
    "d": "date",
    "region": "text",
}
CUSTOMERS = {"id": "int", "name": "text", "country": "text"}
HOME: dict[Kind, str] = {
    "sqlite": "",
    "duckdb": "main",
    "postgres": "public",
    "mssql": "dbo",
    "databricks": "default",
}
"""The schema in which each kind's tables stand."""

_MAKE = (
    "CREATE TABLE customers (id INTEGER, ssn VARCHAR(20), name VARCHAR(40), country VARCHAR(5))",
    "CREATE TABLE sales (id INTEGER, customer_id INTEGER, amount DECIMAL(10,2), d DATE,"
    " region VARCHAR(20))",
    "CREATE TABLE salaries (id INTEGER, name VARCHAR(40), amount INTEGER)",
    f"INSERT INTO customers VALUES (1, '{HIDDEN[0]}', 'Contoso Ltd', 'DK'),"
    f" (2, '{HIDDEN[1]}', 'Ørsted A/S', 'DK'), (3, NULL, 'Adventure Works', 'US')",
    f"INSERT INTO salaries VALUES (1, '{CANARY}', 99999)",
)
_REGIONS = ("North", "South", "No;rth", "it''s")


def source(kind: Kind, **connection: str) -> Source:
    return Source(
        id="shop",
        title="The shop",
        kind=kind,
        connection=connection,
        tables=(
            Table(name="sales"),
            Table(name="customers", hidden=frozenset({"ssn"}), unprofiled=frozenset({"name"})),
        ),
    )


def schema(kind: Kind) -> Schema:
    """What the guard is told, without a database."""
    home = HOME[kind]
    return Schema(
        tuple(
            Relation(
                name=name,
                schema=home,
                columns=tuple(Column(name=key, type=value) for key, value in columns.items()),
            )
            for name, columns in (("sales", SALES), ("customers", CUSTOMERS))
        ),
        home,
    )


@cache
def attacks(kind: Kind, whose: str = "") -> tuple[str, ...]:
    """The hostile statements for a kind: those collected, and with `own_` those of our own."""
    folder = Path(__file__).with_name("attacks")
    read = [folder / f"{whose}{name}.json" for name in ("any", DIALECTS[kind])]
    found = [one for file in read for one in json.loads(file.read_text("utf-8"))]
    if not whose:
        # Too large to be written down.
        found.append("SELECT " + "(" * 3000 + "1" + ")" * 3000)
        found.append(f"SELECT id FROM sales WHERE id IN ({','.join(map(str, range(9000)))})")
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class World:
    source: Source
    folder: Path
    _admin: str = ""

    def trace(self) -> str:
        """Changes when anything is written: a row, a table, a role, a file."""
        if not self._admin:
            files = sorted(self.folder.rglob("*"))
            said = [f"{one}:{_digest(one)}" for one in files if one.is_file()]
            return "\n".join(said)
        with psycopg.connect(self._admin) as connection:
            asked = connection.execute(_TRACE).fetchall()
            return repr(asked)

    def leaks(self, rows: Sequence[Sequence[object]]) -> list[str]:
        """Which secrets the rows hold."""
        text = repr(rows)
        return [one for one in (CANARY, *HIDDEN, "root:x:") if one in text]


_TRACE = """
    SELECT (SELECT count(*) FROM sales), (SELECT sum(amount) FROM sales),
        (SELECT count(*) FROM customers), (SELECT count(*) FROM pg_class),
        (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_roles),
        (SELECT last_value FROM seq), (SELECT count(*) FROM pg_largeobject_metadata)
"""


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _rows() -> str:
    rows = (
        f"({i}, {1 + i % 3}, {10 + i * 7 % 93}, '2026-{1 + i % 9:02d}-{1 + i % 28:02d}',"
        f" '{_REGIONS[i % 4]}')"
        for i in range(1, 201)
    )
    return f"INSERT INTO sales VALUES {', '.join(rows)}"


@contextmanager
def world(kind: Kind, folder: Path, postgres: str = "") -> Iterator[World]:
    """`postgres` is the address of a server, for that kind."""
    folder.chmod(0o755)
    (folder / "secret.csv").write_text(f"k,v\n1,{CANARY}\n", "utf-8")
    if kind == "sqlite":
        connection = sqlite3.connect(folder / "main.db")
        connection.executescript(";".join((*_MAKE, _rows())))
        connection.close()
        yield World(source(kind, path=str(folder / "main.db")), folder)
    elif kind == "duckdb":
        import duckdb

        with duckdb.connect(str(folder / "main.duckdb")) as made:
            for statement in (*_MAKE, _rows(), "CREATE SEQUENCE seq"):
                made.execute(statement)
        yield World(source(kind, path=str(folder / "main.duckdb"), memory="256"), folder)
    else:
        with fresh_database(postgres) as url, _postgres(url) as connection:
            yield World(source("postgres", **connection), folder, url)


@contextmanager
def _postgres(url: str) -> Iterator[dict[str, str]]:
    """A role as docs/sources.md makes it."""
    role = f"reader_{uuid4().hex[:8]}"
    with psycopg.connect(url, autocommit=True) as admin:
        for statement in (
            *_MAKE,
            _rows(),
            "CREATE SEQUENCE seq",
            "SELECT nextval('seq')",
            "CREATE FUNCTION evil() RETURNS int LANGUAGE sql SECURITY DEFINER"
            " AS 'DELETE FROM sales; SELECT 1'",
            f"CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT",
            "REVOKE ALL ON SCHEMA public FROM PUBLIC",
            "REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC",
            f"GRANT USAGE ON SCHEMA public TO {role}",
            f"GRANT SELECT ON sales TO {role}",
            f"GRANT SELECT (id, name, country) ON customers TO {role}",
        ):
            admin.execute(statement)
        given = conninfo_to_dict(url)
        yield {
            "host": str(given["host"]),
            "port": str(given.get("port", "5432")),
            "database": str(given["dbname"]),
            "user": role,
        }
        admin.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")


def over_privileged(world: World) -> Source:
    """The same source under the server's own administrator."""
    given = conninfo_to_dict(make_conninfo(world._admin))  # pyright: ignore[reportPrivateUsage]
    connection = {**world.source.connection, "user": str(given["user"])}
    return source("postgres", **connection)
