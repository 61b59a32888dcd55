"""The public question set: its databases and the statements that are right for each question."""

import csv
import itertools
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import Dialect
from tests.given import given

FILES: dict[Dialect, tuple[str, ...]] = {
    "postgres": (
        "questions_gen_postgres.csv",
        "instruct_basic_postgres.csv",
        "instruct_advanced_postgres.csv",
    ),
    "sqlite": ("questions_gen_sqlite.csv",),
    "tsql": ("questions_gen_tsql.csv",),
}


@dataclass(frozen=True, slots=True)
class Gold:
    database: str
    question: str
    sql: str


def golds(dialect: Dialect) -> list[Gold]:
    """Every right statement of a dialect; a question may have several."""
    found: list[Gold] = []
    for name in FILES[dialect]:
        with (given("sql") / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                statements = (one.strip() for one in row["query"].split(";"))
                for statement in filter(None, statements):
                    found += [
                        Gold(row["db_name"], row["question"], one) for one in _spelt_out(statement)
                    ]
    return found


def _spelt_out(statement: str) -> list[str]:
    """`SELECT {a,b} … GROUP BY {}` stands for each choice of the columns in braces, and for all."""
    match = re.search(r"\{([^}]+)\}", statement)
    if not match:
        return [statement]
    columns = [one.strip() for one in match[1].split(",")]
    choices = [
        one for size in range(1, len(columns) + 1) for one in itertools.combinations(columns, size)
    ]
    written = [
        statement.replace(match[0], ", ".join(one), 1).replace("{}", ", ".join(one))
        for one in choices
    ]
    return [more for one in written for more in _spelt_out(one)]


@cache
def schema(database: str, default: str = "", *, is_folded: bool = False) -> Schema:
    """`is_folded`: names as Postgres keeps them when they are not quoted."""
    text = (given("sql") / "databases" / f"{database}.json").read_text("utf-8")
    tables = json.loads(text.lower() if is_folded else text)["table_metadata"]
    return Schema(
        relations=tuple(
            Relation(
                name=name.rpartition(".")[2],
                schema=name.rpartition(".")[0] or default,
                columns=tuple(
                    Column(name=one["column_name"], type=one["data_type"]) for one in columns
                ),
            )
            for name, columns in tables.items()
        ),
        default=default,
    )


def script(database: str) -> str:
    """The statements that make the database, in Postgres' dialect."""
    return (given("sql") / "databases" / f"{database}.sql").read_text("utf-8")


def databases() -> list[str]:
    return sorted(one.stem for one in Path(given("sql") / "databases").glob("*.sql"))
