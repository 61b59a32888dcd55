"""Looks for what a source's description says that its database does not know."""

import re
from collections.abc import Iterator
from dataclasses import replace

from core.specialists.sql.engine import QueryFailed, engine_for
from core.specialists.sql.guard import Refused, admit
from core.specialists.sql.schema import Relation, Schema, within
from core.specialists.sql.source import Source, Table

ROWS = 100


async def faults(source: Source, token: str = "") -> list[str]:
    """One sentence per fault, with its place; none where all is well. `token` is what the database
    is asked with, where the source has no login of its own."""
    engine = engine_for(replace(source, tables=()))
    try:
        found = await engine.schema(token)
    except QueryFailed as failed:
        return [f"connection: {failed.sentence}"]
    finally:
        await engine.close()
    return [*_tables(source, found), *_queries(source, within(found, source))]


def wants_a_person(source: Source) -> bool:
    """Whether only a person's own sign-in opens the source."""
    match source.kind:
        case "mssql" | "fabric":
            return not source.connection.get("password")
        case "databricks":
            return not source.connection.get("token")
        case _:
            return False


def _tables(source: Source, found: Schema) -> Iterator[str]:
    for table in source.tables:
        relations = found.named(table.name)
        if not relations:
            yield f"tables: there is no {table.name}, or the login may not see it"
        if len(relations) > 1:
            names = " and ".join(one.key for one in relations)
            yield f"tables: {table.name} may be {names}: say which"
            continue
        for relation in relations:
            yield from _columns(table, relation)
    for join in source.joins:
        yield from _join(join, found)


def _columns(table: Table, relation: Relation) -> Iterator[str]:
    for name in (*table.columns, *sorted(table.hidden), *sorted(table.unprofiled)):
        if relation.column(name) is None:
            yield f"tables: {table.name} has no column {name}"


def _join(join: str, found: Schema) -> Iterator[str]:
    for name in re.findall(r"[\w.]+\.\w+", join):
        table, _, column = name.rpartition(".")
        if not any(one.column(column) for one in found.named(table)):
            yield f"joins: there is no {name}"


def _queries(source: Source, known: Schema) -> Iterator[str]:
    for verified in source.verified:
        try:
            admit(verified.sql, known, source, ROWS)
        except Refused as refused:
            yield f"verified, “{verified.question}”: {refused.reason}"
    for metric in source.metrics:
        named = [one for one in known if re.search(rf"\b{re.escape(one.name)}\.", metric.sql)]
        if len(named) > 1:
            # How they are joined is the query's to say.
            continue
        refusals = list(_refusals(metric.sql, source, known, named or list(known)))
        if None not in refusals:
            yield f"metrics, {metric.name}: {next(iter(refusals), 'there is no table in scope')}"


def _refusals(
    expression: str, source: Source, known: Schema, relations: list[Relation]
) -> Iterator[str | None]:
    """Why the expression cannot be asked of each relation; None where it can."""
    for relation in relations:
        try:
            admit(f"SELECT {expression} AS metric FROM {relation.key}", known, source, ROWS)  # noqa: S608 - the guard's to judge
            yield None
        except Refused as refused:
            yield refused.reason
