"""The engine of every kind of source: a driver, and what is the same for all of them."""

import asyncio
import hashlib

from core.specialists.sql.engine import MOST_VALUES, Profile, QueryFailed, Rows
from core.specialists.sql.engines import profiles
from core.specialists.sql.engines.driver import Driver, types
from core.specialists.sql.guard import Admitted, Refused, admit
from core.specialists.sql.schema import Relation, Schema, within
from core.specialists.sql.source import Source, Table

FRESH_FOR = 300.0
"""Seconds for which one person's view of a source stands."""
MOST_KEPT = 200
PROFILE_WITHIN = 10.0
"""For a query about one column."""
PROFILES_WITHIN = 15.0
"""For all columns that are asked about together."""
AT_ONCE = 3
VALUES_WITHIN = 20.0


class Answering:
    def __init__(self, source: Source, driver: Driver | None = None) -> None:
        self._source = source
        self._driver = driver or driver_for(source)
        self._schemas: dict[str, tuple[float, Schema]] = {}

    async def schema(self, token: str) -> Schema:
        now = asyncio.get_running_loop().time()
        key = hashlib.sha256(token.encode()).hexdigest()
        kept = self._schemas.get(key)
        if kept and kept[0] > now:
            return kept[1]
        found = within(await self._driver.catalog(token), self._source)
        while len(self._schemas) >= MOST_KEPT:
            del self._schemas[next(iter(self._schemas))]
        self._schemas[key] = (now + FRESH_FOR, found)
        return found

    async def run(self, admitted: Admitted, token: str, deadline: float) -> Rows:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        found = await self._driver.ask(admitted, token, deadline)
        rows = found.rows[: admitted.row_cap]
        return Rows(
            columns=found.columns,
            types=types(found),
            rows=rows,
            is_truncated=len(found.rows) > len(rows),
            seconds=loop.time() - begun,
        )

    async def profile(
        self, relation: Relation, columns: tuple[str, ...], token: str
    ) -> tuple[Profile, ...]:
        wanted = [name for name in columns if self._may_look(relation, name)]
        room = asyncio.Semaphore(AT_ONCE)
        found: dict[str, Profile] = {}

        async def look(name: str) -> None:
            async with room:
                try:
                    found[name] = await self._profile(relation, name, token)
                except (QueryFailed, Refused):
                    # What cannot be counted or compared is described without a profile.
                    return

        try:
            async with asyncio.timeout(PROFILES_WITHIN), asyncio.TaskGroup() as group:
                for name in wanted:
                    group.create_task(look(name))
        except TimeoutError:
            # Profiles help; nobody has to wait for the last of them.
            pass
        return tuple(found[name] for name in wanted if name in found)

    async def values(self, relation: Relation, column: str, token: str) -> tuple[str, ...]:
        if not self._may_look(relation, column):
            return ()
        text = profiles.values(relation, column, self._source.dialect)
        try:
            admitted = await self._admitted(text, relation, MOST_VALUES)
        except Refused as error:
            raise QueryFailed("unknown_column", error.reason, error.candidates) from error
        found = await self._driver.ask(admitted, token, VALUES_WITHIN)
        return tuple(str(row[0]) for row in found.rows[:MOST_VALUES])

    async def close(self) -> None:
        await self._driver.close()

    async def _profile(self, relation: Relation, column: str, token: str) -> Profile:
        dialect = self._source.dialect
        counted = await self._admitted(profiles.counts(relation, column, dialect), relation, 1)
        rows = (await self._driver.ask(counted, token, PROFILE_WITHIN)).rows
        total, filled, distinct, least, greatest = rows[0]
        if not isinstance(total, int) or not isinstance(filled, int):
            raise QueryFailed("other", "The rows cannot be counted.")
        number = distinct if isinstance(distinct, int) else 0
        common = ()
        if 0 < number < filled or 0 < number <= profiles.COMMON:
            often = await self._admitted(profiles.common(relation, column, dialect), relation, 10)
            said = (await self._driver.ask(often, token, PROFILE_WITHIN)).rows
            common = tuple((row[0], row[1]) for row in said if isinstance(row[1], int))
        return Profile(
            column=column,
            rows=total,
            nulls=total - filled,
            distinct=number,
            least=least,
            greatest=greatest,
            common=common,
        )

    async def _admitted(self, text: str, relation: Relation, row_cap: int) -> Admitted:
        known = Schema((relation,), relation.schema)
        return await asyncio.to_thread(admit, text, known, self._source, row_cap)

    def _may_look(self, relation: Relation, column: str) -> bool:
        if relation.column(column) is None:
            return False
        return not any(
            column.casefold() in {name.casefold() for name in table.unprofiled | table.hidden}
            for table in self._source.tables
            if _is(table, relation)
        )


def _is(table: Table, relation: Relation) -> bool:
    return bool(Schema((relation,)).named(table.name))


def driver_for(source: Source) -> Driver:
    """Imports the one file that knows the kind; that file imports its driver when it connects."""
    match source.kind:
        case "sqlite":
            from core.specialists.sql.engines.sqlite import Sqlite

            return Sqlite(source)
        case "duckdb":
            from core.specialists.sql.engines.duckdb import DuckDb

            return DuckDb(source)
        case "postgres":
            from core.specialists.sql.engines.postgres import Postgres

            return Postgres(source)
        case "mssql" | "fabric":
            from core.specialists.sql.engines.mssql import Mssql

            return Mssql(source)
        case "databricks":
            from core.specialists.sql.engines.databricks import Databricks

            return Databricks(source)
