"""Draws a chart as a picture, for where a chat has no chart of its own for it."""

import json
from typing import Any

from core.figures import Figure

MOST = 500
"""Rows of a picture."""
_MARKS = {"bar": "bar", "line": "line", "pie": "arc"}


def png(figure: Figure) -> bytes | None:
    """The picture; None where the drawing library (extra `charts`) is not installed or there is
    nothing to draw. Takes a second the first time: call it in a thread.

    The rows stand in the specification itself and no address is allowed, so nothing is fetched.
    """
    series = _series(figure)
    if figure.kind == "table" or not series or len(figure.rows) > MOST:
        return None
    try:
        import vl_convert
    except ImportError:
        return None
    drawn: bytes = vl_convert.vegalite_to_png(
        json.dumps(_specification(figure, series)), scale=2, allowed_base_urls=[]
    )
    return drawn


def _series(figure: Figure) -> list[int]:
    return [
        place
        for place in range(1, len(figure.columns))
        if figure.rows and all(not isinstance(row[place], str) for row in figure.rows)
    ]


def _specification(figure: Figure, series: list[int]) -> dict[str, Any]:
    values = [
        {"label": str(row[0]), "series": figure.columns[place], "value": row[place]}
        for row in figure.rows
        for place in (series[:1] if figure.kind == "pie" else series)
    ]
    label = {"field": "label", "type": "nominal", "sort": None, "title": figure.columns[0]}
    value = {"field": "value", "type": "quantitative", "title": None}
    encoding: dict[str, Any] = {"x": label, "y": value}
    if figure.kind == "pie":
        encoding = {"theta": value, "color": label}
    elif len(series) > 1:
        encoding["color"] = {"field": "series", "type": "nominal", "title": None}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": figure.title,
        "width": 640,
        "height": 360,
        "data": {"values": values},
        "mark": {"type": _MARKS[figure.kind], "tooltip": False},
        "encoding": encoding,
    }
