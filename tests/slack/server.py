"""A Slack API reduced to scripted answers, for what the stand-in does right and Slack may not."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from adapters.slack.settings import SlackSettings


@dataclass
class Scripted:
    """`answers` by method; `pages` by path: what a download gets."""

    base: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    pages: dict[str, Callable[[], web.Response]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    """(path, Authorization header)."""

    @property
    def settings(self) -> SlackSettings:
        return SlackSettings(
            bot_token="xoxb-scripted", signing_secret="s" * 32, api_url=f"{self.base}/api/"
        )

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.path, request.headers.get("Authorization", "")))
        if request.path in self.pages:
            return self.pages[request.path]()
        content = self.answers.get(request.path.removeprefix("/api/"))
        if content is None:
            return web.json_response({"ok": False, "error": "unknown_method"})
        return web.json_response({"ok": True, **content}, headers=self.headers)


@asynccontextmanager
async def scripted() -> AsyncIterator[Scripted]:
    server = Scripted()
    site = web.Application()
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]] = server.answer
    site.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(site, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()
