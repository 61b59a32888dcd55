"""Shows the tables and charts of an answer as elements of Adaptive Cards, with fallbacks."""

from adapters.teams.render import limits, tables
from adapters.teams.render.effect import small
from adapters.teams.render.markdown import Table
from core.figures import Cell, Figure
from core.records import Json

POINTS = 40
"""Of a chart: more cannot be told apart on a phone."""
_ELEMENTS = {"bar": "Chart.VerticalBar", "line": "Chart.Line", "pie": "Chart.Pie"}


def cards(figures: tuple[Figure, ...]) -> list[Json]:
    """A card for each, several for a long table; nothing is left out that is said to be there."""
    return [card for figure in figures for card in _cards(figure)]


def is_whole(figure: Figure) -> bool:
    """Whether one card shows all of it; else a file is offered as well."""
    pieces = len(_cards(figure))
    shown = POINTS if _chart(figure) is not None else len(figure.rows)
    return pieces == 1 and figure.total <= shown


def _cards(figure: Figure) -> list[Json]:
    chart = _chart(figure)
    if chart is not None:
        return [tables.card([chart, *_rest(figure, min(len(figure.rows), POINTS))])]
    found = tables.cards([_table(figure)])
    for card in found:
        card["body"].insert(0, small(figure.title))
    found[-1]["body"] += _rest(figure, len(figure.rows))
    return found


def _rest(figure: Figure, shown: int) -> list[Json]:
    left = figure.total - shown
    return [small(f"The first {shown} of {figure.total} rows.")] if left > 0 else []


def _chart(figure: Figure) -> Json | None:
    """None where it cannot be drawn: no numbers, or a client would not know of what."""
    if figure.kind == "table" or len(figure.columns) < 2 or not figure.rows:
        return None
    rows = figure.rows[:POINTS]
    series = [at for at in range(1, len(figure.columns)) if all(_is_number(r[at]) for r in rows)]
    if not series:
        return None
    made: Json = {
        "type": _ELEMENTS[figure.kind],
        "title": figure.title[: limits.CELL],
        "fallback": tables.element(_table(figure, POINTS)),
    }
    if figure.kind == "line":
        made["data"] = [
            {
                "legend": figure.columns[at],
                "values": [{"x": str(row[0]), "y": row[at]} for row in rows],
            }
            for at in series
        ]
    elif figure.kind == "bar":
        made["data"] = [{"x": str(row[0]), "y": row[series[0]]} for row in rows]
        made |= {"xAxisTitle": figure.columns[0], "yAxisTitle": figure.columns[series[0]]}
    else:
        made["data"] = [{"legend": str(row[0]), "value": row[series[0]]} for row in rows]
    return made


def _table(figure: Figure, most: int | None = None) -> Table:
    return Table(
        header=figure.columns,
        rows=tuple(tuple(_said(cell) for cell in row) for row in figure.rows[:most]),
    )


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float)


def _said(cell: Cell) -> str:
    return f"{cell:,}" if isinstance(cell, int | float) else cell
