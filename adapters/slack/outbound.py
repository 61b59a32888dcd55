"""Shows what the core has to say in Slack: the Surface port over the Web API."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace

from adapters.slack import copies, direct, fields, files, marker, private, upload
from adapters.slack.api import SlackApi
from adapters.slack.clicks import Spot
from adapters.slack.copies import REFUSED_BLOCKS
from adapters.slack.paced import Paced
from adapters.slack.pacing import Pacing
from adapters.slack.profiles import Profiles
from adapters.slack.render import blocks, escape, limits
from core.errors import DeliveryFailed
from core.parked import Verdict
from core.records import Address, Answer, FileRef, Json, Person, Post

log = logging.getLogger(__name__)
LONG = 20_000
"""Characters from which on an answer takes noticeable time to be cut into messages."""
WORKING = "is working on it…"
_NOT_HERE = frozenset(
    {
        "channel_not_found",
        "is_archived",
        "not_in_channel",
        "restricted_action",
        "user_not_in_channel",
        "messages_tab_disabled",
    }
)
"""A person cannot be told privately in this place; a direct message is left."""


class SlackSurface:
    """One installation. Every post is paced per channel and can be asked for again."""

    name = "slack"

    def __init__(self, api: SlackApi, pacing: Pacing, profiles: Profiles) -> None:
        self._api = api
        self._paced = Paced(api, pacing)
        self._profiles = profiles

    async def progress(self, address: Address, text: str) -> None:
        """The status line under the thread. Slack drops it after two minutes or with our post."""
        if not address.get("channel") or not address.get("thread_ts"):
            return
        shown = escape.inert(" ".join(text.split()))[: limits.STATUS]
        arguments: Json = {
            "channel_id": address["channel"],
            "thread_ts": address["thread_ts"],
            "status": WORKING if shown else "",
        }
        if shown:
            arguments["loading_messages"] = [shown]
        try:
            await self._api.write("assistant.threads.setStatus", arguments)
        except DeliveryFailed as error:
            log.info("slack.no_status", extra={"fields": {"reason": error.reason}})

    async def offer(self, address: Address, link: Verdict) -> bool:
        is_begun = address["thread_ts"] != address["message_ts"]
        spot = Spot(
            user=address["user"],
            team=address["team"],
            channel=address["channel"],
            thread_ts=address["thread_ts"] if is_begun else "",
        )
        return await private.tell(self._api, spot, private.verdict(link))

    async def deliver(self, post: Post, content: bytes | None) -> str:
        """Return the timestamp of the first message. Raises `DeliveryFailed`."""
        post = await direct.placed(self._api, post)
        if post.kind == "card" and post.card is not None:
            return await copies.show(self._api, self._paced, post, post.card, _spot(post.address))
        if post.kind == "file":
            return await self._file(post, content or b"")
        if post.kind == "private" and post.address.get("is_dm") != "true":
            return await self._private(post)
        return await self._answer(post)

    async def fetch(self, file: FileRef, *, limit: int) -> bytes:
        return await files.fetch(self._api, file, limit=limit)

    async def profile(self, person: Person) -> Person:
        return await self._profiles.fill(person)

    async def _answer(self, post: Post) -> str:
        rendered = await _rendered(post.answer)
        spot = _spot(post.address)
        there = await marker.posted(self._api, spot, post.id) if post.attempt else {}
        stamps = [
            await self._message(spot, message, post.id, number, there)
            for number, message in enumerate(rendered.messages, start=1)
        ]
        if rendered.whole_as_file:
            whole = rendered.whole_as_file.encode()
            await self._upload(post, upload.WHOLE_ANSWER, whole)
        return stamps[0] if stamps else ""

    async def _message(
        self,
        spot: Mapping[str, str],
        message: blocks.Message,
        post: str,
        number: int,
        there: Mapping[str, str],
    ) -> str:
        """One message of an answer, as plain text where Slack refuses its blocks."""
        part = str(number)
        if part in there:
            return there[part]
        if not any(known.startswith(f"{part}/") for known in there):
            arguments = _arguments(spot, message.text, post, part)
            try:
                return await self._post({**arguments, "blocks": list(message.blocks)})
            except DeliveryFailed as error:
                if error.reason not in REFUSED_BLOCKS:
                    raise
                log.warning("slack.plain_text", extra={"fields": {"reason": error.reason}})
        stamps = [
            there.get(f"{part}/{piece}")
            or await self._post(_arguments(spot, text, post, f"{part}/{piece}"))
            for piece, text in enumerate(blocks.plain_pieces(message), start=1)
        ]
        return stamps[0] if stamps else ""

    async def _post(self, arguments: Json) -> str:
        return fields.text(await self._paced.write("chat.postMessage", arguments), "ts")

    async def _private(self, post: Post) -> str:
        """For one person alone. Ephemeral messages cannot be looked up: one whose outcome is
        unknown is sent again, since a sentence read twice is better than one never read."""
        try:
            return await self._ephemeral(post)
        except DeliveryFailed as error:
            if error.reason not in _NOT_HERE:
                raise
        address = await direct.address(self._api, post.address["team"], post.address["user"])
        kept = {**address, "message_ts": post.address["message_ts"]}
        return await self._answer(replace(post, address=kept))

    async def _ephemeral(self, post: Post) -> str:
        rendered = await _rendered(post.answer)
        address = post.address
        target: Json = {"channel": address["channel"], "user": address["user"]}
        if address["thread_ts"] != address["message_ts"]:
            # In a thread that has no reply yet Slack shows an ephemeral message to nobody.
            target["thread_ts"] = address["thread_ts"]
        stamps: list[str] = []
        for message in rendered.messages:
            try:
                blocks_of = {"text": message.text, "blocks": list(message.blocks)}
                sent = [await self._paced.write("chat.postEphemeral", {**target, **blocks_of})]
            except DeliveryFailed as error:
                if error.reason not in REFUSED_BLOCKS:
                    raise
                sent = [
                    await self._paced.write("chat.postEphemeral", {**target, "text": text})
                    for text in blocks.plain_pieces(message)
                ]
            stamps += [fields.text(answer, "message_ts") for answer in sent]
        return stamps[0] if stamps else ""

    async def _file(self, post: Post, content: bytes) -> str:
        if not post.answer.files:
            raise DeliveryFailed("no_file", is_final=True)
        return await self._upload(post, post.answer.files[0].name, content)

    async def _upload(self, post: Post, name: str, content: bytes) -> str:
        spot = _spot(post.address)
        if post.attempt:
            there = await marker.has_file(self._api, spot, upload.file_name(name), len(content))
            if there:
                return there
        await self._paced.turn(spot["channel"])
        return await upload.into(self._api, spot, name, content)


async def _rendered(answer: Answer) -> blocks.Rendered:
    """Off the loop where it would hold others up; short answers keep their order this way."""
    if len(answer.text) > LONG:
        return await asyncio.to_thread(blocks.render, answer)
    return blocks.render(answer)


def _spot(address: Address) -> dict[str, str]:
    return {
        "channel": address["channel"],
        "thread_ts": address.get("thread_ts", ""),
        "after": address.get("message_ts", ""),
    }


def _arguments(spot: Mapping[str, str], text: str, post: str, part: str) -> Json:
    """Nothing that we post is fetched by Slack: no previews, in continuations neither."""
    arguments: Json = {
        "channel": spot["channel"],
        "text": text,
        "unfurl_links": False,
        "unfurl_media": False,
        "metadata": marker.metadata(post, part),
    }
    return {**arguments, "thread_ts": spot["thread_ts"]} if spot["thread_ts"] else arguments
