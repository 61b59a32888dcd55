"""A person's OneDrive or a SharePoint library as a source, read with the person's own rights."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from core.connectors.failures import GraphFailed, reason
from core.connectors.files.drive import READ
from core.connectors.graph import Graph
from core.connectors.request import Request, is_below, objects, part, text
from core.errors import NeedsAccount, SourceFailed
from core.policy.audience import ENTRA
from core.records import Json, PersonId
from core.specialists.documents.parsing.kinds import ENDINGS, PICTURES, ending
from core.storage.documents import Source

OWN = "me/drive"
"""The place of a person's own OneDrive; a library's is `drives/<id>`."""
SHARED = "shared"
"""The reader of a source that stands for those with whom an item is shared at Microsoft."""
_READ_ALL = "Files.Read.All"
"""`Files.Read` opens what is in a person's own drive, and no other drive."""
_MOST_PAGES = 2_000
_MOST_GRANTS = 500
_GONE = (403, 404, 410)

Token = Callable[[PersonId, Sequence[str]], Awaitable[str]]
"""A token of this person with these permissions. Raises `NeedsAccount`."""


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
                raise SourceFailed(reason(failure, (_scope(source),))) from failure
        try:
            return await self._changes(source, "")
        except GraphFailed as failure:
            raise SourceFailed(reason(failure, (_scope(source),))) from failure

    async def content(self, source: Source, item: Item, limit: int) -> bytes:
        path = f"/{source.place}/items/{quote(item.id, safe='')}/content"
        try:
            answer = await self.graph.ask(await self._token(source), Request(path=path))
            if not answer.location:
                raise SourceFailed(f"{item.name} has no content.")
            return await self.graph.download(answer.location, limit)
        except GraphFailed as failure:
            raise SourceFailed(f"{item.name}: {reason(failure, (_scope(source),))}") from failure

    async def readers(self, source: Source, item: str) -> tuple[str, ...] | None:
        """Who may read the item now: nobody where the owner may not; None where that cannot be
        known. Of a shared source that is whoever the item is shared with by name or in a group,
        as far as the owner is shown it: neither a group of the site nor whoever has a link."""
        path = f"/{source.place}/items/{quote(item, safe='')}"
        base = tuple(reader for reader in source.readers if reader != SHARED)
        try:
            token = await self._token(source)
            if SHARED not in source.readers:
                await self.graph.ask(token, Request(path=path, query={"$select": "id"}))
                return base
            asked = Request(path=f"{path}/permissions")
            grants = await self.graph.items(token, asked, _MOST_GRANTS)
        except GraphFailed as failure:
            return () if failure.status in _GONE else None
        except SourceFailed:
            return None
        return tuple(dict.fromkeys((*base, *(one for grant in grants for one in _holders(grant)))))

    async def _token(self, source: Source) -> str:
        try:
            return await self.token(PersonId(source.owner), (_scope(source),))
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


def _scope(source: Source) -> str:
    return READ if source.place == OWN else _READ_ALL


def _holders(grant: Json) -> Iterator[str]:
    """Who holds a permission by name; every role includes reading. An organisation's link is for
    whoever has followed it, which nobody says."""
    named = [part(grant, "grantedToV2"), *objects(part(grant, "grantedToIdentitiesV2"))]
    for one in named:
        for kind in ("user", "group"):
            if id := text(one, kind, "id"):
                yield f"{ENTRA}{id.lower()}"


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
