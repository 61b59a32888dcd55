"""Reads presentations: one page for each slide, with its notes."""

# lxml has no types.
# pyright: reportUnknownVariableType=false

import io
from collections.abc import Iterator
from typing import Any

from core.specialists.documents.parsing.pages import Page, Unread, table

_GROUP = 6
"""What python-pptx calls a group of shapes."""


def read(content: bytes) -> Iterator[Page]:
    from zipfile import BadZipFile

    import pptx
    from lxml.etree import LxmlError
    from pptx.exc import PythonPptxError

    library: Any = pptx
    try:
        slides = list(library.Presentation(io.BytesIO(content)).slides)
    except (PythonPptxError, LxmlError, BadZipFile, KeyError, ValueError) as fault:
        raise Unread("is no presentation that can be opened: it is damaged") from fault
    for number, slide in enumerate(slides, start=1):
        yield Page(number=number, text=_slide(slide))


def _slide(slide: Any) -> str:
    title = slide.shapes.title
    heading = " ".join(title.text_frame.text.split()) if title is not None else ""
    parts = [f"## {heading}"] if heading else []
    parts += [text for shape in _shapes(slide.shapes, title) if (text := _text(shape))]
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        notes = frame.text.strip()
        parts += [f"Notes: {notes}"] if notes else []
    return "\n\n".join(parts)


def _shapes(shapes: Any, title: Any) -> Iterator[Any]:
    for shape in shapes:
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.shape_type == _GROUP:
            yield from _shapes(shape.shapes, title)
        else:
            yield shape


def _text(shape: Any) -> str:
    if getattr(shape, "has_table", False):
        return table([cell.text for cell in row.cells] for row in shape.table.rows)
    if not getattr(shape, "has_text_frame", False):
        return ""
    lines = [
        f"{'  ' * paragraph.level}- {text}" if paragraph.level else text
        for paragraph in shape.text_frame.paragraphs
        if (text := " ".join(paragraph.text.split()))
    ]
    return "\n".join(lines)
