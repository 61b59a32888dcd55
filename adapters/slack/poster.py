"""Posts to a channel of the bot's own choice: the Poster port over the Web API."""

import asyncio
import logging
from contextlib import AsyncExitStack

from adapters.slack import fields, marker
from adapters.slack.api import NO_ANSWER, SlackApi
from adapters.slack.pacing import Pacing
from adapters.slack.render import blocks
from core.errors import DeliveryFailed
from core.records import Answer, Channel, Json, PersonId, Posted

log = logging.getLogger(__name__)
PAGE = 200
PAGES = 25
"""Of channels, and of members of one."""
PACE_SECONDS = 3.0
"""How long a post waits for those before it; then it has certainly not been made."""
LINK_SECONDS = 2.0
TOO_LONG = "msg_too_long"
_IN_DOUBT = frozenset({NO_ANSWER, "fatal_error", "internal_error", "request_timeout"})
"""After these some of it may have happened, Slack's reference says; other words are refusals."""
_PART = "1"


class SlackPoster:
    """One installation; shares the pace of everything that is posted."""

    def __init__(self, api: SlackApi, pacing: Pacing) -> None:
        self._api = api
        self._pacing = pacing

    async def channel(self, name: str, person: PersonId) -> Channel | None:
        """See `core.ports.Poster.channel`."""
        query: Json = {"types": "public_channel,private_channel", "exclude_archived": True}
        for page in range(PAGES):
            answer = await self._page("users.conversations", query, page)
            for one in fields.children(answer, "channels"):
                if name in (fields.text(one, "name"), fields.text(one, "id")):
                    found = _channel(one)
                    is_open = not found.is_private or await self._is_in(found.id, person)
                    return found if is_open else None
            if not query["cursor"]:
                break
        return None

    async def post(self, channel: str, markdown: str, marker: str) -> Posted:
        """See `core.ports.Poster.post`."""
        arguments = _message(channel, markdown, marker)
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout(PACE_SECONDS):
                    await held.enter_async_context(self._pacing.turn(channel, is_urgent=True))
            except TimeoutError:
                raise DeliveryFailed("ratelimited", retry_after=PACE_SECONDS) from None
            try:
                ts = fields.text(await self._api.write("chat.postMessage", arguments), "ts")
            except DeliveryFailed as failure:
                if failure.retry_after:
                    await self._pacing.hold(channel, failure.retry_after)
                raise _judged(failure) from failure
        return Posted(ts=ts, link=await self._link(channel, ts))

    async def find(self, channel: str, marker: str) -> Posted | None:
        """See `core.ports.Poster.find`."""
        ts = await self._found(channel, marker)
        return Posted(ts=ts, link=await self._link(channel, ts)) if ts else None

    async def _found(self, channel: str, post: str) -> str:
        spot = {"channel": channel, "thread_ts": "", "after": ""}
        return (await marker.posted(self._api, spot, post)).parts.get(_PART, "")

    async def _is_in(self, channel: str, person: PersonId) -> bool:
        user, query = person.rpartition("/")[2], {"channel": channel}
        for page in range(PAGES):
            answer = await self._page("conversations.members", query, page)
            if user in answer.get("members", []):
                return True
            if not query["cursor"]:
                break
        return False

    async def _page(self, method: str, query: Json, page: int) -> Json:
        """One page of a list; `query` goes on to the next."""
        answer = await self._api.read(method, {**query, "limit": PAGE})
        query["cursor"] = fields.text(fields.child(answer, "response_metadata"), "next_cursor")
        return answer

    async def _link(self, channel: str, ts: str) -> str:
        """Where the post can be looked at. It stands there also when Slack does not say."""
        try:
            async with asyncio.timeout(LINK_SECONDS):
                query: Json = {"channel": channel, "message_ts": ts}
                answer = await self._api.read("chat.getPermalink", query)
        except (TimeoutError, DeliveryFailed) as failure:
            log.info("slack.no_link", extra={"fields": {"reason": type(failure).__name__}})
            return ""
        link = fields.text(answer, "permalink")
        return link if self._api.is_slack(link) else ""


def _message(channel: str, markdown: str, post: str) -> Json:
    """One message or none: a post in several could stand there in half. Raises DeliveryFailed."""
    rendered = blocks.render(Answer(text=markdown))
    if len(rendered.messages) != 1 or rendered.whole_as_file:
        raise DeliveryFailed(TOO_LONG, is_final=True)
    [message] = rendered.messages
    return {
        "channel": channel,
        "text": message.text,
        "blocks": list(message.blocks),
        "unfurl_links": False,
        "unfurl_media": False,
        "metadata": marker.metadata(post, _PART),
    }


def _judged(failure: DeliveryFailed) -> DeliveryFailed:
    """Final where Slack certainly posted nothing."""
    reason = failure.reason
    is_in_doubt = reason in _IN_DOUBT or reason.startswith("http_") or reason == "unreadable_answer"
    return DeliveryFailed(
        reason, retry_after=failure.retry_after, is_final=failure.is_final or not is_in_doubt
    )


def _channel(found: Json) -> Channel:
    return Channel(
        id=fields.text(found, "id"),
        name=fields.text(found, "name"),
        is_private=found.get("is_private") is True,
        is_shared=found.get("is_ext_shared") is True,
    )
