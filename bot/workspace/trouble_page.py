"""The page on which faults of the local workspace are switched, for this machine's own browser."""

import secrets
from pathlib import Path

from aiohttp import web

from bot.workspace.microsoft.records import Json
from bot.workspace.page import HEADERS, TOKEN_PLACE
from bot.workspace.trouble import Switch, Troubles, catalogue

INDEX = Path(__file__).parent / "static" / "trouble" / "index.html"


class TroublePage:
    """Add its routes to the server of the workspace's page, which serves the static files too;
    every call carries the token that was made for this start.

    `POST /trouble/now`, `/trouble/on`, `/trouble/set` and `/trouble/calm` all answer with what
    fails now.
    """

    def __init__(self, troubles: Troubles) -> None:
        self._troubles = troubles
        self._token = secrets.token_urlsafe(24)

    def add_routes(self, site: web.Application) -> None:
        site.router.add_get("/trouble", self._index)
        site.router.add_post("/trouble/{action}", self._act)

    async def _index(self, _: web.Request) -> web.StreamResponse:
        text = INDEX.read_text(encoding="utf-8").replace(TOKEN_PLACE, self._token)
        return web.Response(text=text, content_type="text/html", headers=HEADERS)

    async def _act(self, request: web.Request) -> web.StreamResponse:
        given = request.headers.get("X-Page-Token", "")
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            return web.json_response({"error": "forbidden"}, status=403)
        try:
            args: Json = await request.json() if request.can_read_body else {}
            self._change(request.match_info["action"], args)
        except (KeyError, TypeError, ValueError, AttributeError):
            return web.json_response({"error": "invalid_arguments"}, status=400)
        return web.json_response({"catalogue": catalogue(), **self._troubles.standing()})

    def _change(self, action: str, args: Json) -> None:
        """Raises KeyError, TypeError or ValueError for what means nothing."""
        match action:
            case "now":
                return
            case "on":
                self._troubles.on(
                    Switch(
                        name=str(args["name"]),
                        on=str(args.get("on") or "*"),
                        seconds=float(args.get("seconds", 30.0)),
                        word=str(args.get("word") or ""),
                        times=int(args.get("times", 0)),
                    )
                )
            case "set":
                if "is_paced" in args:
                    self._troubles.pace(bool(args["is_paced"]))
                if "skew" in args:
                    self._troubles.move_clock(float(args["skew"]))
            case "calm":
                self._troubles.calm()
            case _:
                raise KeyError(action)
