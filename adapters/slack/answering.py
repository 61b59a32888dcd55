"""Brings an answer into its place: as posts, as the end of a stream, or over what was streamed."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from adapters.slack import fields, marker
from adapters.slack.api import SlackApi
from adapters.slack.copies import REFUSED_BLOCKS
from adapters.slack.marker import NOTHING, There
from adapters.slack.paced import Paced
from adapters.slack.render import blocks
from adapters.slack.stream import Stream, Unfinished
from core.errors import DeliveryFailed
from core.records import Answer, Json, Post

log = logging.getLogger(__name__)
LONG = 20_000
"""Characters from which on an answer takes noticeable time to be cut into messages."""
_NOT_THERE = frozenset({"message_not_found", "cant_delete_message", "cant_update_message"})
Spot = Mapping[str, str]


class Answering:
    """Every message of an answer carries its post's id and its own name in it."""

    def __init__(self, api: SlackApi, paced: Paced) -> None:
        self._api = api
        self._paced = paced

    async def bring(self, post: Post, spot: Spot, stream: Stream | None) -> tuple[str, str]:
        """The timestamp of its first message, and the whole answer where it has to follow as a
        file. `stream` showed it while it was written. Raises `DeliveryFailed`."""
        if stream is not None and stream.has_begun:
            with suppress(Unfinished):
                return await self._finished(post, spot, stream)
        rendered = await rendered_of(post)
        must_look = post.attempt or post.may_have_begun or (stream and stream.has_begun)
        there = await marker.posted(self._api, spot, post.id) if must_look else NOTHING
        if marker.END in there.parts:
            return there.parts[min(there.parts)], rendered.whole_as_file
        stamps = await self._placed(post, spot, rendered.messages, there)
        return (stamps[0] if stamps else ""), rendered.whole_as_file

    async def _finished(self, post: Post, spot: Spot, stream: Stream) -> tuple[str, str]:
        """The stream's own end, and posts for what it does not hold."""
        answer = post.answer
        closing = blocks.closing(answer, _turn(post))
        left = await stream.finish(answer.text, closing, goes_on=bool(answer.figures))
        whole = answer.text if left.needs_file else ""
        if not left.rest:
            return stream.first, whole
        rest = replace(post, answer=replace(answer, text=left.rest.strip("\n")))
        rendered = await rendered_of(rest, most=blocks.left_of(stream.pages))
        for number, message in enumerate(rendered.messages, start=1):
            is_last = number == len(rendered.messages)
            part = marker.END if is_last else f"{marker.LIVE}{stream.pages + number}"
            await self._message(spot, message, post.id, part, NOTHING)
        return stream.first, answer.text if rendered.whole_as_file else whole

    async def _placed(
        self, post: Post, spot: Spot, messages: Sequence[blocks.Message], there: There
    ) -> list[str]:
        """Each message over one that was streamed as long as there are any, else as a new one;
        streamed ones that are left over go."""
        old = list(there.pieces)
        stamps: list[str] = []
        for number, message in enumerate(messages, start=1):
            part = str(number)
            is_known = any(name == part or name.startswith(f"{part}/") for name in there.parts)
            over = old.pop(0) if old and not is_known else ""
            stamps.append(await self._message(spot, message, post.id, part, there, over))
        for ts in old:
            await self._away(spot, ts)
        return stamps

    async def _message(
        self,
        spot: Spot,
        message: blocks.Message,
        post: str,
        part: str,
        there: There,
        over: str = "",
    ) -> str:
        """One message of an answer, as plain text where Slack refuses its blocks; `over` is one
        that it takes the place of."""
        known = there.parts
        if part in known:
            return known[part]
        if not any(name.startswith(f"{part}/") for name in known):
            shown: Json = {"text": message.text, "blocks": list(message.blocks)}
            try:
                return await self._put(spot, shown, post, part, over)
            except DeliveryFailed as error:
                if error.reason not in REFUSED_BLOCKS:
                    raise
                log.warning("slack.plain_text", extra={"fields": {"reason": error.reason}})
        stamps: list[str] = []
        for piece, text in enumerate(blocks.plain_pieces(message), start=1):
            name = f"{part}/{piece}"
            place = over if piece == 1 else ""
            plain: Json = {"text": text, "blocks": []} if place else {"text": text}
            stamps.append(known.get(name) or await self._put(spot, plain, post, name, place))
        return stamps[0] if stamps else ""

    async def _put(self, spot: Spot, shown: Json, post: str, part: str, over: str) -> str:
        if not over:
            arguments = {**posting(spot, post, part), **shown}
            return fields.text(await self._paced.write("chat.postMessage", arguments), "ts")
        mark = {"metadata": marker.metadata(post, part)}
        there: Json = {"channel": spot["channel"], "ts": over}
        try:
            answer = await self._paced.write("chat.update", {**there, **mark, **shown})
        except DeliveryFailed as error:
            if error.reason in _NOT_THERE:
                return await self._put(spot, shown, post, part, "")
            if error.reason != "streaming_state_conflict":
                raise
            with suppress(DeliveryFailed):
                await self._paced.write("chat.stopStream", there)
            answer = await self._paced.write("chat.update", {**there, **mark, **shown})
        return fields.text(answer, "ts")

    async def _away(self, spot: Spot, ts: str) -> None:
        there: Json = {"channel": spot["channel"], "ts": ts}
        with suppress(DeliveryFailed):
            await self._paced.write("chat.stopStream", there)
        try:
            await self._paced.write("chat.delete", there)
        except DeliveryFailed as error:
            if error.reason not in _NOT_THERE:
                raise


async def rendered_of(post: Post, most: int | None = None) -> blocks.Rendered:
    """Off the loop where it would hold others up; short answers keep their order this way."""
    if len(post.answer.text) > LONG:
        return await asyncio.to_thread(blocks.render, post.answer, _turn(post), most)
    return blocks.render(post.answer, _turn(post), most)


def posting(spot: Spot, post: str, part: str) -> Json:
    """Nothing that we post is fetched by Slack: no previews, in continuations neither."""
    arguments: Json = {
        "channel": spot["channel"],
        "unfurl_links": False,
        "unfurl_media": False,
        "metadata": marker.metadata(post, part),
    }
    return {**arguments, "thread_ts": spot["thread_ts"]} if spot["thread_ts"] else arguments


def _turn(post: Post) -> str:
    """The turn whose answer people may rate here."""
    return post.turn if post.kind == "answer" and _is_from_a_model(post.answer) else ""


def _is_from_a_model(answer: Answer) -> bool:
    return answer.cost is not None
