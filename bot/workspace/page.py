"""The local workspace's web page: its files, and the small API behind it, for this machine's own
browser only."""

import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.workspace import inside, sights
from bot.workspace.feed import Feed
from bot.workspace.slack import messages, modals, thread_methods
from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.records import Channel, Json
from bot.workspace.slack_server import SlackStandIn

STATIC = Path(__file__).parent / "static"
TOKEN_PLACE = "{{page-token}}"  # noqa: S105 (where the page's token goes, not a token)
KINDS = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
Action = Callable[["Visit"], Awaitable[Json]]


class Visit:
    """One request of the page: who asks, and with what."""

    def __init__(self, person: str, args: Json) -> None:
        self.person, self.args = person, args

    def word(self, name: str) -> str:
        return str(self.args.get(name) or "")


class Page:
    """Serves the page; every call of its API carries the token that was made for this start."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack, self._world = slack, slack.world
        self._token = secrets.token_urlsafe(24)
        self._marks = sights.Marks()
        self._feed = Feed(slack.world)
        self.inside: inside.Reader | None = None
        """Reads what happened inside a turn; None where nobody can."""
        self._actions: dict[str, Action] = {
            "act": self._act,
            "click": self._click,
            "close": self._close,
            "command": self._command,
            "conversation": self._conversation,
            "delete": self._delete,
            "edit": self._edit,
            "home": self._home,
            "inside": self._inside,
            "modal": self._modal,
            "open": self._open,
            "overview": self._overview,
            "react": self._react,
            "read": self._read,
            "say": self._say,
            "stop": self._stop,
            "submit": self._submit,
            "thread": self._thread,
        }

    def add_routes(self, site: web.Application) -> None:
        site.router.add_get("/", self._index)
        site.router.add_get("/static/{path:.+}", self._static)
        site.router.add_post("/page/upload", self._guarded(self._upload))
        site.router.add_get("/page/file", self._guarded(self._download))
        site.router.add_get("/page/feed", self._guarded(self._live))
        site.router.add_post("/page/{action}", self._guarded(self._api))
        site.on_shutdown.append(self._feed.close)

    async def _index(self, _: web.Request) -> web.StreamResponse:
        text = (STATIC / "index.html").read_text(encoding="utf-8")
        text = text.replace(TOKEN_PLACE, self._token)
        return web.Response(text=text, content_type="text/html", headers=HEADERS)

    async def _static(self, request: web.Request) -> web.StreamResponse:
        path = (STATIC / request.match_info["path"]).resolve()
        if not path.is_relative_to(STATIC) or path.suffix not in KINDS or not path.is_file():
            return web.Response(status=404)
        kind = KINDS[path.suffix]
        return web.Response(body=path.read_bytes(), content_type=kind, headers=HEADERS)

    def _guarded(
        self, answer: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def guarded(request: web.Request) -> web.StreamResponse:
            given = request.headers.get("X-Page-Token", "")
            if not secrets.compare_digest(given.encode(), self._token.encode()):
                return web.json_response({"error": "forbidden"}, status=403)
            try:
                return await answer(request)
            except Refusal as refusal:
                return web.json_response({"error": refusal.code}, status=400)
            except (KeyError, ValueError):
                return web.json_response({"error": "invalid_arguments"}, status=400)

        return guarded

    def _person(self, given: Any) -> str:
        """Raises KeyError for nobody, and for the app: nobody can be it."""
        member = self._slack.member(str(given))
        if member.is_bot:
            raise KeyError(given)
        return member.id

    def _place(self, visit: Visit) -> Channel:
        place = self._slack.channel(visit.word("channel"))
        if visit.person not in place.members:
            raise Refusal("not_in_channel")
        return place

    async def _api(self, request: web.Request) -> web.StreamResponse:
        action = self._actions.get(request.match_info["action"])
        if action is None:
            return web.json_response({"error": "unknown"}, status=404)
        args = await request.json()
        answer = await action(Visit(self._person(args.get("person")), args))
        return web.json_response(answer)

    async def _live(self, request: web.Request) -> web.StreamResponse:
        return await self._feed.stream(request, self._person(request.query.get("person")))

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        person = self._person(request.query.get("person"))
        file = self._slack.add_file(person, request.query["name"], await request.read())
        return web.json_response({"file": file.id, "name": file.name, "size": len(file.content)})

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Always as a download: nothing that was uploaded is ever shown as a page."""
        person = self._person(request.query.get("person"))
        file = self._world.files[request.query["file"]]
        places = [self._world.channels[channel] for channel in file.channels]
        if file.owner != person and not any(person in place.members for place in places):
            raise Refusal("file_not_found")
        headers = {**HEADERS, "Content-Disposition": "attachment"}
        return web.Response(
            body=file.content, content_type="application/octet-stream", headers=headers
        )

    async def _overview(self, visit: Visit) -> Json:
        return sights.overview(self._world, self._marks, visit.person)

    async def _conversation(self, visit: Visit) -> Json:
        return sights.conversation(self._world, visit.person, self._place(visit))

    async def _thread(self, visit: Visit) -> Json:
        return sights.thread(self._world, visit.person, self._place(visit), visit.word("ts"))

    async def _inside(self, visit: Visit) -> Json:
        """What happened inside the turn that a message answers."""
        message = self._world.message(self._place(visit), visit.word("ts"))
        return await inside.of_message(message, self.inside)

    async def _read(self, visit: Visit) -> Json:
        self._marks.read(visit.person, self._place(visit))
        return {}

    async def _open(self, visit: Visit) -> Json:
        """The direct message channel with somebody."""
        other = self._slack.member(visit.word("other"))
        return {"channel": self._world.direct(visit.person, other.id).id}

    async def _say(self, visit: Visit) -> Json:
        place = self._place(visit)
        files = [self._world.files[str(file)] for file in visit.args.get("files") or ()]
        text = visit.word("text").strip()
        if not text and not files:
            raise Refusal("no_text")
        thread_ts = visit.word("thread_ts")
        ts = await self._slack.say(visit.person, place.id, text, thread_ts, files)
        self._marks.read(visit.person, place)
        return {"ts": ts}

    async def _edit(self, visit: Visit) -> Json:
        place = self._own(visit)
        await self._slack.edit(place.id, visit.word("ts"), visit.word("text"))
        return {}

    async def _delete(self, visit: Visit) -> Json:
        await self._slack.delete(self._own(visit).id, visit.word("ts"))
        return {}

    def _own(self, visit: Visit) -> Channel:
        place = self._place(visit)
        if self._world.message(place, visit.word("ts"))["user"] != visit.person:
            raise Refusal("cant_update_message")
        return place

    async def _react(self, visit: Visit) -> Json:
        place = self._place(visit)
        message = self._world.message(place, visit.word("ts"))
        name = visit.word("name")
        mine = [r for r in message.get("reactions", []) if visit.person in r["users"]]
        change = (
            thread_methods.unreact if any(r["name"] == name for r in mine) else thread_methods.react
        )
        change(self._world, place, message, visit.person, name)
        return {}

    async def _command(self, visit: Visit) -> Json:
        name, place = visit.word("name"), self._place(visit)
        if name not in self._world.app.commands:
            raise Refusal("unknown_command")
        delivery = await self._slack.command(visit.person, place.id, name, visit.word("text"))
        return {"status": delivery.status}

    async def _click(self, visit: Visit) -> Json:
        ts, action_id = visit.word("ts"), visit.word("action_id")
        delivery = await self._slack.click(
            visit.person, ts, action_id, visit.args.get("value"), visit.word("block_id")
        )
        return {"status": delivery.status}

    async def _home(self, visit: Visit) -> Json:
        """Looking at the App Home; the app is told, and may publish a new view."""
        if visit.args.get("is_opened"):
            self._slack.open_home(visit.person)
        view = self._world.views.get(self._world.homes.get(visit.person, ""))
        return {"view": view}

    async def _modal(self, visit: Visit) -> Json:
        """The topmost open modal."""
        stack = self._world.modals.get(visit.person, [])
        return {"view": self._world.views[stack[-1]] if stack else None, "depth": len(stack)}

    def _view(self, visit: Visit) -> Json:
        return modals.view_of(self._world, visit.person, visit.word("view"))

    async def _submit(self, visit: Visit) -> Json:
        values: modals.Values = visit.args.get("values") or {}
        return await self._slack.submit(visit.person, visit.word("view"), values)

    async def _close(self, visit: Visit) -> Json:
        is_cleared = bool(visit.args.get("is_cleared"))
        view = self._view(visit)
        await modals.close(self._world, self._slack.carrier, view, is_cleared=is_cleared)
        return {}

    async def _act(self, visit: Visit) -> Json:
        view = self._view(visit)
        values = visit.args.get("values")
        if values:
            modals.fill_in(view, values)
        delivery = await modals.act(
            self._world,
            self._slack.carrier,
            view,
            visit.word("action_id"),
            visit.word("block_id"),
            visit.args.get("value"),
        )
        return {"status": delivery.status}

    async def _stop(self, visit: Visit) -> Json:
        """The Stop button of a working thread."""
        place, root = self._place(visit), visit.word("ts")
        messages.thread_root(place, root)
        self._slack.stop_session(visit.person, place.id, root)
        return {}
