"""Answers the stand-in's subset of DAX from tables in DuckDB.

Every aggregate is one query grouped by the visible columns; the filters of CALCULATE replace those
of the same column, which is the rule of DAX that figures depend on most.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from tests.fakes.powerbi.grammar import DaxError, Node, Reader

AGGREGATES = {
    "SUM": "SUM({})",
    "AVERAGE": "AVG({})",
    "MIN": "MIN({})",
    "MAX": "MAX({})",
    "DISTINCTCOUNT": "COUNT(DISTINCT {})",
    "COUNT": "COUNT({})",
}
Filter = tuple[frozenset[tuple[str, str]], str]
TYPES = {"VARCHAR": "Text", "INTEGER": "Integer", "BIGINT": "Integer", "DATE": "DateTime"}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: object) -> str:
    return "NULL" if value is None else "'" + str(value).replace("'", "''") + "'"


@dataclass
class SemanticModel:
    """`relationships` are (table of many rows, column, table of one, column); `rows_of` holds, by
    person, the DAX conditions under which they see rows."""

    name: str
    made_by: Sequence[str]
    tables: Mapping[str, Sequence[str]]
    measures: Mapping[str, tuple[str, str]]
    relationships: Sequence[tuple[str, str, str, str]]
    rows_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    refreshed: str = "2026-11-30T05:12:44Z"

    def __post_init__(self) -> None:
        self.db = duckdb.connect()
        for statement in self.made_by:
            self.db.execute(statement)

    def answer(self, dax: str, person: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Columns and rows. Raises DaxError."""
        return Answer(self, dax, person).rows()

    def path(self, start: str, end: str) -> list[tuple[str, str, str, str]] | None:
        if start == end:
            return []
        for one in self.relationships:
            if one[0] == start and (rest := self.path(one[2], end)) is not None:
                return [one, *rest]
        return None


class Answer:
    def __init__(self, model: SemanticModel, dax: str, person: str) -> None:
        self.model, self.dax, self.person = model, dax, person
        self.parsed = Reader(dax).query()

    def rows(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        if len(self.parsed.tables) > 1:
            raise DaxError("More than one result table in a query", 0)
        sql, columns = self.table(self.parsed.tables[0], [])
        if self.parsed.ordered:
            keys = [self._key(node, columns, way) for node, way in self.parsed.ordered]
            sql = f"SELECT * FROM ({sql}) ORDER BY {', '.join(keys)}"
        try:
            return columns, self.model.db.cursor().execute(sql).fetchall()
        except duckdb.Error as error:
            raise DaxError("Failed to execute the DAX query.", 3239575574) from error

    def _key(self, node: Node, columns: Sequence[str], way: str) -> str:
        name = f"{node[1]}[{node[2]}]" if node[0] == "column" else f"[{node[1]}]"
        found = next((one for one in columns if one.lower() == name.lower()), None)
        if found is None:
            raise DaxError(f"The ORDER BY expression {name} is not part of the result.")
        return f"{quoted(found)} {way} NULLS {'FIRST' if way == 'ASC' else 'LAST'}"

    def _column(self, node: Node) -> tuple[str, str]:
        table = self._named(node[1], node[3])
        for one in self.model.tables[table]:
            if one.lower() == node[2].lower():
                return table, one
        said = f"Column '{node[2]}' in table '{table}' cannot be found or may not be used"
        raise DaxError(f"{said} in this expression.", 3241803789, node[3], self.dax)

    def _named(self, name: str, at: int) -> str:
        for one in self.model.tables:
            if one.lower() == name.lower():
                return one
        raise DaxError(f"Cannot find table '{name}'.", 3241803829, at, self.dax)

    # Conditions

    def condition(self, node: Node) -> Filter:
        if node[0] == "bin":
            one, two = (self.condition if node[1] in ("&&", "||") else self.value)(node[2]), None
            two = (self.condition if node[1] in ("&&", "||") else self.value)(node[3])
            sign = {"&&": "AND", "||": "OR", "=": "IS NOT DISTINCT FROM"}.get(node[1], node[1])
            return one[0] | two[0], f"({one[1]} {sign} {two[1]})"
        name, parts = (node[1], node[2]) if node[0] == "call" else ("", [])
        if name == "FILTER":
            return self.condition(parts[1])
        if name == "KEEPFILTERS":
            return self.condition(parts[0])
        if name == "TREATAS":
            table, column = self._column(parts[1])
            inner = self.value(parts[0])[1]
            return frozenset({(table, column)}), f"{quoted(table)}.{quoted(column)} IN {inner}"
        if name == "NOT":
            columns, sql = self.condition(parts[0])
            return columns, f"(NOT {sql})"
        raise DaxError(f"The filter expression is not supported: {node[:2]}")

    def value(self, node: Node) -> Filter:
        if node[0] in ("num", "bool"):
            return frozenset(), node[1]
        if node[0] == "str":
            return frozenset(), text(node[1])
        if node[0] == "set":
            return frozenset(), "(" + ", ".join(self.value(one)[1] for one in node[1]) + ")"
        if node[0] == "column":
            table, column = self._column(node)
            return frozenset({(table, column)}), f"{quoted(table)}.{quoted(column)}"
        if node[0] == "call" and node[1] == "DATE":
            return frozenset(), f"make_date({', '.join(self.value(one)[1] for one in node[2])})"
        raise DaxError(f"'{node[1]}' is not supported in a filter.")

    def _with_rights(self, filters: Sequence[Filter]) -> list[Filter]:
        own = self.model.rows_of.get(self.person, ())
        return [*filters, *(self.condition(Reader(one).expression()) for one in own)]

    def _joined(self, tables: Sequence[str]) -> str:
        reaches = self.model.path
        starts = [*tables, *self.model.tables]
        base = next(
            (one for one in starts if all(reaches(one, other) is not None for other in tables)),
            None,
        )
        if base is None:
            raise DaxError("Cannot determine the relationship between the fields.")
        joins, done = [quoted(base)], {base}
        for other in tables:
            for many, key, one, other_key in reaches(base, other) or ():
                if one not in done:
                    on = f"{quoted(many)}.{quoted(key)} = {quoted(one)}.{quoted(other_key)}"
                    joins.append(f"LEFT JOIN {quoted(one)} ON {on}")
                    done.add(one)
        return " ".join(joins)

    def _where(self, filters: Sequence[Filter], tables: Sequence[str]) -> str:
        fitting = [sql for columns, sql in filters if all(one[0] in tables for one in columns)]
        return " AND ".join(fitting) or "TRUE"

    def _reached(self, start: str, filters: Sequence[Filter]) -> list[str]:
        named = dict.fromkeys(one[0] for columns, _ in filters for one in columns)
        return [start, *(n for n in named if n != start and self.model.path(start, n) is not None)]

    # Values

    def scalar(
        self, node: Node, groups: Any, filters: Sequence[Filter], asked: list[Any], depth: int = 0
    ) -> str:
        if depth > 20:
            raise DaxError("A circular dependency was detected.")

        def inner(part: Node) -> str:
            return self.scalar(part, groups, filters, asked, depth + 1)

        if node[0] == "num":
            return node[1]
        if node[0] == "str":
            return text(node[1])
        if node[0] == "neg":
            return f"(-{inner(node[1])})"
        if node[0] == "bin":
            sign = "||" if node[1] == "&" else node[1]
            return f"({inner(node[2])} {sign} {inner(node[3])})"
        if node[0] == "measure":
            return inner(self._measure(node))
        if node[0] == "column":
            said = f"A single value for column '{node[2]}' in table '{node[1]}'"
            raise DaxError(f"{said} cannot be determined.", 3241803785, node[3], self.dax)
        if node[0] != "call":
            raise DaxError(f"Unsupported expression {node[0]}")
        if node[1] == "CALCULATE":
            return self._calculated(node, groups, filters, asked, depth)
        if node[1] in AGGREGATES or node[1] in ("COUNTROWS", "SUMX"):
            return self._aggregated(node, groups, filters, asked)
        return self._plain(node, inner)

    def _measure(self, node: Node) -> Node:
        own = self.parsed.measures.get(node[1])
        if own is not None:
            return own
        for name, (_, expression) in self.model.measures.items():
            if name.lower() == node[1].lower():
                return Reader(expression).expression()
        said = f"The value for '{node[1]}' cannot be determined. Either the column doesn't exist,"
        raise DaxError(f"{said} or there is no current row for it.", 3241803829, node[2], self.dax)

    def _plain(self, node: Node, inner: Any) -> str:
        name, parts = node[1], node[2]
        if name == "DIVIDE":
            over, other = inner(parts[1]), inner(parts[2]) if len(parts) > 2 else "NULL"
            whole = f"{inner(parts[0])}::DOUBLE / {over}"
            return f"(CASE WHEN {over} = 0 OR {over} IS NULL THEN {other} ELSE {whole} END)"
        if name == "BLANK":
            return "NULL"
        if name == "ROUND":
            return f"ROUND({inner(parts[0])}, {inner(parts[1])})"
        if name == "IF":
            other = inner(parts[2]) if len(parts) > 2 else "NULL"
            return f"(CASE WHEN {inner(parts[0])} THEN {inner(parts[1])} ELSE {other} END)"
        if name == "COALESCE":
            return f"COALESCE({', '.join(map(inner, parts))})"
        self._unknown(node)
        raise AssertionError

    def _unknown(self, node: Node) -> None:
        said = f"Failed to resolve name '{node[1]}'. It is not a valid table, variable,"
        raise DaxError(f"{said} or function name.", 3241803860, node[3], self.dax)

    def _calculated(
        self, node: Node, groups: Any, filters: Sequence[Filter], asked: list[Any], depth: int
    ) -> str:
        kept, freed = list(filters), set[tuple[str, str]]()
        for part in node[2][1:]:
            if part[0] == "call" and part[1] in ("ALL", "REMOVEFILTERS"):
                columns = set()
                for one in part[2]:
                    if one[0] == "column":
                        columns.add(self._column(one))
                    else:
                        table = self._named(one[1], one[2])
                        columns |= {(table, name) for name in self.model.tables[table]}
                kept = [one for one in kept if not one[0] & columns]
                freed |= columns
                continue
            columns, sql = self.condition(part)
            if not (part[0] == "call" and part[1] == "KEEPFILTERS"):
                kept = [one for one in kept if not one[0] & columns]
                freed |= columns
            kept.append((columns, sql))
        left = [one for one in groups if one not in freed]
        return self.scalar(node[2][0], left, kept, asked, depth + 1)

    def _aggregated(
        self, node: Node, groups: Any, filters: Sequence[Filter], asked: list[Any]
    ) -> str:
        name, parts = node[1], node[2]
        if name == "COUNTROWS":
            table, reckoned = self._named(parts[0][1], parts[0][2]), "COUNT(*)"
        elif name == "SUMX":
            table = self._named(parts[0][1], parts[0][2])
            reckoned = f"SUM({self._row(parts[1])})"
        else:
            table, column = self._column(parts[0])
            reckoned = AGGREGATES[name].format(f"{quoted(table)}.{quoted(column)}")
        held = self._with_rights(filters)
        named = [table, *(one[0] for one in groups), *self._reached(table, held)]
        grouped = {one[0] for one in groups}
        tables = [
            one
            for one in dict.fromkeys(named)
            if one in grouped or self.model.path(table, one) is not None
        ]
        keys = [f"{quoted(t)}.{quoted(c)} AS k{place}" for place, (t, c) in enumerate(groups)]
        alias = f"a{len(asked)}"
        sql = (
            f"SELECT {', '.join([*keys, f'{reckoned} AS v'])} FROM {self._joined(tables)}"
            f" WHERE {self._where(held, tables)}{' GROUP BY ALL' if keys else ''}"
        )
        asked.append((alias, list(groups), sql))
        return f"{alias}.v"

    def _row(self, node: Node) -> str:
        if node[0] == "bin":
            return f"({self._row(node[2])} {node[1]} {self._row(node[3])})"
        return self.value(node)[1]

    # Tables

    def table(self, node: Node, filters: Sequence[Filter]) -> tuple[str, list[str]]:
        if node[0] == "table":
            return self._whole(self._named(node[1], node[2]), filters)
        if node[0] != "call":
            said = "The expression specified in the query is not a valid table expression."
            raise DaxError(said, at=0, text=self.dax)
        name, parts = node[1], node[2]
        if name.startswith("INFO."):
            return self._info(name)
        if name == "FILTER" and parts[0][0] == "call" and parts[0][1].startswith("INFO."):
            sql, columns = self._info(parts[0][1])
            return f'SELECT * FROM ({sql}) WHERE NOT "[IsHidden]"', columns
        if name == "FILTER" and parts[0][0] == "table":
            return self.table(parts[0], [*filters, self.condition(parts[1])])
        if name == "CALCULATETABLE":
            return self.table(parts[0], [*filters, *map(self.condition, parts[1:])])
        if name in ("VALUES", "DISTINCT", "ALL") and parts[0][0] == "column":
            table, column = self._column(parts[0])
            held = self._with_rights(filters)
            tables = self._reached(table, held)
            title = f"{table}[{column}]"
            return (
                f"SELECT DISTINCT {quoted(table)}.{quoted(column)} AS {quoted(title)}"
                f" FROM {self._joined(tables)} WHERE {self._where(held, tables)}"
            ), [title]
        if name == "TOPN":
            return self._top(parts, filters)
        if name == "ROW":
            named = [(parts[at][1], parts[at + 1]) for at in range(0, len(parts), 2)]
            return self._summarized([], filters, named)
        if name in ("SUMMARIZECOLUMNS", "SUMMARIZE", "ADDCOLUMNS"):
            return self._grouped(name, parts, filters)
        self._unknown(node)
        raise AssertionError

    def _whole(self, table: str, filters: Sequence[Filter]) -> tuple[str, list[str]]:
        held = self._with_rights(filters)
        tables = self._reached(table, held)
        titles = [f"{table}[{column}]" for column in self.model.tables[table]]
        listed = [
            f"{quoted(table)}.{quoted(column)} AS {quoted(title)}"
            for column, title in zip(self.model.tables[table], titles, strict=True)
        ]
        return (
            f"SELECT {', '.join(listed)} FROM {self._joined(tables)}"
            f" WHERE {self._where(held, tables)}"
        ), titles

    def _top(self, parts: Sequence[Node], filters: Sequence[Filter]) -> tuple[str, list[str]]:
        """Ties are kept."""
        sql, columns = self.table(parts[1], filters)
        keys = []
        for at in range(2, len(parts), 2):
            word = str(parts[at + 1][1]).upper() if at + 1 < len(parts) else "DESC"
            way = "ASC" if word in ("ASC", "1") else "DESC"
            keys.append(self._key(parts[at], columns, way).rpartition(" NULLS")[0] + " NULLS LAST")
        count = parts[0][1]
        if not keys:
            return f"SELECT * FROM ({sql}) LIMIT {count}", columns
        ranked = f"RANK() OVER (ORDER BY {', '.join(keys)}) <= {count}"
        return f"SELECT * FROM ({sql}) QUALIFY {ranked}", columns

    def _grouped(
        self, name: str, parts: list[Node], filters: Sequence[Filter]
    ) -> tuple[str, list[str]]:
        if name == "SUMMARIZE":
            parts = parts[1:]
        if name == "ADDCOLUMNS":
            parts = [*(parts[0][2] if parts[0][0] == "call" else []), *parts[1:]]
        groups, held, named, at = [], list(filters), [], 0
        while at < len(parts):
            if parts[at][0] == "column":
                groups.append(self._column(parts[at]))
            elif parts[at][0] == "str":
                named.append((parts[at][1], parts[at + 1]))
                at += 1
            else:
                held.append(self.condition(parts[at]))
            at += 1
        return self._summarized(groups, held, named)

    def _summarized(
        self, groups: Any, filters: Sequence[Filter], named: Sequence[tuple[str, Node]]
    ) -> tuple[str, list[str]]:
        asked: list[Any] = []
        reckoned = [self.scalar(node, groups, filters, asked) for _, node in named]
        titles = [f"{table}[{column}]" for table, column in groups]
        titles += [f"[{name}]" for name, _ in named]
        parts = [f"{alias} AS ({sql})" for alias, _, sql in asked]
        if groups:
            held = self._with_rights(filters)
            tables = list(dict.fromkeys([one[0] for one in groups]))
            tables = list(dict.fromkeys([*tables, *(c[0] for cs, _ in held for c in cs)]))
            keys = [f"{quoted(t)}.{quoted(c)} AS k{place}" for place, (t, c) in enumerate(groups)]
            try:
                start = self._joined(tables)
            except DaxError:
                start = ", ".join(map(quoted, tables))
            where = " AND ".join(sql for _, sql in held) or "TRUE"
            parts.insert(0, f"g AS (SELECT DISTINCT {', '.join(keys)} FROM {start} WHERE {where})")
        joined = "g" if groups else "(SELECT 1) g"
        for alias, own, _ in asked:
            on = [
                f"g.k{groups.index(one)} IS NOT DISTINCT FROM {alias}.k{place}"
                for place, one in enumerate(own)
            ]
            joined += f" LEFT JOIN {alias} ON {' AND '.join(on) or 'TRUE'}"
        listed = [
            f"g.k{place} AS {quoted(title)}" for place, title in enumerate(titles[: len(groups)])
        ]
        listed += [
            f"{sql} AS {quoted(title)}"
            for sql, title in zip(reckoned, titles[len(groups) :], strict=True)
        ]
        # SUMMARIZECOLUMNS leaves out the rows in which everything is blank.
        blank = " AND ".join(f"({sql}) IS NULL" for sql in reckoned)
        where = f" WHERE NOT ({blank})" if reckoned and groups else ""
        start = f"WITH {', '.join(parts)} " if parts else ""
        return f"{start}SELECT {', '.join(listed)} FROM {joined}{where}", titles

    def _info(self, name: str) -> tuple[str, list[str]]:
        model = self.model
        found = model.db.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns"
        ).fetchall()
        types = {(table, column): kind for table, column, kind in found}
        views: dict[str, tuple[list[str], list[tuple[Any, ...]]]] = {
            "INFO.VIEW.TABLES": (
                ["Name", "Description", "IsHidden"],
                [(one, None, one in model.hidden) for one in model.tables],
            ),
            "INFO.VIEW.COLUMNS": (
                ["Table", "Name", "DataType", "IsHidden"],
                [
                    (
                        table,
                        column,
                        TYPES.get(types.get((table, column), ""), "Decimal"),
                        f"{table}[{column}]" in model.hidden,
                    )
                    for table, columns in model.tables.items()
                    for column in columns
                ],
            ),
            "INFO.VIEW.MEASURES": (
                ["Table", "Name", "Expression", "IsHidden"],
                [(t, name, dax, name in model.hidden) for name, (t, dax) in model.measures.items()],
            ),
            "INFO.VIEW.RELATIONSHIPS": (
                ["FromTable", "FromColumn", "ToTable", "ToColumn", "IsActive"],
                [(*one, True) for one in model.relationships],
            ),
        }
        if name not in views:
            raise DaxError("Failed to execute the DAX query.", 3239575574)
        names, rows = views[name]
        titles = [f"[{one}]" for one in names]

        def said(value: object) -> str:
            return str(value).upper() if isinstance(value, bool) else text(value)

        selects = [
            "SELECT "
            + ", ".join(f"{said(v)} AS {quoted(t)}" for v, t in zip(row, titles, strict=True))
            for row in rows
        ]
        return " UNION ALL ".join(selects), titles
