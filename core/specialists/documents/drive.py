"""A person's OneDrive or a SharePoint library as a source, read with the person's own rights."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import quote

from core.connectors.failures import GraphFailed, reason
from core.connectors.files.drive import READ
from core.connectors.graph import Graph
from core.connectors.request import Request, is_below, objects, part, text
from core.errors import NeedsAccount, SourceFailed
from core.records import Json, PersonId
from core.specialists.documents.parsing.kinds import ENDINGS, PICTURES, ending
from core.storage.documents import Document, Source

OWN = "me/drive"
"""The place of a person's own OneDrive; a library's is `drives/<id>`."""
_MOST_PAGES = 2_000
_GONE = (403, 404, 410)

Token = Callable[[PersonId], Awaitable[str]]
"""A token of this person that reads files. Raises `NeedsAccount`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    id: str
    name: str
    stamp: str
    link: str
    size: int


@dataclass(slots=True, kw_only=True)
class Changes:
    """What changed since the cursor; `is_whole`: everything that there is."""

    files: dict[str, Item] = field(default_factory=dict[str, Item])
    gone: list[str] = field(default_factory=list[str])
    cursor: str = ""
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Drive:
    """Raises `SourceFailed` with a sentence wherever Microsoft or the sign-in refuses."""

    graph: Graph
    token: Token

    async def changes(self, source: Source) -> Changes:
        """Since the source's cursor; all where it has none or Graph no longer knows it."""
        try:
            return await self._changes(source, source.cursor)
        except GraphFailed as failure:
            if failure.status != 410 or not source.cursor:
                raise SourceFailed(reason(failure, (READ,))) from failure
        try:
            return await self._changes(source, "")
        except GraphFailed as failure:
            raise SourceFailed(reason(failure, (READ,))) from failure

    async def content(self, source: Source, item: Item, limit: int) -> bytes:
        path = f"/{source.place}/items/{quote(item.id, safe='')}/content"
        try:
            answer = await self.graph.ask(await self._token(source), Request(path=path))
            if not answer.location:
                raise SourceFailed(f"{item.name} has no content.")
            return await self.graph.download(answer.location, limit)
        except GraphFailed as failure:
            raise SourceFailed(f"{item.name}: {reason(failure, (READ,))}") from failure

    async def may_read(self, source: Source, document: Document) -> bool | None:
        """Whether the owner may read the document now; None where that cannot be known."""
        path = f"/{source.place}/items/{quote(document.path, safe='')}"
        try:
            await self.graph.ask(
                await self._token(source), Request(path=path, query={"$select": "id"})
            )
        except GraphFailed as failure:
            return False if failure.status in _GONE else None
        except SourceFailed:
            return None
        return True

    async def _token(self, source: Source) -> str:
        try:
            return await self.token(PersonId(source.owner))
        except NeedsAccount as missing:
            raise SourceFailed(str(missing)) from missing

    async def _changes(self, source: Source, cursor: str) -> Changes:
        found = Changes(is_whole=not cursor)
        base = self.graph.settings.url.rstrip("/")
        path = cursor or "/".join(("", source.place, "root", "delta"))
        for _ in range(_MOST_PAGES):
            page = (await self.graph.ask(await self._token(source), Request(path=path))).body
            for item in objects(page.get("value")):
                _sort(item, found)
            following = page.get("@odata.nextLink") or page.get("@odata.deltaLink")
            if not isinstance(following, str) or not is_below(following, base):
                raise SourceFailed("Microsoft's list of changes leads nowhere.")
            path = following[len(base) :]
            if "@odata.nextLink" not in page:
                found.cursor = path
                return found
        raise SourceFailed("Microsoft's list of changes does not end.")


def _sort(item: Json, found: Changes) -> None:
    id, name = text(item, "id"), text(item, "name")
    if "deleted" in item:
        found.files.pop(id, None)
        found.gone.append(id)
    elif isinstance(item.get("file"), dict) and ending(name) in ENDINGS | PICTURES:
        size = part(item, "size")
        found.files[id] = Item(
            id=id,
            name=name,
            stamp=text(item, "cTag") or text(item, "eTag"),
            link=text(item, "webUrl"),
            size=size if isinstance(size, int) else 0,
        )
