"""Serves the two pages of the account link: out to Microsoft, and back."""

from collections.abc import Mapping
from html import escape
from typing import Literal, Protocol
from urllib.parse import quote

from aiohttp import web

from core.identity.steps import SECONDS, Confirm, Leave, Linked, Refusal

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title} · Countersign</title>
<style>
  body {{ font: 16px/1.5 system-ui, sans-serif; color: #1d1c1d; background: #fff; margin: 0; }}
  main {{ max-width: 32rem; margin: 15vh auto; padding: 0 1.5rem; }}
  h1 {{ font-size: 1.4rem; }}
  a {{ display: inline-block; padding: .6rem 1.2rem; border-radius: .4rem; color: #fff;
       background: #1f5fbf; text-decoration: none; }}
  @media (prefers-color-scheme: dark) {{ body {{ color: #e8e8e8; background: #1a1d21; }} }}
</style>
<main><h1>{title}</h1><p>{text}</p>{more}</main>
</html>
"""
_DONE = "You are signed in as {who}. Close this window and go back to the chat."


class SignIns(Protocol):
    """What the pages ask of the account link."""

    async def start(
        self, key: str, cookies: Mapping[str, str], *, goes_on: bool = False
    ) -> Leave | Confirm | Refusal: ...

    async def finish(
        self, query: Mapping[str, str], cookies: Mapping[str, str]
    ) -> Linked | Refusal: ...


class Told(Protocol):
    """Who wants to know that an account was connected: cards wait for it."""

    async def __call__(self, linked: Linked) -> None: ...


def routes(accounts: SignIns, told: Told) -> list[web.RouteDef]:
    async def start(request: web.Request) -> web.Response:
        query = _single(request)
        goes_on = query.get("go") == "1"
        found = await accounts.start(query.get("key", ""), request.cookies, goes_on=goes_on)
        match found:
            case Leave():
                return _leave(found)
            case Confirm():
                return _confirm(found)
            case Refusal():
                return _refusal(found)

    async def callback(request: web.Request) -> web.Response:
        found = await accounts.finish(_single(request), request.cookies)
        if isinstance(found, Refusal):
            return _refusal(found)
        await told(found)
        who = found.account.address or found.account.name or "yourself"
        return _page("Connected", _DONE.format(who=who))

    # A HEAD would use the link up without anybody having seen a page.
    return [
        web.get("/connect/start", start, allow_head=False),
        web.get("/connect/callback", callback, allow_head=False),
    ]


def _single(request: web.Request) -> dict[str, str]:
    """The query's parameters, without any that is given twice: which of them counts is a question
    that must not arise."""
    query = request.query
    return {name: query[name] for name in query if len(query.getall(name)) == 1}


def _leave(leave: Leave) -> web.Response:
    response = web.Response(status=302, headers={**_HEADERS, "Location": leave.url})
    # The way back is a navigation that begins at Microsoft.
    _remember(response, leave.cookie, leave.value, "Lax")
    return response


def _confirm(confirm: Confirm) -> web.Response:
    address = escape(f"?key={quote(confirm.key, safe='')}&go=1")
    response = _page("Is this you?", confirm.sentence, more=f'<a href="{address}">Go on</a>')
    _remember(response, confirm.cookie, "asked", "Strict")
    return response


def _remember(
    response: web.Response, cookie: str, value: str, same_site: Literal["Lax", "Strict"]
) -> None:
    response.set_cookie(
        cookie,
        value,
        max_age=int(SECONDS),
        path="/",
        secure=cookie.startswith("__Host-"),
        httponly=True,
        samesite=same_site,
    )


def _refusal(refusal: Refusal) -> web.Response:
    title = "Try again later" if refusal.is_temporary else "Not connected"
    return _page(title, refusal.sentence, status=503 if refusal.is_temporary else 400)


def _page(title: str, text: str, *, more: str = "", status: int = 200) -> web.Response:
    body = _PAGE.format(title=escape(title), text=escape(text), more=more)
    return web.Response(status=status, text=body, content_type="text/html", headers=_HEADERS)
