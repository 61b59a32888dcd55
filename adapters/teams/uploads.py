"""Hands made files over: the person agrees in their own chat, and Teams says where they go.

Teams lets a bot put a file only where a person has agreed to it, and only in a one-to-one chat.
Source: Microsoft's page on sending and receiving files.
"""

import hashlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

import aiohttp

from adapters import fields, spreadsheet
from adapters.teams import files, identity, inbound, private
from adapters.teams.connector import Connector
from adapters.teams.directory import Directory, Kept
from adapters.teams.render import messages
from core.errors import CountersignError, DeliveryFailed
from core.figures import Figure
from core.panels import Attached, Order
from core.ports import FrontDoor
from core.records import (
    Address,
    Answer,
    FileId,
    Json,
    MadeFile,
    Person,
    PersonId,
    Place,
    Post,
    TurnId,
)

log = logging.getLogger(__name__)
CONSENT = "fileConsent/invoke"
CONSENT_CARD = "application/vnd.microsoft.teams.card.file.consent"
INFO_CARD = "application/vnd.microsoft.teams.card.file.info"
UPLOAD_SECONDS = 45.0
ELSEWHERE = "{name} is in our own chat: Teams lets me hand over a file there alone."
GONE = "That file is not kept any more. Ask me again, and I make it anew."
REFUSED = "Teams named a place for {name} that is none of its own, so I have put it nowhere."
FAILED = "{name} could not be put into your files. Please try again."
TABLE = "text/csv"
Made = Callable[[FileId], Awaitable[bytes | None]]
Make = Callable[[TurnId, MadeFile, bytes], Awaitable[None]]


class Uploads:
    """`made` gives the bytes of a file that was made, `make` keeps one until somebody takes it,
    `door` makes those of an order anew."""

    def __init__(
        self,
        connector: Connector,
        directory: Directory,
        kept: Kept,
        made: Made,
        make: Make,
        door: FrontDoor,
        *,
        is_local: bool,
    ) -> None:
        self._connector = connector
        self._directory = directory
        self._kept = kept
        self._made = made
        self._make = make
        self._door = door
        self._is_local = is_local

    async def offer(self, post: Post, address: Address, size: int) -> str:
        """Ask the person whether they want it; in other places than their own chat it is said
        where it is. The id of the question. Raises `DeliveryFailed`."""
        file = post.answer.files[0]
        there = await private.chat(self._connector, self._directory, address)
        await self._kept.keep(_key(file.id), {"name": file.name, "person": post.person})
        id = await self._connector.send(
            there["service"], there["conversation"], _question(file, size)
        )
        if there != address:
            said = messages.sentence(ELSEWHERE.format(name=file.name))
            await self._connector.send(
                address["service"], address["conversation"], messages.message(said)
            )
        return id

    async def offer_rows(self, post: Post, address: Address, number: int, figure: Figure) -> None:
        """The same with a figure of the answer, as a file for a spreadsheet. It stands in the
        answer already: where the person cannot be asked, nothing more is done."""
        asked, content = f"rows:{post.id}/{number}", spreadsheet.as_csv(figure)
        if await self._kept.read(asked) is not None:
            return
        file = MadeFile(
            id=FileId(f"file_{post.turn}_{number}"),
            name=spreadsheet.name(figure),
            media_type=TABLE,
            size=len(content),
        )
        await self._make(post.turn, file, content)
        one = replace(post, kind="file", answer=Answer(text="", files=(file,)))
        try:
            id = await self.offer(one, address, len(content))
        except DeliveryFailed as failure:
            log.info("teams.no_rows", extra={"fields": {"reason": failure.reason}})
            return
        await self._kept.keep(asked, {"id": id})

    async def propose(self, file: Attached, order: Order, address: Address) -> None:
        """Ask the person in their own chat whether they want the file that an order led to. It is
        made anew when they agree, by the rights that they have then; nothing of it is kept until
        then. Raises `CountersignError`."""
        whose = f"{order.person.id}\0{order.words}"
        id = FileId(f"order_{hashlib.sha256(whose.encode()).hexdigest()[:24]}")
        there = await private.chat(self._connector, self._directory, address)
        known = {"name": file.name, "person": order.person.id, "words": order.words}
        await self._kept.keep(_key(id), known)
        made = MadeFile(id=id, name=file.name, media_type="", size=len(file.content))
        asked = _question(made, made.size)
        await self._connector.send(there["service"], there["conversation"], asked)

    async def answered(self, activity: Json, tenant: str) -> None:
        """The person has agreed, or not. Never raises: what goes wrong is told to them."""
        value = fields.child(activity, "value")
        key = FileId(fields.text(fields.child(value, "context"), "file"))
        person = identity.person(activity, tenant)
        place = identity.place(activity, tenant)
        address = inbound.address(activity, place, identity.conversation(activity))
        try:
            known = await self._kept.read(_key(key)) if key else None
            if known is None or person is None or fields.text(known, "person") != person.id:
                return
            if fields.text(value, "action") == "accept":
                info = fields.child(value, "uploadInfo")
                name = fields.text(known, "name")
                made = partial(self._content, key, known, person, place)
                shown = await self._put(made, name, info, person.id)
                await self._connector.send(address["service"], address["conversation"], shown)
            await self._closed(activity, address)
        except CountersignError as error:
            log.warning("teams.no_upload", extra={"fields": {"reason": type(error).__name__}})

    async def _content(
        self, key: FileId, known: Json, person: Person, place: Place
    ) -> bytes | None:
        words = fields.text(known, "words")
        if not words:
            return await self._made(key)
        order = Order(person=person, place=place, words=words, is_typed=True)
        panel = await self._door.order(order)
        return None if panel is None or panel.file is None else panel.file.content

    async def _put(
        self,
        made: Callable[[], Awaitable[bytes | None]],
        name: str,
        info: Json,
        person: PersonId,
    ) -> Json:
        """What is shown of it then."""
        address = fields.text(info, "uploadUrl")
        if not files.is_storage(address, self._is_local):
            log.warning("teams.upload_refused", extra={"fields": {"person": person}})
            return _said(REFUSED.format(name=name))
        content = await made()
        if content is None:
            return _said(GONE)
        try:
            status = await _uploaded(address, content, local=self._is_local)
        except (aiohttp.ClientError, TimeoutError, OSError):
            status = 0
        if not 200 <= status < 300:
            log.warning("teams.upload_failed", extra={"fields": {"status": status}})
            return _said(FAILED.format(name=name))
        return _there(name, info)

    async def _closed(self, activity: Json, address: Address) -> None:
        """The question is answered: it goes."""
        asked = fields.text(activity, "replyToId")
        if not asked:
            return
        try:
            await self._connector.delete(address["service"], address["conversation"], asked)
        except DeliveryFailed as failure:
            log.info("teams.question_stays", extra={"fields": {"reason": failure.reason}})


def _key(file: FileId) -> str:
    return f"made:{file}"


def _question(file: MadeFile, size: int) -> Json:
    context = {"file": file.id}
    content: Json = {
        "description": "Made from the results of your question.",
        "sizeInBytes": size,
        "acceptContext": context,
        "declineContext": context,
    }
    asked: Json = {"contentType": CONSENT_CARD, "name": file.name, "content": content}
    return {"type": "message", "attachments": [asked]}


def _there(name: str, info: Json) -> Json:
    found: Json = {
        "contentType": INFO_CARD,
        "name": fields.text(info, "name") or name,
        "contentUrl": fields.text(info, "contentUrl"),
        "content": {
            "uniqueId": fields.text(info, "uniqueId"),
            "fileType": fields.text(info, "fileType"),
        },
    }
    return {"type": "message", "attachments": [found]}


def _said(sentence: str) -> Json:
    return messages.message(messages.sentence(sentence))


async def _uploaded(address: str, content: bytes, *, local: bool) -> int:
    headers = {"Content-Range": f"bytes 0-{len(content) - 1}/{len(content)}"}
    timeout = aiohttp.ClientTimeout(total=UPLOAD_SECONDS)
    async with (
        aiohttp.ClientSession(timeout=timeout, trust_env=not local) as session,
        session.put(address, data=content, headers=headers, allow_redirects=False) as answer,
    ):
        return answer.status
