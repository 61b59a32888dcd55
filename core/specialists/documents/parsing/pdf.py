"""Reads PDFs: their text, tables that are ruled, headings that the outline names."""

# pdfplumber and PDFium's binding leave most of their types unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import io
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from core.specialists.documents.parsing.pages import Page, Unread, table

RULES = 6
"""Lines and boxes on a page from which on it is looked through for tables."""
SCAN_SCALE = 2.0
"""Of 72 dots an inch: enough to read print by, and 1,200 by 1,700 dots for a page."""
_HYPHEN = re.compile(r"(?<=\w)[\u00ad\ufffe\x02]\n?")
_SPACE = re.compile(r"[ \t\u00a0]+")
_NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,3})\.?[ \t]+([^\W\d_][^.!?;:|]{1,70})$")
_WORDS = 3
"""A page with no more is taken for a picture of a page, where there is a picture on it."""


def read(content: bytes, *, most_images: int = 0) -> Iterator[Page]:
    """With `most_images`, that many pages that are pictures come with an image."""
    import pypdfium2

    try:
        document: Any = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as fault:
        if "password" in str(fault).lower():
            raise Unread("is protected by a password") from fault
        raise Unread("is no PDF that can be opened: it is damaged or cut off") from fault
    outline = _outline(document)
    tables = _Tables(content)
    for index in range(len(document)):
        page = document[index]
        text = _text(page, tables, index, outline.get(index, []), has_outline=bool(outline))
        if len(text.split()) > _WORDS or not _has_picture(page):
            yield Page(number=index + 1, text=text)
        else:
            image = _image(page) if most_images > 0 else b""
            most_images -= 1
            yield Page(number=index + 1, text=text, image=image, is_scanned=True)
        page.close()


def _outline(document: Any) -> dict[int, list[tuple[int, str]]]:
    """Index of a page → (level from 1, heading) of what begins there."""
    found: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for mark in document.get_toc(max_depth=6):
        where = mark.get_dest()
        index = where.get_index() if where is not None else None
        title = " ".join(str(mark.get_title()).split())
        if index is not None and title:
            found[index].append((mark.level + 1, title))
    return found


def _text(
    page: Any, tables: "_Tables", index: int, headings: list[tuple[int, str]], *, has_outline: bool
) -> str:
    written = page.get_textpage()
    drawn = tables.of(index) if _ruled(page) else []
    if not drawn:
        text = _tidy(written.get_text_range())
    else:
        text = _around(written, page.get_width(), page.get_height(), drawn)
    written.close()
    return _headed(text, headings, has_outline=has_outline)


def _around(written: Any, width: float, height: float, drawn: list["_Drawn"]) -> str:
    """What stands above, beside and between the tables, and the tables. PDFium counts from the
    bottom of the page."""
    parts: list[str] = []
    at = 0.0

    def band(left: float, top: float, right: float, bottom: float) -> None:
        if right - left > 1 and bottom - top > 1:
            parts.append(
                _tidy(written.get_text_bounded(left, height - bottom, right, height - top))
            )

    for one in drawn:
        band(0, at, width, one.top)
        band(0, one.top, one.left, one.bottom)
        band(one.right, one.top, width, one.bottom)
        parts.append(table(one.rows))
        at = max(at, one.bottom)
    band(0, at, width, height)
    return "\n\n".join(part for part in parts if part)


def _ruled(page: Any) -> bool:
    from pypdfium2 import raw

    count = 0
    for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=3):
        count += 1
        if count >= RULES:
            return True
    return False


def _has_picture(page: Any) -> bool:
    from pypdfium2 import raw

    return any(True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3))


def _image(page: Any) -> bytes:
    wide = max(page.get_width(), page.get_height(), 1.0)
    picture = page.render(scale=min(SCAN_SCALE, 2_000 / wide), grayscale=True).to_pil()
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def _tidy(text: str) -> str:
    text = _HYPHEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = (_SPACE.sub(" ", line).strip() for line in text.replace("\x00", "").split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _headed(text: str, headings: list[tuple[int, str]], *, has_outline: bool) -> str:
    """The text with its headings marked: those of the outline, else lines that are numbered like
    one."""
    if not has_outline:
        return "\n".join(_maybe_heading(line) for line in text.split("\n"))
    lines = text.split("\n")
    unplaced: list[str] = []
    for level, title in headings:
        mark = f"{'#' * min(level, 6)} {title}"
        place = next((n for n, line in enumerate(lines) if _same(line, title)), None)
        if place is None:
            unplaced.append(mark)
        else:
            lines[place] = f"\n{mark}\n"
    return "\n".join([*(f"{mark}\n" for mark in unplaced), *lines]).strip()


def _same(line: str, title: str) -> bool:
    bare = re.sub(r"^[\d.]+\s+", "", line).casefold().strip()
    return bool(bare) and bare == re.sub(r"^[\d.]+\s+", "", title).casefold().strip()


def _maybe_heading(line: str) -> str:
    found = _NUMBERED.match(line)
    if found is None or not found[2][0].isupper() or len(found[2].split()) > 9:
        return line
    return f"\n{'#' * (found[1].count('.') + 2)} {line}\n"


class _Drawn:
    """A table with the box that it fills; `top` and `bottom` from the top of the page."""

    def __init__(self, box: tuple[float, float, float, float], rows: list[list[Any]]) -> None:
        self.left, self.top, self.right, self.bottom = box
        self.rows = rows


class _Tables:
    """The ruled tables of a file, opened for them when the first page with rules comes."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._opened: Any = None

    def of(self, index: int) -> list[_Drawn]:
        """From the top of the page down; nothing where they cannot be made out."""
        import pdfplumber
        from pdfminer.pdfexceptions import PDFException

        try:
            if self._opened is None:
                self._opened = pdfplumber.open(io.BytesIO(self._content))
            page = self._opened.pages[index]
            found = [_Drawn(one.bbox, one.extract()) for one in page.find_tables()]
            page.close()
        # The text stands all the same; what a page draws is not worth the file.
        except (PDFException, ValueError, KeyError, TypeError, IndexError, AssertionError):
            return []
        tables = [one for one in found if len(one.rows) > 1 and len(one.rows[0]) > 1]
        return sorted(tables, key=lambda one: (one.top, one.left))
