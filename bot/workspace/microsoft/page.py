"""The mailbox page of the local workspace: its small API, for this machine's own browser only."""

import asyncio
import base64
import json
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web

from bot.workspace.microsoft import sights
from bot.workspace.microsoft.graph import drives, post
from bot.workspace.microsoft.graph.records import Mailbox
from bot.workspace.microsoft.records import Account, Change, Json
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from bot.workspace.page import HEADERS, TOKEN_PLACE

INDEX = Path(__file__).parents[1] / "static" / "outlook" / "index.html"
BREATH = 15.0
"""Seconds after which an idle stream says that it is alive."""
Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Visit:
    """One request of the page: who looks, into which mailbox, with what."""

    def __init__(self, person: Account, box: Mailbox, args: Json) -> None:
        self.person, self.box, self.args = person, box, args

    def word(self, name: str) -> str:
        return str(self.args.get(name) or "")


class OutlookPage:
    """Add its routes to the server of the workspace's page, which serves the static files too;
    every call carries the token that was made for this start."""

    def __init__(self, ms: MicrosoftStandIn) -> None:
        self._graph, self._tenant = ms.graph, ms.tenant
        self._token = secrets.token_urlsafe(24)
        self._pages: set[asyncio.Queue[Json | None]] = set()
        self._looks: dict[str, Callable[[Visit], Json]] = {
            "overview": lambda v: sights.overview(self._graph, v.person, v.box),
            "mails": lambda v: {"mails": sights.mail_rows(self._graph, v.box, v.word("folder"))},
            "mail": self._mail,
            "week": lambda v: sights.week(self._graph, v.box, int(v.args.get("offset") or 0)),
            "files": self._files,
            "chats": lambda v: {"chats": sights.chats(self._graph, v.person)},
            "chat": lambda v: sights.chat(self._graph, v.person, v.word("chat")),
            "locate": lambda v: sights.locate(self._graph, v.word("item")),
        }
        self._tenant.listeners.append(self._note)

    def add_routes(self, site: web.Application) -> None:
        site.router.add_get("/outlook", self._index)
        site.router.add_get("/outlook/feed", self._guarded(self._feed))
        site.router.add_get("/outlook/file", self._guarded(self._download))
        site.router.add_get("/outlook/attachment", self._guarded(self._attachment))
        site.router.add_post("/outlook/look/{what}", self._guarded(self._look))
        site.on_shutdown.append(self._close)

    async def _index(self, _: web.Request) -> web.StreamResponse:
        text = INDEX.read_text(encoding="utf-8").replace(TOKEN_PLACE, self._token)
        return web.Response(text=text, content_type="text/html", headers=HEADERS)

    def _guarded(self, answer: Answering) -> Answering:
        async def guarded(request: web.Request) -> web.StreamResponse:
            given = request.headers.get("X-Page-Token", "")
            if not secrets.compare_digest(given.encode(), self._token.encode()):
                return web.json_response({"error": "forbidden"}, status=403)
            post.settle(self._graph)
            try:
                return await answer(request)
            except (KeyError, ValueError, IndexError):
                return web.json_response({"error": "not_found"}, status=404)

        return guarded

    def _visit(self, args: Json) -> Visit:
        """Raises KeyError for nobody, and for a mailbox that is not theirs to open."""
        person = self._tenant.account(str(args.get("person")))
        if person.is_shared_mailbox:
            raise KeyError(person.name)
        box = self._tenant.account(str(args.get("box") or person.name))
        if box not in sights.boxes_of(self._graph, person):
            raise KeyError(box.name)
        return Visit(person, self._graph.mailboxes[box.oid], args)

    async def _look(self, request: web.Request) -> web.StreamResponse:
        look = self._looks[request.match_info["what"]]
        return web.json_response(look(self._visit(await request.json())))

    def _mail(self, visit: Visit) -> Json:
        """Looking at a mail of the inbox reads it, which other pages are told once."""
        if sights.read(visit.box, visit.word("mail")):
            self._tenant.publish("read", visit.person.name)
        return sights.mail(self._graph, visit.box, visit.word("mail"))

    def _files(self, visit: Visit) -> Json:
        drive = self._graph.drives[visit.box.account.oid]
        return sights.files(self._graph, drive, visit.word("at"))

    async def _download(self, request: web.Request) -> web.StreamResponse:
        visit = self._visit(dict(request.query))
        drive = self._graph.drive(request.query["owner"])
        item = drive.items[request.query["file"]]
        if not drives.is_visible(visit.person, drive, item) or item.content is None:
            raise KeyError(item.id)
        return _file(item.content)

    async def _attachment(self, request: web.Request) -> web.StreamResponse:
        visit = self._visit(dict(request.query))
        mail_id, wanted = request.query["mail"], request.query["file"]
        if mail_id.startswith(sights.OUTSIDE):
            number = int(mail_id.rpartition("-")[2])
            kept = list(self._graph.outside[number].attachments)
        else:
            kept = visit.box.mails[mail_id].attachments
        found = next((one for one in kept if one["id"] == wanted), None)
        if found is None or "contentBytes" not in found:
            raise KeyError(wanted)
        return _file(base64.b64decode(found["contentBytes"]))

    # Live.

    def _note(self, change: Change) -> None:
        if change.kind in ("request", "entra"):
            return
        for page in self._pages:
            page.put_nowait({"kind": change.kind})

    async def _feed(self, request: web.Request) -> web.StreamResponse:
        """Server-sent events that say where to look again, until the page goes away."""
        headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        page: asyncio.Queue[Json | None] = asyncio.Queue()
        self._pages.add(page)
        try:
            await response.write(b": here\n\n")
            while True:
                try:
                    async with asyncio.timeout(BREATH):
                        news = await page.get()
                except TimeoutError:
                    await response.write(b": still here\n\n")
                    continue
                if news is None:
                    break
                await response.write(b"data: " + json.dumps(news).encode() + b"\n\n")
        except ConnectionError:
            pass
        finally:
            self._pages.discard(page)
        return response

    async def _close(self, _: web.Application) -> None:
        """End every stream, so that the server can stop at once."""
        for page in self._pages:
            page.put_nowait(None)


def _file(content: bytes) -> web.Response:
    """Always as a download: nothing that somebody wrote is ever shown as a page."""
    headers = {**HEADERS, "Content-Disposition": "attachment"}
    return web.Response(body=content, content_type="application/octet-stream", headers=headers)
