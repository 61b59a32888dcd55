"""How the rows behind an answer came about, as a value that people can look at."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    """One query. Its texts are plain and hold no live address."""

    number: int
    """Of the evidence that it brought: the answer cites it as `[number]`."""
    source: str
    query: str
    """As it was executed."""
    tables: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    rows: int = 0
    is_complete: bool = True
    """False where there are more rows than were read."""
    time_zone: str = ""
    """In which the source's times are meant."""
    as_of: str = ""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    verified: str = ""
    """The verified question that it answers, with who checked it; empty for others."""
