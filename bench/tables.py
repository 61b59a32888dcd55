"""Figures of several runs as Markdown: the median, and how far the runs lie apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A measurement: what is measured on whom, and which of its figures are shown."""

    name: str
    """Of the module that measures, `bench.<name>`."""
    title: str
    subjects: Mapping[str, str]
    """Name of the subject → what stands above its column."""
    rows: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name of the figure → what stands before its row; empty: every figure under its name."""
    repeats: int = 0
    """How often it is measured; 0: as often as is asked for."""


def markdown(table: Table, runs: Mapping[str, Sequence[Figures]]) -> str:
    """`runs` are the figures of each subject, run by run."""
    named = table.rows or {name: name for figures in runs.values() for name in figures[0]}
    lines = [
        f"| | {' | '.join(table.subjects[subject] for subject in runs)} |",
        f"|---|{'---|' * len(runs)}",
    ]
    for figure, label in named.items():
        cells = [_cell([run[figure] for run in found if figure in run]) for found in runs.values()]
        if any(cells):
            lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(values: Sequence[float]) -> str:
    if not values:
        return ""
    low, high = _number(min(values)), _number(max(values))
    middle = _number(median(values))
    return middle if low == high else f"{middle} ({low}–{high})"


def _number(value: float) -> str:
    if abs(value) >= 1e6:
        return f"{value / 1e6:.1f} M"
    if abs(value) >= 1e4:
        return f"{value / 1e3:.0f} k"
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
