"""The page of the local workspace that shows Teams: its small API, for this machine's own browser
only."""

import asyncio
import base64
import json
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

from aiohttp import web

from bot.workspace.page import HEADERS, TOKEN_PLACE
from bot.workspace.teams import shapes, sights
from bot.workspace.teams.records import Conversation, Json, Member
from bot.workspace.teams_server import TeamsStandIn

INDEX = Path(__file__).parents[1] / "static" / "teams" / "index.html"
RENDERER = Path(__file__).parents[3] / ".node/node_modules/adaptivecards/dist/adaptivecards.min.js"
"""Microsoft's own, where setting up found Node; without it the page draws the cards itself."""
BREATH = 15.0
"""Seconds after which an idle stream says that it is alive."""
MENTION = "@Countersign"
Action = Callable[["Visit"], Awaitable[Json]]
Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Visit:
    """One request of the page: who asks, where, and with what."""

    def __init__(self, me: Member, place: Conversation, args: Json) -> None:
        self.me, self.place, self.args = me, place, args

    def word(self, name: str) -> str:
        return str(self.args.get(name) or "")


class TeamsPage:
    """Add its routes to the server of the workspace's page, which serves the static files too;
    every call carries the token that was made for this start."""

    def __init__(self, teams: TeamsStandIn, renderer: Path = RENDERER) -> None:
        self._teams, self._world = teams, teams.world
        self._renderer = renderer
        self._token = secrets.token_urlsafe(24)
        self._pages: set[asyncio.Queue[Json | None]] = set()
        self._actions: dict[str, Action] = {
            "conversation": self._conversation,
            "overview": self._overview,
            "press": self._press,
            "rate": self._rate,
            "say": self._say,
            "stop": self._stop,
            "take": self._take,
        }
        self._world.listeners.append(self._note)

    def add_routes(self, site: web.Application) -> None:
        site.router.add_get("/teams", self._index)
        site.router.add_get("/teams/adaptivecards.js", self._library)
        site.router.add_get("/teams/feed", self._guarded(self._feed))
        site.router.add_post("/teams/{action}", self._guarded(self._act))
        site.on_shutdown.append(self._close)

    async def _index(self, _: web.Request) -> web.StreamResponse:
        text = INDEX.read_text(encoding="utf-8").replace(TOKEN_PLACE, self._token)
        return web.Response(text=text, content_type="text/html", headers=HEADERS)

    async def _library(self, _: web.Request) -> web.StreamResponse:
        """An empty script where there is none, so that the page need not ask first."""
        there = self._renderer.is_file()
        script = await asyncio.to_thread(self._renderer.read_bytes) if there else b""
        return web.Response(body=script, content_type="text/javascript", headers=HEADERS)

    def _guarded(self, answer: Answering) -> Answering:
        async def guarded(request: web.Request) -> web.StreamResponse:
            given = request.headers.get("X-Page-Token", "")
            if not secrets.compare_digest(given.encode(), self._token.encode()):
                return web.json_response({"error": "forbidden"}, status=403)
            try:
                return await answer(request)
            except (KeyError, ValueError):
                return web.json_response({"error": "invalid_arguments"}, status=400)

        return guarded

    async def _act(self, request: web.Request) -> web.StreamResponse:
        action = self._actions[request.match_info["action"]]
        args: Json = await request.json()
        me = self._teams.member(str(args.get("person")))
        key = str(args.get("place") or f"@{me.key}")
        place = self._teams.place(key)
        if me.key not in place.members:
            raise KeyError(key)
        return web.json_response(await action(Visit(me, place, args)))

    async def _overview(self, visit: Visit) -> Json:
        return sights.overview(self._world, visit.me)

    async def _conversation(self, visit: Visit) -> Json:
        return sights.conversation(self._world, visit.me, visit.place)

    async def _say(self, visit: Visit) -> Json:
        """Outside of a chat of two the bot hears what mentions it."""
        text = visit.word("text").strip()
        if not text:
            raise ValueError("no text")
        is_mention = MENTION.lower() in text.lower() and visit.place.kind != "personal"
        at = text.lower().find(MENTION.lower())
        said = (text[:at] + text[at + len(MENTION) :]).strip() if is_mention else text
        id = await self._teams.say(
            visit.me.key,
            visit.word("place") or f"@{visit.me.key}",
            said,
            root=visit.word("root"),
            is_mention=is_mention,
            files=_files(visit.args.get("files")),
        )
        return {"id": id}

    async def _press(self, visit: Visit) -> Json:
        """A button of a card: what the one who pressed it is answered."""
        return await self._teams.press(
            visit.me.key,
            visit.word("place") or f"@{visit.me.key}",
            visit.word("activity"),
            dict(visit.args["action"]),
            dict(visit.args.get("values") or {}),
        )

    async def _rate(self, visit: Visit) -> Json:
        activity = visit.word("activity")
        shown = self._world.find(visit.place, activity) or {}
        base = shapes.envelope(
            self._world,
            self._teams.connector_url,
            "invoke",
            visit.me,
            visit.place,
            str(shown.get("thread", "")),
        )
        found = await self._teams.carrier.once(
            shapes.feedback(base, activity, visit.word("reaction"), visit.word("text"))
        )
        return {"status": found.status}

    async def _take(self, visit: Visit) -> Json:
        """The answer to a bot that has a file for the person."""
        found = await self._teams.take_file(
            visit.me.key, visit.word("activity"), yes=bool(visit.args.get("yes"))
        )
        return {"status": found.status}

    async def _stop(self, visit: Visit) -> Json:
        self._teams.press_stop(visit.me.key)
        return {}

    # Live.

    def _note(self) -> None:
        for page in self._pages:
            if page.empty():
                page.put_nowait({"kind": "changed"})

    async def _feed(self, request: web.Request) -> web.StreamResponse:
        """Server-sent events that say to look again, until the page goes away."""
        headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        response = web.StreamResponse(headers=headers)
        page: asyncio.Queue[Json | None] = asyncio.Queue()
        self._pages.add(page)
        try:
            await response.prepare(request)
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


def _files(given: object) -> dict[str, bytes]:
    """Name → bytes, of what the page writes in base64. Raises ValueError."""
    named = cast(Json, given) if isinstance(given, dict) else {}
    return {name: base64.b64decode(str(text), validate=True) for name, text in named.items()}
