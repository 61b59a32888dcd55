"""Knows the streams of answers that are not delivered yet, and turns each into its answer."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from adapters import fields
from adapters.teams import identity
from adapters.teams.connector import Connector
from adapters.teams.directory import Kept
from adapters.teams.reasons import STOPPED_BY_PERSON, STREAM_OVER
from adapters.teams.render import live
from adapters.teams.stream import Manner, Stream
from core.errors import CountersignError, DeliveryFailed
from core.ports import Clock, Showing, Step
from core.records import Address, Json, Place, Stop

log = logging.getLogger(__name__)
MOST = 1_000
REFUSED = frozenset({STREAM_OVER, STOPPED_BY_PERSON, "BadSyntax", "http_400"})
"""Answers after which a stream takes nothing more: the message can still be changed."""


class Unseen:
    """`core.ports.Showing` of which nothing is seen."""

    has_begun = False

    def more(self) -> None:
        return None

    def step(self, step: Step) -> None:
        return None


class Streams:
    """By post. Which message a post is streamed into is kept, so that a process that comes after
    this one finds it."""

    def __init__(
        self,
        connector: Connector,
        kept: Kept,
        clock: Clock,
        stop: Callable[[Stop], Awaitable[int]],
        manner: Manner,
    ) -> None:
        """`stop` ends what somebody no longer wants."""
        self._connector = connector
        self._kept = kept
        self._clock = clock
        self._stop = stop
        self._manner = manner
        self._open: OrderedDict[str, Stream] = OrderedDict()

    @asynccontextmanager
    async def showing(
        self, post: str, address: Address, words: Callable[[], str]
    ) -> AsyncGenerator[Showing]:
        if address.get("kind") != "dm" or not address.get("message"):
            yield Unseen()
            return
        stream = self._made(post, address, words)
        writing = asyncio.create_task(stream.write(), name="teams.stream")
        try:
            yield stream
        except asyncio.CancelledError:
            self._open.pop(post, None)
            await self._ended(stream, writing)
            await stream.abandon()
            raise
        finally:
            await self._ended(stream, writing)

    async def id_of(self, post: str) -> str:
        """The message that this post is streamed into; empty for none."""
        if (stream := self._open.get(post)) is not None:
            if not stream.id:
                del self._open[post]
            return stream.id
        return fields.text(await self._kept.read(_key(post)) or {}, "id")

    async def completed(self, post: str, address: Address, id: str, shown: Json) -> bool:
        """End the stream with this message. False where it has to be put in its place: the stream
        is over, or shows something else. Raises `DeliveryFailed`."""
        stream = self._open.pop(post, None)
        if stream is not None and not stream.completes(shown):
            await stream.abandon()
            return False
        try:
            await self._connector.send(
                address["service"], address["conversation"], live.final(id, shown)
            )
        except DeliveryFailed as failure:
            if failure.reason not in REFUSED:
                raise
            log.info("teams.stream_over", extra={"fields": {"reason": failure.reason}})
            return False
        return True

    def _made(self, post: str, address: Address, words: Callable[[], str]) -> Stream:
        async def begun(id: str) -> None:
            try:
                await self._kept.keep(_key(post), {"id": id})
            except CountersignError as error:
                # While this process lives it is known; a later one would repeat the message.
                reason = type(error).__name__
                log.warning("teams.stream_unnoted", extra={"fields": {"reason": reason}})

        async def stopped() -> None:
            try:
                await self._stop(_stop(address))
            except CountersignError as error:
                reason = type(error).__name__
                log.warning("teams.not_stopped", extra={"fields": {"reason": reason}})

        made = Stream(self._connector, self._clock, self._manner, address, words, begun, stopped)
        self._open[post] = made
        if len(self._open) > MOST:
            self._open.popitem(last=False)
        return made

    async def _ended(self, stream: Stream, writing: asyncio.Task[None]) -> None:
        """Let a call that is under way come back, for a moment."""
        stream.close()
        if not writing.done():
            _, late = await asyncio.wait({writing}, timeout=self._manner.closing)
            if late:
                writing.cancel()
                await asyncio.wait({writing})


def _key(post: str) -> str:
    return f"stream:{post}"


def _stop(address: Address) -> Stop:
    """All that the person asked for in their chat: a stream's Stop says no more."""
    tenant, conversation = address["tenant"], address["conversation"]
    place = Place(surface="teams", tenant=tenant, channel=identity.channel(conversation), kind="dm")
    return Stop(
        place=place.id,
        person=identity.person_id(tenant, address["oid"]),
        thread=identity.thread(tenant, conversation),
    )
