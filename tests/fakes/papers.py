"""Makes documents for tests: PDFs, Word documents, and files that mean no good."""

import io
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

Row = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A page of a PDF: lines from the top, a ruled table below them, or a picture alone."""

    lines: Sequence[str] = ()
    rows: Sequence[Row] = ()
    heading: str = ""
    """An entry of the outline that leads to this page."""
    is_picture: bool = False
    after: Sequence[str] = field(default=())
    """Lines below the table."""


def pdf(sheets: Sequence[Sheet]) -> bytes:
    """A PDF of A4 pages in Helvetica."""
    objects: list[bytes] = [b"", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
                            b" /Encoding /WinAnsiEncoding >>", _picture()]  # fmt: skip
    pages: list[int] = []
    for sheet in sheets:
        drawn = b"q 400 0 0 500 90 200 cm /P Do Q" if sheet.is_picture else _drawn(sheet)
        objects.append(_stream(drawn))
        content = len(objects)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F 3 0 R >> /XObject << /P 4 0 R >> >> >>" % content
        )
        pages.append(len(objects))
    outline = _outline(objects, [(s.heading, p) for s, p in zip(sheets, pages, strict=True)])
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R%s >>" % outline
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(pages), kids)
    return _file(objects)


def _drawn(sheet: Sheet) -> bytes:
    at = 790
    parts: list[bytes] = []
    for line in sheet.lines:
        parts.append(_line(line, 60, at))
        at -= 18
    if sheet.rows:
        at -= 10
        columns = len(sheet.rows[0])
        wide = 470 / columns
        for row in sheet.rows:
            for number, cell in enumerate(row):
                left = 60 + number * wide
                parts.append(b"%.1f %d %.1f 20 re S" % (left, at - 6, wide))
                parts.append(_line(cell, left + 4, at))
            at -= 20
        at -= 20
    for line in sheet.after:
        parts.append(_line(line, 60, at))
        at -= 18
    return b"\n".join(parts)


def _line(text: str, x: float, y: float) -> bytes:
    written = text.encode("cp1252", "replace")
    for sign in (b"\\", b"(", b")"):
        written = written.replace(sign, b"\\" + sign)
    return b"BT /F 11 Tf %.1f %.1f Td (%s) Tj ET" % (x, y, written)


def _picture() -> bytes:
    pixels = zlib.compress(bytes(range(256)) * 16)
    return (
        b"<< /Type /XObject /Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceGray"
        b" /BitsPerComponent 8 /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream"
        % (len(pixels), pixels)
    )


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _outline(objects: list[bytes], headings: Sequence[tuple[str, int]]) -> bytes:
    named = [(heading, page) for heading, page in headings if heading]
    if not named:
        return b""
    root, first = len(objects) + 1, len(objects) + 2
    last = first + len(named) - 1
    objects.append(b"<< /Type /Outlines /First %d 0 R /Last %d 0 R >>" % (first, last))
    for number, (heading, page) in enumerate(named):
        here = first + number
        before = b" /Prev %d 0 R" % (here - 1) if number else b""
        after = b" /Next %d 0 R" % (here + 1) if here < last else b""
        title = heading.encode("cp1252", "replace")
        objects.append(
            b"<< /Title (%s) /Parent %d 0 R /Dest [%d 0 R /Fit]%s%s >>"
            % (title, root, page, before, after)
        )
    return b" /Outlines %d 0 R" % root


def _file(objects: Sequence[bytes]) -> bytes:
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.4\n")
    places: list[int] = []
    for number, content in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    size = len(objects) + 1
    out.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start))
    return out.getvalue()


def docx(paragraphs: Sequence[tuple[int, str]], rows: Sequence[Row] = ()) -> bytes:
    """A Word document of (level of the heading or 0, text) paragraphs and a table."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    body = "".join(_paragraph(level, text) for level, text in paragraphs)
    cells = [[f"<w:tc>{_paragraph(0, cell)}</w:tc>" for cell in row] for row in rows]
    table = "".join(f"<w:tr>{''.join(row)}</w:tr>" for row in cells)
    body += f"<w:tbl>{table}</w:tbl>" if rows else ""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}">'
        f'<w:name w:val="heading {n}"/></w:style>'
        for n in range(1, 5)
    )
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package'
            '.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1"'
            f' Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships">'
            f'<Relationship Id="r1" Type="{office}/styles" Target="styles.xml"/></Relationships>',
            "word/styles.xml": f"<w:styles {space}>{styles}</w:styles>",
            "word/document.xml": f"<w:document {space}><w:body>{body}</w:body></w:document>",
        }
    )


def _paragraph(level: int, text: str) -> str:
    style = f'<w:pPr><w:pStyle w:val="Heading{level}"/></w:pPr>' if level else ""
    return f'<w:p>{style}<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def zipped(files: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return out.getvalue()


def bomb(megabytes: int = 600) -> bytes:
    """A Word document of a few hundred kilobytes that unpacks to as many megabytes."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed,
        packed.open("word/document.xml", "w", force_zip64=True) as one,
    ):
        for _ in range(megabytes):
            one.write(b"\0" * 2**20)
    return out.getvalue()


def laughing(levels: int = 9) -> bytes:
    """A Word document whose XML doubles itself again and again."""
    entities = "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(levels + 1)
    )
    files: dict[str, str | bytes] = {
        "word/document.xml": f"<!DOCTYPE d [{entities}]><d>&e{levels};</d>",
        "[Content_Types].xml": "<Types/>",
    }
    return zipped(files)


def locked() -> bytes:
    """What Word writes for a document with a password: an old container around the new file."""
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504
    return head + "EncryptedPackage".encode("utf-16-le") + b"\x01" * 2048
