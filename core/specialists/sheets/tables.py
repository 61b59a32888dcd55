"""Makes typed tables of a sheet, each with what had to be judged on the way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.specialists.sheets import headings
from core.specialists.sheets.columns import Column, column, comma_of, order_of
from core.specialists.sheets.grid import Grid, Rows, Value, is_empty
from core.specialists.sheets.regions import Region, regions

TITLE = 120
"""Characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    sheet: str
    range: str
    title: str
    is_hidden: bool
    numbers: list[int] = field(repr=False)
    """The row of the sheet, from 1, in which each row stands."""
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """A region that is a table: its heading rows and the rows under them."""

    region: Region
    title: str
    head: Sequence[Sequence[Value]]
    body: list[tuple[int, Sequence[Value]]]
    notes: tuple[str, ...] = ()


def tables(grid: Grid) -> list[Table]:
    """In reading order."""
    return [
        made
        for block in _joined(list(_blocks(grid.rows)))
        if (made := _table(grid, block)) is not None
    ]


def _blocks(rows: Rows) -> Iterator[_Block]:
    title = ""
    for region in regions(rows):
        cells = [row[region.left : region.right] for row in rows[region.top : region.bottom]]
        is_line = len(cells) == 1 and not headings.counts_values(cells[0])
        if is_line or (region.right - region.left == 1 and _are_remarks(cells)):
            title = _said(cells)
            continue
        top = region.top
        while len(cells) > 1 and len(cells[0]) > 1 and headings.says_one_thing(cells[0]):
            title, cells, top = _said(cells[:1]), cells[1:], top + 1
        if all(headings.says_one_thing(row) for row in cells) and len(cells[0]) > 1:
            title = f"{title} {_said(cells)}".strip()[:TITLE]
            continue
        above = headings.heading_rows(cells) if len(cells) > 1 else 0
        yield _Block(
            region=replace(region, top=top),
            title=title,
            head=cells[:above],
            body=[(top + above + at + 1, row) for at, row in enumerate(cells[above:])],
        )
        title = ""


def _are_remarks(cells: Rows) -> bool:
    """A single column of words under no heading that values stand under."""
    return not any(headings.counts_values(row) for row in cells) and len(cells) < 3


def _said(cells: Sequence[Sequence[Value]]) -> str:
    words = dict.fromkeys(str(cell).strip() for row in cells for cell in row if not is_empty(cell))
    return " ".join(words)[:TITLE]


def _joined(blocks: list[_Block]) -> list[_Block]:
    """A table that empty rows cut is one: what follows has no heading and the same columns."""
    found: list[_Block] = []
    for block in blocks:
        before = next(
            (
                at
                for at in range(len(found) - 1, -1, -1)
                if (found[at].region.left, found[at].region.right)
                == (block.region.left, block.region.right)
            ),
            None,
        )
        if before is None or block.head or block.title or not found[before].head:
            found.append(block)
            continue
        first = found[before]
        note = f"empty rows before row {block.body[0][0]} were passed over"
        found[before] = replace(
            first,
            region=replace(first.region, bottom=block.region.bottom),
            body=[*first.body, *block.body],
            notes=(*first.notes, note),
        )
    return found


def _table(grid: Grid, block: _Block) -> Table | None:
    left_out = set(headings.totals([row for _, row in block.body]))
    kept = [pair for at, pair in enumerate(block.body) if at not in left_out]
    if not kept:
        return None
    width = block.region.right - block.region.left
    names = headings.headings(block.head, width)
    columns = _columns(names, [row for _, row in kept])
    notes = [*grid.notes, *block.notes, *_head_notes(block)]
    if left_out:
        named = ", ".join(
            f"row {number} ({headings.label(row) or 'without a name'})"
            for at, (number, row) in enumerate(block.body)
            if at in left_out
        )
        these = "a totals row" if len(left_out) == 1 else f"{len(left_out)} totals rows"
        notes.append(f"left out {these}: {named[:200]}")
    if grid.is_hidden:
        notes.insert(0, "this sheet is hidden in the file")
    notes += [note for one in columns for note in one.notes]
    return Table(
        sheet=grid.name,
        range=block.region.range,
        title=block.title,
        is_hidden=grid.is_hidden,
        numbers=[number for number, _ in kept],
        columns=columns,
        notes=tuple(notes),
    )


def _columns(names: Sequence[str], rows: Sequence[Sequence[Value]]) -> tuple[Column, ...]:
    by_column = [[row[place] for row in rows] for place in range(len(names))]
    named = list(zip(names, by_column, strict=True))
    order = replace(order_of(named), has_decimal_comma=comma_of(named))
    taken = {"_row"}
    return tuple(
        column(headings.identifier(name, taken), name, cells, order)
        for name, cells in zip(names, by_column, strict=True)
    )


def _head_notes(block: _Block) -> list[str]:
    if not block.head:
        return ["no headings were found; the columns are numbered"]
    return [f"{len(block.head)} rows of headings were joined"] if len(block.head) > 1 else []
