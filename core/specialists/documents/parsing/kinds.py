"""Tells what a file is from its bytes first, and from its name where bytes say nothing."""

import io
import zipfile

from core.specialists.documents.parsing.pages import Unread

TEXTS = frozenset(("txt", "text", "log", "md", "markdown", "rst", "json", "yaml", "yml", "xml"))
TABLES = frozenset(("csv", "tsv"))
PAGES = frozenset(("html", "htm", "xhtml"))
IMAGES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}
ENDINGS = TEXTS | TABLES | PAGES | {"pdf", "docx", "pptx", "xlsx", "xlsm", "xls", "eml"}
"""Of files that can be read."""
PICTURES = frozenset(("png", "jpg", "jpeg", "gif", "webp"))
MOST_UNPACKED = 256 * 2**20
"""Bytes that an office file may unpack to."""
MOST_ENTRIES = 20_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OFFICE = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}


def ending(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def image_type(content: bytes) -> str:
    """`image/png` and the like; empty for what is no image."""
    found = next((kind for mark, kind in IMAGES.items() if content.startswith(mark)), "")
    return "" if found == "image/webp" and content[8:12] != b"WEBP" else found


def kind_of(content: bytes, name: str) -> str:
    """`pdf`, `docx`, `pptx`, `xlsx`, `html`, `eml`, `csv`, `text` or `image`. Raises Unread."""
    called = ending(name)
    if not content.strip():
        raise Unread("is empty")
    if b"%PDF-" in content[:1024]:
        return "pdf"
    if content.startswith(b"PK\x03\x04"):
        return _office(content)
    if content.startswith(_OLE):
        return _old(content, called)
    if image_type(content):
        return "image"
    for names, kind in ((PAGES, "html"), (TABLES, "csv"), (TEXTS, "text"), (("eml",), "eml")):
        if called in names:
            return kind
    if called in ENDINGS or called in PICTURES:
        raise Unread(f"is called .{called}, and is damaged or something else")
    raise Unread("is of a kind that cannot be read here")


def _office(content: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            entries = packed.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as fault:
        raise Unread("is damaged or cut off") from fault
    if len(entries) > MOST_ENTRIES or sum(one.file_size for one in entries) > MOST_UNPACKED:
        raise Unread(f"unpacks to more than {MOST_UNPACKED // 2**20} MB, which no document does")
    for folder, kind in _OFFICE.items():
        if any(one.filename.startswith(folder) for one in entries):
            return kind
    raise Unread("is an archive of files and no document")


def _old(content: bytes, called: str) -> str:
    """What the older Office packs: also a newer file behind a password."""
    if "EncryptedPackage".encode("utf-16-le") in content:
        raise Unread("is protected by a password")
    if called == "xls":
        return "xlsx"
    raise Unread("is in an old format of Office; saved as a new one it can be read")
