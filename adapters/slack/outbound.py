"""Shows what the core has to say in Slack: the Surface port over the Web API."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from adapters import picture, spreadsheet
from adapters.slack import copies, direct, fields, files, marker, private, upload
from adapters.slack.answering import Answering, rendered_of
from adapters.slack.api import UNKNOWN_OUTCOMES, SlackApi
from adapters.slack.clicks import Spot
from adapters.slack.copies import REFUSED_BLOCKS
from adapters.slack.lists import Lists
from adapters.slack.paced import Paced
from adapters.slack.pacing import Budget, Pacing
from adapters.slack.profiles import Profiles
from adapters.slack.render import blocks, escape, figures, limits, sharing
from adapters.slack.sessions import Sessions
from adapters.slack.stream import Manner, Stream
from core.errors import DeliveryFailed
from core.figures import Figure
from core.parked import Verdict
from core.ports import Showing
from core.records import Address, Answer, FileRef, Json, Person, PersonId, Post

log = logging.getLogger(__name__)
WORKING = "is working on it…"
STREAMS = 1_000
"""Answers that were streamed and wait for their delivery; those beyond are looked for in Slack."""
_PASSING = UNKNOWN_OUTCOMES | {"ratelimited", "request_timeout"}
"""What an upload may not meet the next time."""


class SlackSurface:
    """One installation. Every post is paced per channel and can be asked for again."""

    name = "slack"

    def __init__(
        self,
        api: SlackApi,
        pacing: Pacing,
        profiles: Profiles,
        manner: Manner | None = None,
        *,
        lists: Lists | None = None,
    ) -> None:
        self._api = api
        self._paced = Paced(api, pacing)
        self._profiles = profiles
        self._answering = Answering(api, self._paced)
        self._manner = manner or Manner()
        self._sessions = Sessions(api)
        self._lists = lists
        self._clock = pacing.clock
        self._budget = Budget(pacing.clock, calls=self._manner.starts)
        self._streams: OrderedDict[str, Stream] = OrderedDict()
        """By post: what was streamed and is not delivered yet."""

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

    @asynccontextmanager
    async def showing(
        self, post: str, address: Address, words: Callable[[], str]
    ) -> AsyncGenerator[Showing]:
        """See `core.ports.Surface`. Where nobody can be named to whom Slack streams, nothing is
        shown before the answer is there."""
        stream = Stream(self._paced, self._budget, self._clock, self._manner, post, address, words)
        can_stream = all(address.get(name) for name in ("channel", "thread_ts", "user", "team"))
        writing = asyncio.create_task(stream.write()) if can_stream else None
        self._streams[post] = stream
        if len(self._streams) > STREAMS:
            self._streams.popitem(last=False)
        try:
            yield stream
        except asyncio.CancelledError:
            self._streams.pop(post, None)
            await self._end(stream, writing)
            await stream.abandon()
            await self._at_rest(address)
            raise
        finally:
            await self._end(stream, writing)

    async def _at_rest(self, address: Address) -> None:
        """Nothing works on this thread any more: no status, and no session that is processing."""
        status: Json = {"channel_id": address["channel"], "thread_ts": address["thread_ts"]}
        with suppress(DeliveryFailed, TimeoutError):
            async with asyncio.timeout(self._manner.closing):
                await self.progress(address, "")
                await self._api.write("agents.sessions.setStatus", status | {"status": "active"})

    async def _end(self, stream: Stream, writing: asyncio.Task[None] | None) -> None:
        """Let a call that is under way come back, for a moment."""
        stream.close()
        if writing is None or writing.done():
            return
        _, late = await asyncio.wait({writing}, timeout=self._manner.closing)
        if late:
            stream.doubt()
            writing.cancel()
            await asyncio.wait({writing})

    async def offer(self, address: Address, link: Verdict) -> bool:
        is_begun = address["thread_ts"] != address["message_ts"]
        spot = Spot(
            user=address["user"],
            team=address["team"],
            channel=address["channel"],
            thread_ts=address["thread_ts"] if is_begun else "",
        )
        return await private.offer(self._api, spot, link)

    async def deliver(self, post: Post, content: bytes | None) -> str:
        """Return the timestamp of the first message. Raises `DeliveryFailed`."""
        post = await direct.placed(self._api, post)
        if post.kind == "card" and post.card is not None:
            spot = _spot(post.address)
            ts = await copies.show(self._api, self._paced, post, post.card, spot)
            await self._sessions.shown(spot, post.card)
            if self._lists is not None:
                await self._lists.moved(post.card.call)
            return ts
        if post.kind == "file":
            return await self._file(post, content or b"")
        if post.kind == "private":
            return await self._private(post)
        return await self._answer(post)

    async def fetch(self, file: FileRef, *, limit: int, person: PersonId) -> bytes:
        return await files.fetch(self._api, file, limit=limit)

    async def profile(self, person: Person) -> Person:
        return await self._profiles.fill(person)

    async def _answer(self, post: Post) -> str:
        spot, stream = _spot(post.address), self._streams.pop(post.id, None)
        ts, whole = await self._answering.bring(post, spot, stream)
        if whole:
            await self._attach(post, upload.WHOLE_ANSWER, whole.encode())
        await self._sessions.answered(spot)
        for figure in post.answer.figures:
            if not figures.is_whole(figure):
                await self._attach(post, spreadsheet.name(figure), spreadsheet.as_csv(figure))
            if figures.is_undrawn(figure):
                await self._draw(post, figure)
        return ts

    async def _draw(self, post: Post, figure: Figure) -> None:
        """A picture of what Slack has no chart for, where pictures can be drawn here."""
        drawn = await asyncio.to_thread(picture.png, figure)
        if drawn is not None:
            await self._attach(post, f"{figure.title or 'chart'}.png", drawn)

    async def _attach(self, post: Post, name: str, content: bytes) -> None:
        """A file that belongs to an answer whose words stand there. Where Slack does not take it
        the person is told, and the answer counts as brought."""
        try:
            await self._upload(post, name, content)
        except DeliveryFailed as error:
            reason = error.reason
            if reason in _PASSING or reason.startswith(("http_", "upload_status_")):
                raise
            log.error("slack.no_attachment", extra={"fields": {"post": post.id, "reason": reason}})
            said = Answer(text=f"I could not put `{name}` beside my answer: `{reason}`.")
            told = replace(post, id=f"{post.id}.told", kind="private", answer=said)
            await self._private(told)

    async def _private(self, post: Post) -> str:
        """For one person alone: where they asked, else in our direct messages, whatever Slack's
        reason is. Ephemeral messages cannot be looked up: one whose outcome is unknown is sent
        again, since a sentence read twice is better than one never read."""
        is_direct = post.address.get("is_dm") == "true"
        try:
            return await (self._answer(post) if is_direct else self._ephemeral(post))
        except DeliveryFailed as error:
            if not error.is_final:
                raise
            there = await direct.address(self._api, post.address["team"], post.address["user"])
            if there["channel"] == post.address["channel"]:
                raise
        kept = {**there, "message_ts": post.address.get("message_ts", "")}
        return await self._answer(replace(post, address=kept))

    async def _ephemeral(self, post: Post) -> str:
        rendered = await rendered_of(post)
        address = post.address
        target: Json = {"channel": address["channel"], "user": address["user"]}
        if address["thread_ts"] != address["message_ts"]:
            # In a thread that has no reply yet Slack shows an ephemeral message to nobody.
            target["thread_ts"] = address["thread_ts"]
        stamps: list[str] = []
        for message in rendered.messages:
            try:
                shown = list(message.blocks)
                if post.can_share and message is rendered.messages[-1]:
                    shown.append(sharing.block(post.turn))
                blocks_of = {"text": message.text, "blocks": shown}
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
        async with self._paced.turn(spot["channel"]):
            return await upload.into(self._api, spot, name, content)


def _spot(address: Address) -> dict[str, str]:
    return {
        "channel": address["channel"],
        "thread_ts": address.get("thread_ts", ""),
        "after": address.get("message_ts", ""),
    }
