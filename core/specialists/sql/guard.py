"""Decides whether a query may run, and writes the text that runs in its place."""

from dataclasses import dataclass

from core.errors import CountersignError
from core.specialists.sql.schema import Schema
from core.specialists.sql.source import Source


class Refused(CountersignError):
    """This query may not run.

    The message is one sentence for whoever wrote the query; `candidates` are names that exist where
    the query named one that does not.
    """

    def __init__(self, reason: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.candidates = candidates


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One condition of a query on a column, for people and for looking up its values."""

    column: str
    """`customers.country`, the relation by its key."""
    text: str
    """The condition as it stands in the query: `country = 'DK'`."""
    values: tuple[str, ...] = ()
    """Texts that the column is compared with for equality."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A query that may run. Only `admit` makes one."""

    sql: str
    """Written anew from what was understood, with every name quoted: the only text to execute."""
    tables: tuple[str, ...]
    """The keys of the relations that are read."""
    columns: tuple[str, ...]
    """`customers.country` for each column that is read."""
    filters: tuple[Filter, ...]
    row_cap: int
    """The most rows that come back; one more is fetched, to know whether there are more."""
    has_order: bool = False
    """The query says in which order its rows come."""


def admit(text: str, schema: Schema, source: Source, row_cap: int) -> Admitted:
    """`schema` is what exists for the asking person (`schema.within`). Raises `Refused`."""
    from core.specialists.sql.guarding.admission import admitted

    return admitted(text, schema, source.dialect, row_cap)
