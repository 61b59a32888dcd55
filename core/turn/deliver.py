"""The courier: takes what the outbox holds for one surface to that surface, in order and once."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace

from core.errors import DeliveryFailed, Unavailable
from core.ports import Clock, Surface
from core.records import Answer, Post
from core.storage import files, outbox
from core.storage.database import Database, Transaction
from core.telemetry import metrics, spans
from core.telemetry.spans import Span

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long the courier tries; times in seconds."""

    concurrency: int = 24
    """Posts that wait for a busy channel's pace hold up no other channel before there are that
    many."""
    tries: int = 12
    """With these pauses about twenty minutes."""
    waits: int = 48
    """Tries for a post that the platform asked to bring later: it was busy, not unwilling."""
    first_pause: float = 1.0
    longest_pause: float = 300.0
    call: float = 180.0
    """The deadline of one call to the surface, which keeps to the platform's pace in it."""
    lease: float = 30.0
    """How long a try outlives the last sign of its process; signs come three times as often."""
    poll: float = 1.0


def pause(failure: DeliveryFailed, attempt: int, patience: Patience, chance: float) -> float:
    """The wait before the next try after `attempt` earlier ones; it doubles each time, is spread
    by `chance` (0 to 1) over its upper half, and is never shorter than the platform asked for."""
    backoff = min(patience.longest_pause, patience.first_pause * 2.0 ** min(attempt, 30))
    return max(failure.retry_after, backoff * (0.5 + chance / 2))


def apology(post: Post, reason: str) -> Post | None:
    """What the person is told, privately, when the post was given up; None when the post was
    private itself: then there is nowhere left to say it. A card's later post is not told: what it
    would show is told where it matters."""
    if post.kind == "private" or post.replaces or "person" in post.address:
        return None
    if post.kind == "card":
        said = f"I could not show a card in that channel: `{reason}`. `/approvals` lists it."
        answer = Answer(text=f"{said}\n\n{post.answer.text}")
        return replace(post, id=f"{post.id}.told", kind="private", answer=answer, card=None)
    if post.kind == "file":
        names = ", ".join(file.name for file in post.answer.files)
        answer = Answer(text=f"I could not put {names} into that channel: `{reason}`.")
    else:
        said = f"I could not post my answer in that channel: `{reason}`. Here it is:"
        answer = replace(post.answer, text=f"{said}\n\n{post.answer.text}", files=())
    return replace(post, id=f"{post.id}.told", kind="private", answer=answer, attempt=0)


class _LeaseLost(Exception):
    """Another process may try the post by now."""


class Courier:
    """Delivers the posts of one surface from `run` until `drain`, beside those of other
    processes: a post is tried by one at a time."""

    def __init__(
        self,
        db: Database,
        surface: Surface,
        *,
        clock: Clock,
        chance: Callable[[], float],
        patience: Patience | None = None,
    ) -> None:
        """`chance` gives numbers between 0 and 1 that spread the retries."""
        self._db = db
        self._surface = surface
        self._clock = clock
        self._chance = chance
        self._patience = patience or Patience()
        self._channel = outbox.channel(surface.name)
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._is_draining = False
        self._drained = asyncio.Event()
        self._is_over = False

    async def run(self) -> None:
        """Deliver until `drain`."""
        if self._db.is_exclusive:
            await outbox.take_over(self._db, self._surface.name)
        before = asyncio.Event()
        before.set()
        async with asyncio.TaskGroup() as group:
            while True:
                due = await self._due()
                for post in due:
                    counted = asyncio.Event()
                    self._busy[post.id] = group.create_task(
                        self._serve(post, before, counted), name=f"post {post.id}"
                    )
                    before = counted
                if self._is_draining and not self._busy:
                    self._drained.set()
                    return
                if not due:
                    await self._db.wait(self._channel, await self._idle_seconds())

    async def drain(self, seconds: float) -> None:
        """Bring what can be brought now, for at most that long. `run` returns then; what is
        left waits for the next start."""
        self._is_draining = True
        with suppress(Unavailable):
            await self._db.notify(self._channel)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._drained.wait()
        self._is_over = True
        for task in self._busy.values():
            task.cancel()

    async def _due(self) -> list[Post]:
        free = self._patience.concurrency - len(self._busy)
        if free <= 0 or self._is_over:
            return []
        try:
            # The busy ones may be among the first until their try is counted.
            limit = self._patience.concurrency + len(self._busy)
            due = await outbox.due(
                self._db, self._surface.name, owner=self._db.owner, now=self._clock(), limit=limit
            )
        except Unavailable as failure:
            log.warning("the outbox cannot be read: %s", failure, extra={"action": "posts.stalled"})
            return []
        return [post for post in due if post.id not in self._busy][:free]

    async def _idle_seconds(self) -> float:
        if self._busy:
            return self._patience.poll
        try:
            due = await outbox.next_due(self._db, self._surface.name)
        except Unavailable:
            due = None
        if due is None:
            return self._patience.poll
        return min(self._patience.poll, max(0.05, due - self._clock()))

    async def _serve(self, post: Post, before: asyncio.Event, counted: asyncio.Event) -> None:
        """The tries are counted side by side, and go to the surface in the order of the outbox:
        once the one `before` is counted, and before the next one is let go."""
        try:
            is_ours = await self._begin(post)
            await before.wait()
            counted.set()
            if is_ours:
                await self._try_while_held(post)
        except Unavailable as failure:
            _unrecorded(post, failure)
        finally:
            counted.set()
            del self._busy[post.id]
            with suppress(Unavailable):
                await self._db.notify(self._channel)

    async def _begin(self, post: Post) -> bool:
        lease = self._clock() + self._patience.lease
        return await outbox.begin(self._db, post, self._db.owner, lease=lease)

    async def _try_while_held(self, post: Post) -> None:
        try:
            async with asyncio.TaskGroup() as both:
                beating = both.create_task(self._beat(post))
                await self._try(post)
                beating.cancel()
        except* _LeaseLost:
            log.warning(
                "another process may try the post by now",
                extra={"action": "post.lost", "turn": post.turn},
            )
        except* Unavailable as failures:
            _unrecorded(post, failures)

    async def _beat(self, post: Post) -> None:
        """Keep the try this process's. Raises `_LeaseLost`: then nothing more may be sent here,
        since another one looks whether it is there, and sends it."""
        held_until = self._clock() + self._patience.lease
        while True:
            await asyncio.sleep(self._patience.lease / 3)
            now = self._clock()
            try:
                is_ours = await outbox.beat(self._db, post, lease=now + self._patience.lease)
            except Unavailable:
                # In time for what is under way to end before another process looks.
                if now + self._patience.lease / 3 >= held_until:
                    raise _LeaseLost from None
                continue
            if not is_ours:
                raise _LeaseLost
            held_until = now + self._patience.lease

    async def _try(self, post: Post) -> None:
        try:
            with self._span(post):
                async with asyncio.timeout(self._patience.call):
                    content = await self._content(post)
                    platform_id = await self._surface.deliver(await self._placed(post), content)
        except DeliveryFailed as failure:
            await self._settle_failure(post, failure)
        except TimeoutError:
            await self._settle_failure(post, DeliveryFailed("timeout"))
        # A surface may break on one post in ways nobody thought of; the other posts go on.
        except Exception as failure:
            log.exception(
                "a post broke the surface", extra={"action": "post.broken", "turn": post.turn}
            )
            await self._settle_failure(post, DeliveryFailed(type(failure).__name__))
        else:
            await outbox.sent(self._db, post, platform_id, now=self._clock())
            metrics.POSTS.add("sent")

    def _span(self, post: Post) -> AbstractContextManager[Span]:
        attributes: spans.Attributes = {
            "countersign.turn": post.turn,
            "countersign.post": post.id,
            "countersign.attempt": post.attempt + 1,
        }
        name = f"deliver {post.kind}"
        return spans.span(name, attributes, kind="producer", parent=post.trace)

    async def _placed(self, post: Post) -> Post:
        """A card's later post changes the copy that is there."""
        if not post.replaces:
            return post
        return replace(post, replaces=await outbox.shown_as(self._db, post.replaces))

    async def _content(self, post: Post) -> bytes | None:
        if post.kind != "file":
            return None
        content = await files.read(self._db, post.answer.files[0].id)
        if content is None:
            raise DeliveryFailed("file_is_gone", is_final=True)
        return content

    async def _settle_failure(self, post: Post, failure: DeliveryFailed) -> None:
        tries = self._patience.waits if failure.retry_after else self._patience.tries
        if not failure.is_final and post.attempt + 1 < tries:
            wait = pause(failure, post.attempt, self._patience, self._chance())
            await outbox.postpone(self._db, post, self._clock() + wait, failure.reason)
            return
        log.error(
            "a post was given up: %s",
            failure.reason,
            extra={"action": "post.failed", "turn": post.turn},
        )
        metrics.POSTS.add("failed")
        told = apology(post, failure.reason)
        now = self._clock()

        async def give_up(tx: Transaction) -> None:
            if await outbox.fail(tx, post, failure.reason, now=now) and told is not None:
                await outbox.put(tx, told)

        await self._db.write(give_up)


def _unrecorded(post: Post, failure: BaseException) -> None:
    """Not recorded as sent: tried again once its lease is over, and the surface is told that it
    may be there already."""
    log.warning(
        "a delivery could not be recorded: %s",
        failure,
        extra={"action": "post.unrecorded", "turn": post.turn},
    )
