"""Somebody between the bot and the Microsoft stand-in who may change what is answered."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Self

import aiohttp
from aiohttp import web

Json = dict[str, Any]
Change = Callable[[Json], Json]


class Between:
    """Hands requests on; `changes` are laid over JSON answers whose path contains the key."""

    def __init__(self, base: str) -> None:
        self._base = base
        self.changes: dict[str, Change] = {}
        self.texts: dict[str, str] = {}
        """By part of the path, a whole answer in place of the real one."""
        self.seconds = 0.0
        """For which every answer is held back."""
        self.before: dict[str, Callable[[], Awaitable[object]]] = {}
        """By part of the path, what happens once while the request is on its way."""
        self.gather = 0
        """A token request is answered only once so many are there."""
        self._there = 0
        self._all_there = asyncio.Event()
        self.seen: list[str] = []
        self.forms: list[Json] = []
        self.url = ""

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(auto_decompress=True)
        site = web.Application()
        site.router.add_route("*", "/{path:.*}", self._hand_on)
        self._runner = web.AppRunner(site, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()
        await self._session.close()

    async def _hand_on(self, request: web.Request) -> web.Response:
        self.seen.append(request.path)
        form = dict(await request.post()) if request.method == "POST" else None
        if form is not None:
            self.forms.append(form)
        await self._meanwhile(request.path)
        for part, text in self.texts.items():
            if part in request.path:
                return web.Response(text=text, content_type="application/json")
        async with self._session.request(
            request.method, f"{self._base}{request.path_qs}", data=form, allow_redirects=False
        ) as answer:
            text, status = await answer.text(), answer.status
        for part, change in self.changes.items():
            if part in request.path:
                text = json.dumps(change(json.loads(text)))
        text = text.replace(self._base, self.url)
        return web.Response(text=text, status=status, content_type="application/json")

    async def _meanwhile(self, path: str) -> None:
        await asyncio.sleep(self.seconds)
        for part in [part for part in self.before if part in path]:
            await self.before.pop(part)()
        if self.gather and "/token" in path:
            self._there += 1
            if self._there == self.gather:
                self._all_there.set()
            await self._all_there.wait()
