"""Carries events, interactions and commands to the app, signed, with Slack's retries."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any
from urllib.parse import urlencode

import aiohttp

from bot.workspace.background import Background
from bot.workspace.slack import limits
from bot.workspace.slack.records import Delivery, Json
from bot.workspace.slack.sockets import Sockets
from bot.workspace.slack.world import World

Sleep = Callable[[float], Awaitable[Any]]
FORM = "application/x-www-form-urlencoded"


def signature(secret: str, timestamp: str, body: bytes) -> dict[str, str]:
    """The two headers with which Slack signs a request."""
    mac = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256)
    return {
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": f"v0={mac.hexdigest()}",
    }


class Carrier:
    """Owns the HTTP session and the deliveries that are under way."""

    def __init__(
        self,
        world: World,
        sockets: Sockets,
        *,
        sleep: Sleep,
        pauses: tuple[float, ...] = limits.RETRY_PAUSES,
        patience: float = limits.DELIVERY_SECONDS,
    ) -> None:
        self.events_url = ""
        self._world, self._sockets = world, sockets
        self.sleep, self._pauses, self._patience = sleep, pauses, patience
        self._background = Background(lambda: world.publish("landed"))
        self._session: aiohttp.ClientSession | None = None

    async def start(self) -> None:
        self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())

    async def stop(self) -> None:
        """Drops what is still under way. Raises what went wrong in the background."""
        await self._background.stop()
        if self._session is not None:
            await self._session.close()
        self._background.tell_failures()

    @property
    def is_idle(self) -> bool:
        return self._background.is_idle

    def launch(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run in the background; `stop` ends it and tells of its failure."""
        self._background.launch(work)

    async def event(self, envelope: Json) -> None:
        """Deliver with Slack's schedule: once, then at once, after a minute, after five."""
        reason = ""
        for attempt, pause in enumerate((0.0, *self._pauses)):
            if attempt:
                await self.sleep(pause)
            delivery = await self.deliver(envelope, retry=attempt, reason=reason)
            if 200 <= delivery.status < 300 or delivery.reason == "no_retry":
                return
            reason = delivery.reason

    async def deliver(
        self, envelope: Json, *, retry: int = 0, reason: str = "http_timeout"
    ) -> Delivery:
        """One attempt of an event."""
        if self._sockets.is_connected:
            return await self._through_socket("events_api", "event", envelope, retry, reason)
        headers = {}
        if retry:
            headers = {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": reason}
        body = json.dumps(envelope).encode()
        kind = "url_verification" if envelope.get("type") == "url_verification" else "event"
        return await self.post(kind, envelope, body, "application/json", headers, attempt=retry)

    async def interaction(self, payload: Json) -> Delivery:
        if self._sockets.is_connected:
            return await self._through_socket("interactive", "interaction", payload)
        body = urlencode({"payload": json.dumps(payload)}).encode()
        return await self.post("interaction", payload, body, FORM)

    async def command(self, form: dict[str, str]) -> Delivery:
        if self._sockets.is_connected:
            return await self._through_socket("slash_commands", "command", form)
        return await self.post("command", form, urlencode(form).encode(), FORM)

    async def post(
        self,
        kind: str,
        payload: Json,
        body: bytes,
        content_type: str,
        headers: Mapping[str, str] | None = None,
        *,
        attempt: int = 0,
    ) -> Delivery:
        """One signed request to the app's address, and what came back."""
        signed = signature(self._world.app.signing_secret, str(int(self._world.clock())), body)
        sent = {
            "Content-Type": content_type,
            "User-Agent": "Slackbot 1.0 (local workspace)",
            **signed,
            **(headers or {}),
        }
        began = time.perf_counter()
        status, text, reason = await self._exchange(body, sent)
        delivery = Delivery(
            kind=kind,
            payload=payload,
            attempt=attempt,
            status=status,
            reason=reason,
            body=text,
            seconds=time.perf_counter() - began,
        )
        return self._noted(delivery)

    async def _exchange(self, body: bytes, headers: dict[str, str]) -> tuple[int, str, str]:
        if self._session is None or not self.events_url:
            return 0, "", "connection_failed"
        try:
            async with (
                asyncio.timeout(self._patience),
                self._session.post(self.events_url, data=body, headers=headers) as response,
            ):
                text = await response.text()
        except TimeoutError:
            return 0, "", "http_timeout"
        except aiohttp.ClientError:
            return 0, "", "connection_failed"
        if 200 <= response.status < 300:
            return response.status, text, ""
        is_final = response.headers.get("X-Slack-No-Retry") == "1"
        return response.status, text, "no_retry" if is_final else "http_error"

    async def _through_socket(
        self, kind: str, noted_as: str, payload: Json, retry: int = 0, reason: str = ""
    ) -> Delivery:
        began = time.perf_counter()
        answer = await self._sockets.send(
            kind, payload, retry=retry, reason=reason if retry else "", seconds=self._patience
        )
        delivery = Delivery(
            kind=noted_as,
            payload=payload,
            attempt=retry,
            status=0 if answer is None else 200,
            reason="http_timeout" if answer is None else "",
            body=json.dumps(answer) if answer else "",
            seconds=time.perf_counter() - began,
        )
        return self._noted(delivery)

    def _noted(self, delivery: Delivery) -> Delivery:
        self._world.deliveries.append(delivery)
        self._world.publish("delivery", body={"kind": delivery.kind, "status": delivery.status})
        return delivery
