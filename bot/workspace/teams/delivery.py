"""Carries activities to the bot, signed, and again where it does not answer."""

import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, cast

import aiohttp

from bot.workspace.background import Background
from bot.workspace.teams import limits
from bot.workspace.teams.records import Delivery, Json
from bot.workspace.teams.signing import Signing
from bot.workspace.teams.world import World

Sleep = Callable[[float], Awaitable[Any]]


class Carrier:
    """Owns the session and the deliveries that are under way."""

    def __init__(self, world: World, signing: Signing, *, sleep: Sleep) -> None:
        self.url = ""
        self._world, self._signing, self._sleep = world, signing, sleep
        self._background = Background(world.publish)
        self._session: aiohttp.ClientSession | None = None

    async def start(self) -> None:
        self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())

    async def stop(self) -> None:
        """Drops what is still under way. Raises what went wrong in the background."""
        await self._background.stop()
        if self._session is not None:
            await self._session.close()
        self._background.tell_failures()

    def launch(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run in the background; `stop` ends it and tells of its failure."""
        self._background.launch(work)

    async def bring(self, activity: Json) -> Delivery:
        """Until it is taken, or refused for good."""
        found = await self.once(activity)
        for attempt, pause in enumerate(limits.RETRY_PAUSES, start=1):
            if 200 <= found.status < 300 or found.status in limits.FINAL_STATUSES:
                break
            await self._sleep(pause)
            found = await self.once(activity, attempt=attempt)
        return found

    async def once(self, activity: Json, *, attempt: int = 0, token: str | None = None) -> Delivery:
        """One attempt; `token` in place of a good one."""
        signed = self._signing.token(activity["serviceUrl"]) if token is None else token
        status, body = await self.post(
            json.dumps(activity).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {signed}"},
        )
        found = Delivery(activity=activity, attempt=attempt, status=status, body=_object(body))
        self._world.deliveries.append(found)
        self._world.publish()
        return found

    async def post(self, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
        """Exactly these bytes and headers; status 0 where no answer came in time."""
        if self._session is None:
            raise RuntimeError("the stand-in was used before it was started")
        timeout = aiohttp.ClientTimeout(total=limits.DELIVERY_SECONDS)
        try:
            async with self._session.post(
                self.url, data=body, headers=headers, timeout=timeout
            ) as answer:
                return answer.status, await answer.text()
        except (aiohttp.ClientError, TimeoutError, OSError):
            return 0, ""


def _object(text: str) -> Json | None:
    try:
        found: Any = json.loads(text)
    except ValueError:
        return None
    return cast(Json, found) if isinstance(found, dict) else None
