"""Decides whether a DAX query is run: it reads, and names what exists for this person."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from core.specialists.dax.functions import ALLOWED
from core.specialists.dax.model import Measure, Model
from core.specialists.dax.syntax import (
    Block,
    Call,
    Listed,
    Literal,
    Operation,
    Query,
    Reference,
    Tree,
    Word,
    parse,
    walk,
)
from core.specialists.dax.tokens import Refused

_COMPARES = ("=", "==", "<>", "<", ">", "<=", ">=", "IN")
_GENERATED = frozenset({"value", "value1", "value2", "value3", "date", ""})
"""What table constructors and calendars call their columns."""
_WORDS = frozenset(
    """
    ASC DESC SKIP DENSE BLANKS DEFAULT FIRST LAST DAY WEEK MONTH QUARTER YEAR HOUR MINUTE SECOND
    BOTH NONE ONEWAY ONEWAY_LEFTFILTERSRIGHT ONEWAY_RIGHTFILTERSLEFT ABS REL INTEGER STRING DOUBLE
    DATETIME BOOLEAN CURRENCY TRUE FALSE ALPHABETICAL ROWS
    """.split()
)
"""Bare names that are arguments, not tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A column that a query compares with a text."""

    column: str
    """`Product[Category]`"""
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A query that may be run, and what it says."""

    dax: str
    """Written anew, without comments: what is run."""
    tables: tuple[str, ...]
    measures: tuple[Measure, ...]
    """Of the model, as far as the query names them."""
    written: tuple[tuple[str, str], ...]
    """Measures and columns that the query defines itself: name and expression."""
    filters: tuple[str, ...]
    comparisons: tuple[Comparison, ...]


def admit(text: str, model: Model) -> Admitted:
    """Raises `Refused` in words, with the names that may have been meant."""
    query = parse(text)
    trees = tuple(query.trees())
    for tree in trees:
        if isinstance(tree, Call) and tree.function not in ALLOWED:
            raise Refused(
                f"The function {tree.function} is not for queries here.",
                tuple(get_close_matches(tree.function, ALLOWED, 5)),
            )
    names = _Names(query, trees, model)
    for tree in trees:
        names.check(tree)
    return Admitted(
        dax=query.text,
        tables=tuple(dict.fromkeys(names.tables)),
        measures=tuple(dict.fromkeys(names.measures)),
        written=tuple(_written(query, trees)),
        filters=tuple(dict.fromkeys(in_words(tree) for tree, _, _ in _filters(trees))),
        comparisons=tuple(dict.fromkeys(_comparisons(trees, model))),
    )


class _Names:
    """What a query names: of the model, or defined by itself."""

    def __init__(self, query: Query, trees: Sequence[Tree], model: Model) -> None:
        self._model = model
        self._own_tables = {
            one.name.casefold() for one in query.definitions if one.kind in ("TABLE", "VAR")
        }
        self._own_tables |= {
            variable.name.casefold()
            for tree in trees
            if isinstance(tree, Block)
            for variable in tree.variables
        }
        self._defined = {one.name.casefold() for one in query.definitions}
        self._added = self._defined | {
            name.casefold() for tree in trees if (name := _string(tree)) is not None
        }
        """What a column that the query adds may be called. It is named without a table."""
        self.tables: list[str] = []
        self.measures: list[Measure] = []

    def check(self, tree: Tree) -> None:
        if isinstance(tree, Word):
            self._table(tree.name, is_word=tree.name.upper() in _WORDS)
        elif isinstance(tree, Reference) and tree.table:
            self._column(tree)
        elif isinstance(tree, Reference):
            self._measure(tree.name)

    def _table(self, name: str, *, is_word: bool = False) -> None:
        found = self._model.table(name)
        if found is not None:
            self.tables.append(found.name)
        elif not is_word and name.casefold() not in self._own_tables:
            known = [one.name for one in self._model.tables]
            raise Refused(f"There is no table {name!r} that you may read.", _near(name, known))

    def _column(self, reference: Reference) -> None:
        table = self._model.table(reference.table)
        if table is None:
            self._table(reference.table)
            return
        self.tables.append(table.name)
        if table.column(reference.name) or reference.name.casefold() in self._defined:
            return
        measure = self._model.measure(reference.name)
        if measure is not None:
            self.measures.append(measure)
            return
        known = [f"{table.name}[{one.name}]" for one in table.columns]
        wanted = f"{table.name}[{reference.name}]"
        raise Refused(f"There is no column {wanted}.", _near(wanted, known))

    def _measure(self, name: str) -> None:
        found = self._model.measure(name)
        if found is not None:
            self.measures.append(found)
        elif name.casefold() not in self._added | _GENERATED:
            known = [one.name for one in self._model.measures]
            raise Refused(f"There is no measure [{name}].", _near(name, known))


def _near(name: str, known: Sequence[str]) -> tuple[str, ...]:
    folded = {one.casefold(): one for one in known}
    return tuple(folded[one] for one in get_close_matches(name.casefold(), folded, 5, 0.5))


def _written(query: Query, trees: Sequence[Tree]) -> Iterator[tuple[str, str]]:
    """What the query reckons for itself: definitions, and columns that aggregate columns."""
    for one in query.definitions:
        if one.kind in ("MEASURE", "COLUMN"):
            yield one.name, one.text
    for tree in trees:
        if not isinstance(tree, Call) or tree.function not in _NAMING:
            continue
        for first, value in zip(tree.parts, tree.parts[1:], strict=False):
            name = _string(first)
            if name is not None and isinstance(value, Call | Operation):
                yield name, in_words(value)


_NAMING = ("SUMMARIZECOLUMNS", "SUMMARIZE", "ADDCOLUMNS", "SELECTCOLUMNS", "GROUPBY", "ROW")


def _string(tree: Tree) -> str | None:
    if isinstance(tree, Literal) and tree.token.kind == "string":
        return tree.token.value
    return None


def _filters(trees: Sequence[Tree]) -> Iterator[tuple[Tree, Reference, Tree]]:
    """Conditions: the whole, the column, what it is compared with."""
    for tree in trees:
        if isinstance(tree, Operation) and tree.sign in _COMPARES and len(tree.parts) == 2:
            left, right = tree.parts
            if isinstance(left, Reference) and not isinstance(right, Reference):
                yield tree, left, right
        elif isinstance(tree, Call) and tree.function == "TREATAS" and len(tree.parts) == 2:
            values, column = tree.parts
            if isinstance(column, Reference):
                yield Operation("IN", (column, values), tree.at, tree.at), column, values


def _comparisons(trees: Sequence[Tree], model: Model) -> Iterator[Comparison]:
    for _, column, values in _filters(trees):
        table = model.table(column.table)
        found = table.column(column.name) if table else None
        if table is None or found is None:
            continue
        for one in walk(values):
            if (text := _string(one)) is not None:
                yield Comparison(column=f"{table.name}[{found.name}]", value=text)


def in_words(tree: Tree) -> str:
    """The expression on one line."""
    if isinstance(tree, Literal):
        return tree.token.text
    if isinstance(tree, Word):
        return tree.name
    if isinstance(tree, Reference):
        return f"{tree.table}[{tree.name}]"
    if isinstance(tree, Call):
        return f"{tree.function}({', '.join(map(in_words, tree.parts))})"
    if isinstance(tree, Listed):
        return f"{{{', '.join(map(in_words, tree.parts))}}}"
    if isinstance(tree, Block):
        return in_words(tree.returned)
    if len(tree.parts) == 1:
        return f"{tree.sign} {in_words(tree.parts[0])}"
    return f" {tree.sign} ".join(map(in_words, tree.parts))
