"""Serves what a chip opens: a document at the passage that was cited."""

from collections.abc import Iterator, Sequence
from html import escape
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import quote

from aiohttp import web

from core.errors import SourceFailed, Unavailable, Unreadable
from core.records import Chunk
from core.specialists.documents import folder
from core.specialists.documents.library import Library
from core.specialists.documents.markup import html
from core.specialists.documents.places import PATH, label
from core.storage import documents, embeddings
from core.storage.documents import Document, Place, Source

FILE = "/documents/file"
AROUND = 12
"""Passages that are shown before and after the one that was cited."""
_SHOWN = ("application/pdf",)
"""What a browser shows by itself, and cannot run."""
_GONE = (
    "This address holds no longer: the document is gone, it was changed, or it is for others by"
    " now. Ask again in the chat."
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  :root {{ color-scheme: light dark; --line: #8884; --mark: #ffe9a8; --edge: #d9a400; }}
  @media (prefers-color-scheme: dark) {{ :root {{ --mark: #4a3d10; }} }}
  body {{ font: 16px/1.6 system-ui, sans-serif; margin: 0; }}
  header {{ position: sticky; top: 0; padding: .7rem 1.5rem; border-bottom: 1px solid var(--line);
           background: Canvas; display: flex; gap: 1rem; align-items: baseline; }}
  header h1 {{ font-size: 1rem; margin: 0; flex: 1; overflow-wrap: anywhere; }}
  main {{ max-width: 46rem; margin: 0 auto; padding: 1rem 1.5rem 40vh; }}
  section {{ padding: .1rem .9rem; border-left: 3px solid transparent;
            scroll-margin-top: 5rem; overflow-wrap: anywhere; }}
  section.cited {{ background: var(--mark); border-color: var(--edge); border-radius: 4px; }}
  .page {{ font-size: .8rem; opacity: .7; border-top: 1px solid var(--line); margin-top: 1.6rem;
          padding-top: .3rem; }}
  h2, h3, h4 {{ line-height: 1.3; margin: 1rem 0 .4rem; }} h2 {{ font-size: 1.25rem; }}
  h3 {{ font-size: 1.1rem; }} h4 {{ font-size: 1rem; }}
  table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
  td, th {{ border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; }}
  pre {{ overflow-x: auto; }} .left {{ opacity: .7; font-size: .9rem; }}
</style>
<header><h1>{title}</h1>{more}</header>
<main>{body}</main>
</html>
"""


def routes(library: Library) -> list[web.RouteDef]:
    async def passage(request: web.Request) -> web.Response:
        found = await _opened(library, request)
        if found is None:
            return _told("Not here any more", _GONE, status=410)
        document, chunk, source = found
        places = await documents.places_of(library.ingest.db, document.id)
        at = next((n for n, place in enumerate(places) if place.id == chunk), None)
        if at is None:
            return _told("Not here any more", _GONE, status=410)
        rows = await embeddings.of_source(library.ingest.db, documents.index_source(document.id))
        chunks = {row.chunk.id: row.chunk for row in rows}
        more = _more(document, places[at], source, request.query.get("key", ""))
        body = _body(places, chunks, at)
        title = escape(label(document, places[at]))
        return _page(_PAGE.format(title=title, more=more, body=body))

    async def file(request: web.Request) -> web.StreamResponse:
        found = await _opened(library, request)
        document, _, source = found or (None, "", None)
        if document is None or source is None or source.kind != "folder":
            return _told("Not here any more", _GONE, status=410)
        limit = library.ingest.limits.bytes
        try:
            content = folder.content(Path(source.place), document.path, limit)
        except SourceFailed as fault:
            return _told("Not here any more", str(fault), status=410)
        return _file(document.name, content)

    return [
        web.get(PATH, passage, allow_head=False),
        web.get(FILE, file, allow_head=False),
    ]


async def _opened(
    library: Library, request: web.Request
) -> tuple[Document, str, Source | None] | None:
    """What the address opens, where its readers are still those that it was made for."""
    try:
        opened = library.addresses.open(request.query.get("key", ""))
        document = await library.current(opened.document, opened.scope)
        if document is None:
            return None
        sources = await documents.sources(library.ingest.db)
    except (Unreadable, Unavailable):
        return None
    source = next((one for one in sources if one.id == document.source), None)
    return document, opened.chunk, source


def _more(document: Document, place: Place, source: Source | None, key: str) -> str:
    at = f"#page={place.page}" if place.page and document.name.lower().endswith(".pdf") else ""
    if document.link.startswith(("https://", "http://")):
        address = f"{quote(document.link, safe=':/?&=%@+,;~')}{at}"
    elif source is not None and source.kind == "folder":
        address = f"{FILE}?key={quote(key, safe='')}{at}"
    else:
        return ""
    return f'<a href="{escape(address)}" rel="noreferrer">Open the file</a>'


def _body(places: Sequence[Place], chunks: dict[str, Chunk], at: int) -> str:
    return "".join(_sections(places, chunks, at))


def _sections(places: Sequence[Place], chunks: dict[str, Chunk], at: int) -> Iterator[str]:
    first, last = max(0, at - AROUND), min(len(places), at + AROUND + 1)
    if first:
        yield f'<p class="left">{first} earlier passages are left out.</p>'
    page = -1
    for number, place in enumerate(places[first:last], start=first):
        if place.page and place.page != page:
            yield f'<p class="page">Page {place.page}</p>'
        page = place.page
        here = ' class="cited" id="here"' if number == at else ""
        chunk = chunks.get(place.id)
        yield f"<section{here}>{html(chunk.text if chunk else '')}</section>"
    if left := len(places) - last:
        yield f'<p class="left">{left} later passages are left out.</p>'


def _file(name: str, content: bytes) -> web.Response:
    kind = guess_type(name)[0] or "application/octet-stream"
    shown = "inline" if kind in _SHOWN else "attachment"
    headers = {
        **_HEADERS,
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Content-Disposition": f"{shown}; filename*=UTF-8''{quote(name, safe='')}",
    }
    if kind in _SHOWN:
        # A sandbox would take the browser's own viewer of PDFs away.
        headers["Content-Security-Policy"] = "frame-ancestors 'none'"
    return web.Response(body=content, content_type=kind, headers=headers)


def _told(title: str, text: str, *, status: int) -> web.Response:
    body = f"<p>{escape(text)}</p>"
    return _page(_PAGE.format(title=escape(title), more="", body=body), status=status)


def _page(text: str, status: int = 200) -> web.Response:
    return web.Response(status=status, text=text, content_type="text/html", headers=_HEADERS)
