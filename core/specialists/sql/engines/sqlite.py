"""Asks a SQLite file, opened for reading, with SQLite itself permitting each table and function."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from core.specialists.sql.engine import QueryFailed
from core.specialists.sql.engines.driver import CATALOG_WITHIN, Answer, answer
from core.specialists.sql.engines.threads import Stop, Threads, too_slow
from core.specialists.sql.guard import Admitted
from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import Source

if TYPE_CHECKING:
    import apsw

LONGEST_VALUE = 1_000_000
"""Bytes."""

_FUNCTIONS = frozenset(
    """
    -> ->> abs acos asin atan atan2 avg cast ceil ceiling char coalesce concat concat_ws cos count
    cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp
    first_value floor format glob group_concat hex ifnull iif instr json json_array
    json_array_length json_each json_extract json_object json_tree json_type json_valid julianday
    lag last_value lead length like likelihood likely ln log log10 log2 lower ltrim max median min
    mod nth_value ntile nullif octet_length percent_rank percentile percentile_cont percentile_disc
    pi pow power printf quote radians rank replace round row_number rtrim sign sin sqrt strftime
    string_agg substr substring sum tan time timediff total trim trunc typeof unicode unixepoch
    unlikely upper
    """.split()
)


class Sqlite:
    """`connection`: `path`."""

    def __init__(self, source: Source) -> None:
        self._path = Path(source.connection.get("path", ""))
        self._threads = Threads()

    async def ask(self, admitted: Admitted, token: str, deadline: float) -> Answer:
        del token

        def work(stop: Stop) -> Answer:
            return self._read(admitted, stop)

        return await self._threads.run(work, deadline)

    async def catalog(self, token: str) -> Schema:
        del token
        return await self._threads.run(self._catalog, CATALOG_WITHIN)

    async def close(self) -> None:
        self._threads.close()

    def _read(self, admitted: Admitted, stop: Stop) -> Answer:
        import apsw

        connection = self._open(stop)
        try:
            connection.authorizer = _permitting(admitted)
            cursor, columns = connection.cursor(), list[str]()

            def begin(begun: "apsw.Cursor", _sql: str, _bound: object) -> bool:
                # A second statement is not begun. A result without rows is over before its columns
                # can be asked for.
                is_first = not columns
                columns.extend(str(one[0]) for one in begun.get_description())
                return is_first

            cursor.exec_trace = begin
            cursor.execute(admitted.sql)
            found = islice(cast("Iterator[Any]", cursor), admitted.row_cap + 1)
            rows: list[Any] = list(found)
            return answer(columns, rows)
        except (apsw.Error, ValueError) as error:
            raise _failed(error, stop) from error
        finally:
            connection.close()

    def _open(self, stop: Stop) -> Any:
        import apsw

        try:
            address = f"{self._path.absolute().as_uri()}?mode=ro"
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            # Its types leave what is bound to a statement unknown.
            connection = cast("Any", apsw.Connection(address, flags=flags))
            connection.set_busy_timeout(2_000)
            connection.execute("PRAGMA query_only = 1")
            connection.execute("PRAGMA trusted_schema = 0")
        except (apsw.Error, ValueError) as error:
            raise QueryFailed("unreachable", "The database file cannot be opened.") from error
        for limit, value in (
            (apsw.SQLITE_LIMIT_LENGTH, LONGEST_VALUE),
            (apsw.SQLITE_LIMIT_ATTACHED, 0),
            (apsw.SQLITE_LIMIT_COMPOUND_SELECT, 50),
            (apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200),
        ):
            connection.limit(limit, value)
        connection.set_progress_handler(lambda: stop.is_due, 5_000)
        stop.by(lambda: _interrupt(connection))
        return connection

    def _catalog(self, stop: Stop) -> Schema:
        import apsw

        connection = self._open(stop)
        try:
            found = [(str(name), kind) for name, kind in connection.execute(_RELATIONS)]
            return Schema(
                tuple(
                    Relation(name=name, columns=_columns(connection, name), is_view=kind == "view")
                    for name, kind in found
                )
            )
        except apsw.Error as error:
            raise _failed(error, stop) from error
        finally:
            connection.close()


_RELATIONS = """
    SELECT name, type FROM pragma_table_list
    WHERE schema = 'main' AND type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    ORDER BY name
"""
_COLUMNS = "SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid"
_KEYS = 'SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)'


def _columns(connection: Any, name: str) -> tuple[Column, ...]:
    references = {
        str(column): f"{other}.{key}" if key else str(other)
        for column, other, key in connection.execute(_KEYS, (name,))
    }
    return tuple(
        Column(
            name=str(column),
            type=str(kind),
            is_key=bool(key),
            references=references.get(str(column), ""),
        )
        for column, kind, key in connection.execute(_COLUMNS, (name,))
    )


def _interrupt(connection: Any) -> None:
    import apsw

    with suppress(apsw.ConnectionClosedError):
        connection.interrupt()


def _permitting(admitted: Admitted) -> Callable[[int, Any, Any, Any, Any], int]:
    """SQLite asks for each table, column and function that a statement would use."""
    import apsw

    tables = {name.casefold() for name in admitted.tables}
    columns = {name.casefold() for name in admitted.columns}

    def permit(action: int, first: Any, second: Any, database: Any, within: Any) -> int:
        del database
        if action == apsw.SQLITE_SELECT:
            return apsw.SQLITE_OK
        if action == apsw.SQLITE_FUNCTION and str(second).casefold() in _FUNCTIONS:
            return apsw.SQLITE_OK
        if action == apsw.SQLITE_READ:
            name = str(first).casefold()
            # COUNT(*) reads a column without a name. A view reads what it reads.
            if name in tables and (not second or f"{name}.{str(second).casefold()}" in columns):
                return apsw.SQLITE_OK
            if str(within).casefold() in tables or name in ("json_each", "json_tree"):
                return apsw.SQLITE_OK
        return apsw.SQLITE_DENY

    return permit


def _failed(error: Exception, stop: Stop) -> QueryFailed:
    import apsw

    text = str(error).removeprefix("SQLError: ")[:300]
    if stop.is_due:
        return too_slow(stop.given)
    if "no such table" in text:
        return QueryFailed("unknown_table", text)
    if "no such column" in text:
        return QueryFailed("unknown_column", text)
    if "no such function" in text:
        return QueryFailed("unknown_function", text)
    if isinstance(error, apsw.ExecTraceAbort) or "prohibited" in text or "not authorized" in text:
        return QueryFailed("permission", text)
    if "too big" in text or "too complex" in text:
        return QueryFailed("too_large", text)
    return QueryFailed("syntax" if "syntax" in text else "other", text)
