"""Reads messages of Microsoft Teams and what was posted in them, by a person's own rights.

A bot is told of the messages that mention it, and in channels and group chats of no file at all.
A file is named by the id that stands in its tag, which is the one that SharePoint gives it.
Source: Microsoft's pages on chatMessage, chatMessageAttachment and shares.
"""

import base64
import re
from collections.abc import Collection, Sequence
from datetime import datetime
from urllib.parse import quote

from core.connectors import failures
from core.connectors.chat import markup
from core.connectors.failures import GraphFailed
from core.connectors.office import Office, lookup_token
from core.connectors.request import Request, objects, part, text
from core.errors import SourceFailed
from core.records import Json, PersonId
from core.said import Said, Shared, Spoken, Spot

CHAT, CHANNEL, FILES = "Chat.Read", "ChannelMessage.Read.All", "Files.Read.All"
_PAGE = 50
"""The most that Graph gives of messages at once."""
_NEWEST = 200
_FILES = 400
"""The newest files of a channel among which one is looked for."""
_ETAG = re.compile(r"\{([0-9A-Fa-f-]{36})\}")
_POSTED = "reference"
"""The kind of an attachment that is a file."""


class Transcript:
    """`core.ports.Transcript`."""

    def __init__(self, office: Office) -> None:
        self._office = office

    async def is_open(self, person: PersonId, spot: Spot) -> bool:
        granted = await self._office.accounts.granted(person)
        return granted is not None and _reading(spot) in granted

    async def around(self, person: PersonId, spot: Spot) -> Sequence[Spoken]:
        scope = _reading(spot)
        if not spot.team:
            found = await self._items(person, f"{_place(spot)}/messages", scope, _PAGE, _PAGE)
            return _told(found[::-1], spot)
        if spot.root in ("", spot.message):
            return ()
        thread = f"{_place(spot)}/messages/{quote(spot.root, safe='')}"
        root = await self._asked(person, Request(path=thread), scope)
        found = await self._items(person, f"{thread}/replies", scope, _PAGE, _NEWEST)
        return _told([root, *found[::-1]], spot)

    async def posted(self, person: PersonId, spot: Spot, ids: Collection[str]) -> Sequence[Shared]:
        """In a channel the person need not permit that its messages are read, which takes an
        administrator: its folder tells as well which file is meant."""
        wanted = {id.lower() for id in ids}
        if spot.team and not await self.is_open(person, spot):
            found = await self._in_folder(person, spot)
        else:
            asked = Request(path=_message(spot))
            found = _shared(await self._asked(person, asked, _reading(spot), FILES))
        return [one for one in found if one.id.lower() in wanted]

    async def content(self, person: PersonId, path: str, limit: int) -> bytes:
        token = await lookup_token(self._office, person, FILES)
        graph = self._office.graph
        try:
            answer = await graph.ask(token, Request(path=f"{path}/content"))
            return await graph.download(answer.location, limit)
        except GraphFailed as failure:
            raise _failed(failure, FILES) from None

    async def _in_folder(self, person: PersonId, spot: Spot) -> list[Shared]:
        folder = await self._asked(person, Request(path=f"{_place(spot)}/filesFolder"), FILES)
        drive, id = text(folder, "parentReference", "driveId"), text(folder, "id")
        files = f"/drives/{quote(drive, safe='!')}/items"
        newest = {"$orderby": "lastModifiedDateTime desc"}
        inside = f"{files}/{quote(id, safe='')}/children"
        found = await self._items(person, inside, FILES, 200, _FILES, newest)
        return [
            Shared(
                id=own[1],
                name=text(one, "name"),
                path=f"{files}/{quote(text(one, 'id'), safe='')}",
                size=int(one.get("size") or 0),
            )
            for one in found
            if "file" in one and (own := _ETAG.search(text(one, "eTag")))
        ]

    async def _asked(self, person: PersonId, request: Request, *scopes: str) -> Json:
        token = await lookup_token(self._office, person, *scopes)
        try:
            return (await self._office.graph.ask(token, request)).body
        except GraphFailed as failure:
            raise _failed(failure, *scopes) from None

    async def _items(
        self,
        person: PersonId,
        path: str,
        scope: str,
        page: int,
        most: int,
        order: dict[str, str] | None = None,
    ) -> list[Json]:
        token = await lookup_token(self._office, person, scope)
        request = Request(path=path, query={"$top": str(page), **(order or {})})
        try:
            return await self._office.graph.items(token, request, most)
        except GraphFailed as failure:
            raise _failed(failure, scope) from None


def _failed(failure: GraphFailed, *scopes: str) -> Exception:
    if failure.status == 401:
        return failures.sign_in(failure, scopes)
    return SourceFailed(failures.reason(failure, scopes))


def _reading(spot: Spot) -> str:
    return CHANNEL if spot.team else CHAT


def _place(spot: Spot) -> str:
    chat = quote(spot.chat, safe="")
    return f"/teams/{quote(spot.team, safe='')}/channels/{chat}" if spot.team else f"/chats/{chat}"


def _message(spot: Spot) -> str:
    """An answer in a channel's thread has files of its own, not those of the thread's first
    message."""
    own = quote(spot.message, safe="")
    if not spot.team or spot.root in ("", spot.message):
        return f"{_place(spot)}/messages/{own}"
    return f"{_place(spot)}/messages/{quote(spot.root, safe='')}/replies/{own}"


def _told(messages: Sequence[Json], spot: Spot) -> list[Spoken]:
    """What people and bots wrote before that message; its id is a number that grows."""
    return [
        _spoken(one)
        for one in messages
        if text(one, "messageType") == "message"
        and not one.get("deletedDateTime")
        and _number(text(one, "id")) < _number(spot.message)
    ]


def _spoken(message: Json) -> Spoken:
    user, app = part(message, "from", "user"), part(message, "from", "application")
    writer = user or app
    return Spoken(
        id=text(message, "id"),
        said=Said(
            role="bot" if app and not user else "person",
            name=text(writer, "displayName"),
            text=_words(message),
            at=_moment(text(message, "createdDateTime")),
            id=text(writer, "id"),
        ),
        files=tuple(_shared(message)),
    )


def _words(message: Json) -> str:
    written = text(message, "body", "content")
    return markup.words(written) if text(message, "body", "contentType") == "html" else written


def _shared(message: Json) -> list[Shared]:
    return [
        Shared(id=text(one, "id"), name=text(one, "name"), path=_share(text(one, "contentUrl")))
        for one in objects(message.get("attachments"))
        if text(one, "contentType") == _POSTED and text(one, "id") and text(one, "contentUrl")
    ]


def _share(address: str) -> str:
    """Graph's own path for what lies at an address of SharePoint; the address itself is asked for
    nothing."""
    written = base64.urlsafe_b64encode(address.encode()).decode().rstrip("=")
    return f"/shares/u!{written}/driveItem"


def _number(id: str) -> int:
    return int(id) if id.isascii() and id.isdigit() else 0


def _moment(stamp: str) -> float:
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except ValueError:
        return 0.0
