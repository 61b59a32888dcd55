"""Draws the tables and charts of an answer as Slack's own blocks.

Slack's Python models know neither `data_table` nor `data_visualization`: their limits are held by
`limits` alone, and were not checked against Slack itself.
"""

from collections.abc import Sequence

from adapters.slack.render import escape, limits
from core.figures import Cell, Figure
from core.records import Json

SHORT = 10
"""Rows up to which a table is shown whole; a longer one is turned over page by page."""


def block(figure: Figure) -> Json:
    """The block that shows the figure; a chart that Slack could not draw is a table."""
    if figure.kind != "table" and (drawn := _chart(figure)) is not None:
        return drawn
    rows = shown_rows(figure)
    columns = figure.columns[: limits.TABLE_COLUMNS]
    cells = [[_raw(name) for name in columns]]
    cells += [[_shown(cell) for cell in row[: len(columns)]] for row in rows]
    if len(rows) <= SHORT:
        settings = [_alignment(figure, place) for place in range(len(columns))]
        return {"type": "table", "rows": cells, "column_settings": settings}
    return {
        "type": "data_table",
        "caption": title(figure)[: limits.CAPTION],
        "rows": cells,
        "page_size": SHORT,
    }


def is_undrawn(figure: Figure) -> bool:
    """A chart for which Slack has no block, so that its rows are shown as a table."""
    return figure.kind != "table" and _chart(figure) is None


def title(figure: Figure) -> str:
    name = escape.inert(figure.title)[: limits.LABEL] or "Table"
    return name if is_whole(figure) else f"{name} ({len(shown_rows(figure))} of {figure.total})"


def is_whole(figure: Figure) -> bool:
    """Whether the message shows all rows and columns; else a file follows."""
    is_wide = len(figure.columns) > limits.TABLE_COLUMNS
    return len(shown_rows(figure)) == figure.total and not is_wide


def shown_rows(figure: Figure) -> Sequence[Sequence[Cell]]:
    """The first rows, as many as one message holds."""
    columns = figure.columns[: limits.TABLE_COLUMNS]
    left = limits.TABLE_TEXT - sum(limits.weight(name) + 1 for name in columns)
    count = 0
    for row in figure.rows[: limits.TABLE_ROWS - 1]:
        left -= sum(limits.weight(text(cell)) + 1 for cell in row[: len(columns)])
        if left < 0:
            break
        count += 1
    return figure.rows[:count]


def as_markdown(figure: Figure) -> str:
    """The same in pipes, for where Slack refuses the block; the words before it name it."""
    columns = figure.columns[: limits.TABLE_COLUMNS]
    lines = [columns, ["---"] * len(columns)]
    lines += [[text(cell) for cell in row[: len(columns)]] for row in shown_rows(figure)]
    table = "\n".join(f"| {' | '.join(map(_piped, line))} |" for line in lines)
    return f"{title(figure)}\n\n{escape.inert(table)}"


def _chart(figure: Figure) -> Json | None:
    """None where the rows are more than Slack draws, or are not made of a label and numbers."""
    labels = [text(row[0])[: limits.CHART_LABEL] for row in figure.rows]
    places = [
        place
        for place in range(1, len(figure.columns))
        if all(not isinstance(row[place], str) for row in figure.rows)
    ][: limits.CHART_SERIES]
    is_drawable = (
        1 < len(labels) <= limits.CHART_POINTS
        and figure.total == len(labels) == len(set(labels))
        and all(labels)
        and places
    )
    if not is_drawable:
        return None
    name = (escape.inert(figure.title) or "Chart")[: limits.CHART_TITLE]
    shown = _pie(figure, labels, places) if figure.kind == "pie" else None
    shown = shown or _plot(figure, labels, places)
    return None if shown is None else {"type": "data_visualization", "title": name, "chart": shown}


def _pie(figure: Figure, labels: Sequence[str], places: Sequence[int]) -> Json | None:
    values = [row[places[0]] for row in figure.rows]
    if len(values) > limits.CHART_SERIES or any(isinstance(v, str) or v <= 0 for v in values):
        return None
    pairs = zip(labels, values, strict=True)
    segments = [{"label": label, "value": value} for label, value in pairs]
    return {"type": "pie", "segments": segments}


def _plot(figure: Figure, labels: Sequence[str], places: Sequence[int]) -> Json | None:
    names = [escape.inert(figure.columns[place])[: limits.CHART_LABEL] for place in places]
    if len(set(names)) < len(names) or not all(names):
        return None
    series = [
        {
            "name": name,
            "data": [
                {"label": label, "value": row[place]}
                for label, row in zip(labels, figure.rows, strict=True)
            ],
        }
        for name, place in zip(names, places, strict=True)
    ]
    kind = "line" if figure.kind == "line" else "bar"
    return {"type": kind, "series": series, "axis_config": {"categories": list(labels)}}


def _alignment(figure: Figure, place: int) -> Json:
    are_numbers = all(not isinstance(row[place], str) for row in figure.rows)
    return {"align": "right" if are_numbers else "left", "is_wrapped": True}


def _raw(words: str) -> Json:
    return {"type": "raw_text", "text": escape.inert(words) or " "}


def _shown(cell: Cell) -> Json:
    return _raw(text(cell))


def text(cell: Cell) -> str:
    """As people read it."""
    if isinstance(cell, str):
        return escape.inert(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    # Below one, two places would say nothing of a share or a rate.
    return f"{cell:,.2f}" if abs(cell) >= 1 or not cell else f"{cell:.4g}"


def _piped(words: str) -> str:
    return words.replace("|", "\\|")
