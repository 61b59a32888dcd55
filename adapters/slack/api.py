"""The one way to Slack's Web API and files; what fails comes back as `DeliveryFailed`."""

import asyncio
import logging
from io import BytesIO
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.settings import SlackSettings
from adapters.slack.token import Fixed, Token
from core.errors import DeliveryFailed
from core.records import Json

CALL_SECONDS = 30.0
EXPIRED = "token_expired"
FINAL = frozenset(
    {
        "account_inactive",
        "app_missing_action_url",
        "cannot_dm_bot",
        "cannot_reply_to_message",
        "channel_is_archived",
        "channel_not_found",
        "ekm_access_denied",
        "invalid_auth",
        "is_archived",
        "is_inactive",
        "messages_tab_disabled",
        "missing_scope",
        "no_permission",
        "not_allowed_token_type",
        "not_authed",
        "not_in_channel",
        "org_login_required",
        "restricted_action",
        "restricted_action_non_threadable_channel",
        "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
        "team_access_not_granted",
        "thread_not_found",
        EXPIRED,
        "token_revoked",
        "user_not_found",
        "user_not_in_channel",
    }
)
"""Answers after which no further try of the same call can succeed."""
NO_ANSWER = "no_answer"
"""Our word for a call whose outcome is not known: it may have happened."""
UNKNOWN_OUTCOMES = frozenset(
    {NO_ANSWER, "unreadable_answer", "internal_error", "fatal_error", "service_unavailable"}
    | {f"http_{status}" for status in (500, 502, 503, 504)}
)
"""The same, with what Slack says where it is not sure itself: its reference warns that some of the
work may have been done."""


class SlackApi:
    """Raises `DeliveryFailed` for everything that Slack or the network did not do.

    The SDK sends a failed post again by default, and a post has no key that would make that
    harmless; so writes are tried once. Reads wait out a rate limit.
    """

    def __init__(
        self, settings: SlackSettings, logger: logging.Logger, token: Token | None = None
    ) -> None:
        self._settings = settings
        self._token = token or Fixed(settings.bot_token)
        self._session: aiohttp.ClientSession | None = None
        self._writes = _client(settings, logger, [])
        self._reads = _client(
            settings, logger, [AsyncRateLimitErrorRetryHandler(max_retry_count=2)]
        )
        self.own: Json = {}
        """What auth.test said of the bot itself: `user_id`, `bot_id`, `team_id`, …"""

    async def __aenter__(self) -> Self:
        timeout = aiohttp.ClientTimeout(total=CALL_SECONDS)
        # A proxy of the environment cannot reach a stand-in on this machine.
        is_proxied = not self._settings.is_loopback
        self._session = aiohttp.ClientSession(timeout=timeout, trust_env=is_proxied)
        self._writes.session = self._reads.session = self._session
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._token.close()
        if self._session is not None:
            await self._session.close()

    async def write(self, method: str, arguments: Json) -> Json:
        """One attempt. After a lost connection the outcome is unknown: not final, and the caller
        has to look before it tries again."""
        answer = await self._call(self._writes, method, json=arguments)
        return answer[0]

    async def read(self, method: str, arguments: Json) -> Json:
        """For methods that change nothing; they take a query and no JSON."""
        answer = await self._call(self._reads, method, params=arguments)
        return answer[0]

    async def file_step(self, method: str, arguments: Json) -> Json:
        """One attempt at a step of an upload; these methods take a query as well."""
        answer = await self._call(self._writes, method, params=arguments)
        return answer[0]

    async def introduce(self) -> dict[str, str]:
        """Ask who we are and keep it as `own`; the headers of the answer (lower case) name the
        scopes and Slack's time."""
        self.own, headers = await self._call(self._reads, "auth.test", params={})
        return headers

    @property
    def has_auth_provider(self) -> bool:
        return self._settings.has_auth_provider

    def is_slack(self, address: str) -> bool:
        """Whether the bot token may be shown to this address: Slack's own hosts on https, or the
        origin of the configured API."""
        try:
            parts = urlsplit(address)
            host = (parts.hostname or "").lower()
            origin = f"{parts.scheme}://{parts.netloc}".lower()
        except ValueError:
            return False
        if origin == self._settings.origin:
            return True
        is_default_port = parts.netloc.lower() in {host, f"{host}:443"}
        return parts.scheme == "https" and is_default_port and host.endswith(".slack.com")

    async def upload(self, address: str, content: bytes) -> None:
        """Post the bytes to the address that Slack gave; no token goes with them."""
        if not self.is_slack(address):
            raise DeliveryFailed("upload_address_refused", is_final=True)
        try:
            async with self._open().post(
                address, data=BytesIO(content), headers={"Content-Type": "application/octet-stream"}
            ) as answer:
                status = answer.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise DeliveryFailed(NO_ANSWER) from error
        if status != 200:
            raise DeliveryFailed(f"upload_status_{status}")

    async def respond(self, address: str, content: Json) -> None:
        """Post to the address that came with a click or a command; no token goes with it."""
        if not self.is_slack(address):
            raise DeliveryFailed("answer_address_refused", is_final=True)
        try:
            async with self._open().post(address, json=content, allow_redirects=False) as answer:
                status, said = answer.status, await answer.text()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise DeliveryFailed(NO_ANSWER) from error
        if status != 200 or '"ok":false' in said.replace(" ", ""):
            raise DeliveryFailed(f"answer_refused_{status}")

    async def download(self, address: str, *, limit: int) -> tuple[int, str, str, bytes]:
        """(status, media type, redirect target, bytes), with the bot token in the request. No
        redirect is followed here; only an address that `is_slack` may be asked for.

        Raises `OverflowError` when the file is larger than `limit` bytes, `DeliveryFailed` where
        there is no token, `aiohttp.ClientError` and `TimeoutError` as they come.
        """
        headers = {"Authorization": f"Bearer {await self._token.current()}"}
        async with self._open().get(address, headers=headers, allow_redirects=False) as answer:
            content = bytearray()
            async for piece in answer.content.iter_any():
                content += piece
                if len(content) > limit:
                    raise OverflowError("the file is larger than the limit")
            target = answer.headers.get("Location", "")
            return answer.status, answer.content_type, target, bytes(content)

    async def _call(
        self, client: AsyncWebClient, method: str, **arguments: Json
    ) -> tuple[Json, dict[str, str]]:
        token = client.token = await self._token.current()
        try:
            return await _called(client, method, **arguments)
        except DeliveryFailed as failure:
            if failure.reason != EXPIRED:
                raise
            fresh = await self._token.after(token)
            if fresh == token:
                raise
        # Slack did nothing: it did not take the token.
        client.token = fresh
        return await _called(client, method, **arguments)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("the Slack API was used before it was entered")
        return self._session


def _client(
    settings: SlackSettings, logger: logging.Logger, retries: list[AsyncRetryHandler]
) -> AsyncWebClient:
    client = AsyncWebClient(
        token=settings.bot_token, base_url=settings.api_url, logger=logger, retry_handlers=retries
    )
    # The SDK reads the proxy variables without NO_PROXY; the session does it in full.
    client.proxy = None
    return client


async def _called(
    client: AsyncWebClient, method: str, **arguments: Json
) -> tuple[Json, dict[str, str]]:
    try:
        async with asyncio.timeout(CALL_SECONDS * 4):
            answer = await cast(Any, client).api_call(method, **arguments)
    except SlackApiError as error:
        raise refusal(error) from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise DeliveryFailed(NO_ANSWER) from error
    headers = cast(dict[str, str], answer.headers)
    return cast(Json, answer.data), {name.lower(): value for name, value in headers.items()}


def refusal(error: SlackApiError) -> DeliveryFailed:
    """Slack's own word for what went wrong; `ok: false` comes with HTTP 200."""
    response: Any = error.response
    status: int = getattr(response, "status_code", 0)
    if status == 429:
        return DeliveryFailed("ratelimited", retry_after=_pause(response.headers))
    content: Any = getattr(response, "data", None)
    word = cast(Json, content).get("error") if isinstance(content, dict) else None
    if not isinstance(word, str):
        return DeliveryFailed(f"http_{status}" if status else "unreadable_answer")
    return DeliveryFailed(word, is_final=word in FINAL)


def _pause(headers: Any) -> float:
    for name, value in headers.items():
        if str(name).lower() == "retry-after" and str(value).isdecimal():
            return float(value)
    return 1.0
