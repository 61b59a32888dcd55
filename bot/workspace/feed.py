"""Live updates: tells every open page that something it can see has changed."""

import asyncio
import json
from collections.abc import Iterable

from aiohttp import web

from bot.workspace.slack.records import Change, Json
from bot.workspace.slack.world import World

BREATH = 15.0
"""Seconds after which an idle stream says that it is alive."""
SEEN = frozenset(
    {
        "changed",
        "channel",
        "deleted",
        "ephemeral",
        "file_deleted",
        "home",
        "message",
        "modal",
        "prompts",
        "reaction",
        "session",
        "status",
        "streamed",
    }
)


class Feed:
    """One queue per open page."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._pages: dict[asyncio.Queue[Json | None], str] = {}
        world.listeners.append(self._note)

    def _note(self, change: Change) -> None:
        if change.kind not in SEEN:
            return
        thread = str(change.body.get("thread_ts") or change.body.get("ts") or "")
        news = {"kind": change.kind, "channel": change.channel, "thread_ts": thread}
        for page, person in self._pages.items():
            if person in self._audience(change):
                page.put_nowait(news)

    def _audience(self, change: Change) -> Iterable[str]:
        if change.person:
            return (change.person,)
        channel = self._world.channels.get(change.channel)
        return channel.members if channel is not None else self._world.members

    async def stream(self, request: web.Request, person: str) -> web.StreamResponse:
        """Server-sent events for one page, until it goes away or the stand-in stops."""
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        )
        page: asyncio.Queue[Json | None] = asyncio.Queue()
        # Before the page knows that it is connected: it asks anew then, and misses nothing after.
        self._pages[page] = person
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
            del self._pages[page]
        return response

    async def close(self, _: web.Application) -> None:
        """End every stream, so that the server can stop at once."""
        for page in self._pages:
            page.put_nowait(None)
