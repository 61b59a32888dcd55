"""Streams an answer into a thread while it is being written: one writer, message after message.

Slack ends a stream after about five minutes, refuses more than about 11,600 characters in one, and
may answer nothing at all. So a message is left in time for a next one; where it is not known
whether a piece arrived, the message is written anew as it should be; and what is streamed is a
preview of the post, which is put in its place where the two do not agree in the end.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from adapters.slack import fields, marker
from adapters.slack.api import UNKNOWN_OUTCOMES
from adapters.slack.paced import Paced
from adapters.slack.pacing import Budget
from adapters.slack.plan import Plan
from adapters.slack.render import blocks, escape, limits, live
from adapters.slack.render.live import Written
from adapters.slack.render.split import LONG_NOTE
from core.errors import DeliveryFailed
from core.ports import Clock, Step
from core.records import Address, Json

log = logging.getLogger(__name__)
CONTINUED, STOPPED_HERE = "_… continued_", "_Stopped here._"
STOPPED_BY_PERSON, RATE_LIMITED = "stopped_by_user", "ratelimited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """When something is streamed, and how often; times in seconds."""

    long: int = 600
    """Weight of the words from which on an answer is worth a stream: a short one is one post."""
    patience: float = 8.0
    """Work after which the plan of the rounds is shown, without any word yet."""
    every: float = 1.0
    """Between two pieces of one stream."""
    life: float = 240.0
    """After which a message is left for the next one."""
    closing: float = 1.0
    """For a call under way when the turn ends."""
    starts: int = 15
    """Streams of a workspace in a minute: Slack lets 20 begin."""


class Unfinished(Exception):
    """What stands there is not the beginning of the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a finished stream leaves to be done."""

    rest: str = ""
    """What no message of it holds, with the closing behind it; an empty line where only that is
    left, nothing where all is there."""
    needs_file: bool = False
    """The whole answer has to follow as a file."""


@dataclass(slots=True, kw_only=True)
class Page:
    """A message that is streamed."""

    ts: str
    written: Written
    started_at: float
    is_open: bool = True


class Stream:
    """`core.ports.Showing` of one answer. `write` is the one writer; `finish` comes after it."""

    def __init__(
        self,
        paced: Paced,
        budget: Budget,
        clock: Clock,
        manner: Manner,
        post: str,
        address: Address,
        words: Callable[[], str],
    ) -> None:
        self._paced = paced
        self._budget = budget
        self._clock = clock
        self._manner = manner
        self._post = post
        self._address = address
        self._words = words
        self._plan = Plan(post)
        self._pages: list[Page] = []
        self._next = Written()
        """What the next message begins with, and from where in the source."""
        self._shown = ""
        """The part of the source that stands in messages."""
        self._news = asyncio.Event()
        self._is_closing = False
        self._is_off = False
        """Nothing more is streamed."""
        self._is_in_doubt = False
        """Something may stand there that is not known."""
        self._began = clock()

    # What the core says.

    def more(self) -> None:
        self._news.set()

    def step(self, step: Step) -> None:
        self._plan.put(step)
        self._news.set()

    @property
    def has_begun(self) -> bool:
        return bool(self._pages) or self._is_in_doubt

    @property
    def pages(self) -> int:
        return len(self._pages)

    @property
    def first(self) -> str:
        return self._pages[0].ts if self._pages else ""

    def doubt(self) -> None:
        """A call was cut off: it may have come through or not."""
        self._is_in_doubt = True

    def close(self) -> None:
        """Begin nothing more."""
        self._is_closing = True
        self._news.set()

    # The writer.

    async def write(self) -> None:
        """Show what there is to show until `close`. Never raises."""
        while not self._is_closing and not self._is_off:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._manner.every):
                    await self._news.wait()
            self._news.clear()
            if self._is_closing:
                return
            try:
                if await self._go_on():
                    await self._pause(self._manner.every)
            except DeliveryFailed as failure:
                await self._failed(failure)

    async def _go_on(self) -> bool:
        """One call at most; False where there was nothing to do."""
        source = escape.inert(self._words())
        if not source.startswith(self._shown):
            # The words changed behind what is shown: the post will stand in its place.
            self._is_off = True
            return False
        page = self._open_page()
        if page is None:
            return await self._begin(source)
        added = live.extend(page.written, source)
        if added.is_full or self._clock() - page.started_at >= self._manner.life:
            if len(self._pages) >= limits.PARTS:
                self._is_off = True
                return False
            await self._leave(page, added, source)
            return True
        chunks = [*self._news_of_plan(), *_text(added.words)]
        if not chunks:
            return False
        await self._call("chat.appendStream", page.ts, {"chunks": chunks})
        self._took(page, added.written, source)
        return True

    async def _begin(self, source: str) -> bool:
        added = live.extend(self._next, source)
        if added.is_full and not added.words:
            self._is_off = True
            return False
        is_due = bool(self._pages) and bool(added.words)
        if not (is_due or self._is_worth_it(added.written.text)) or not await self._budget.take():
            return False
        address = self._address
        arguments: Json = {
            "channel": address["channel"],
            "thread_ts": address["thread_ts"],
            "chunks": [*self._head(), *_text(added.written.text)],
            "task_display_mode": "plan",
            "recipient_user_id": address["user"],
            "recipient_team_id": address["team"],
        }
        try:
            ts = fields.text(await self._paced.write("chat.startStream", arguments), "ts")
        except DeliveryFailed as failure:
            self._is_in_doubt |= failure.reason in UNKNOWN_OUTCOMES
            raise
        page = Page(ts=ts, written=added.written, started_at=self._clock())
        self._pages.append(page)
        self._took(page, added.written, source)
        return True

    def _is_worth_it(self, words: str) -> bool:
        if limits.weight(words) >= self._manner.long:
            return True
        return bool(self._plan) and self._clock() - self._began >= self._manner.patience

    async def _leave(self, page: Page, added: live.Added, source: str) -> None:
        """Fill the message, end it, and prepare the next one."""
        end = live.closing(added.written.text)
        plan = self._plan.left() if self.pages == 1 else []
        await self._stop(page, self._mark(page), [*plan, *_text(added.words + end)])
        self._took(page, added.written, source)
        self._turn_over(page, source)

    def _took(self, page: Page, written: Written, source: str) -> None:
        page.written = written
        self._shown = source[: written.taken]

    def _turn_over(self, page: Page, source: str) -> None:
        page.is_open = False
        taken = page.written.taken
        begun = live.opening(page.written.text, source, taken)
        self._next = Written(text=begun, taken=taken, begun=begun)

    async def _failed(self, failure: DeliveryFailed) -> None:
        log.info("slack.stream_failed", extra={"fields": {"reason": failure.reason}})
        self._plan.unsaid()
        page = self._open_page()
        if failure.reason == RATE_LIMITED:
            await self._pause(min(failure.retry_after, self._manner.life))
        elif failure.reason == STOPPED_BY_PERSON or page is None:
            self._is_off = True
        else:
            await self._mend(page, is_unknown=failure.reason in UNKNOWN_OUTCOMES)

    async def _mend(self, page: Page, *, is_unknown: bool) -> None:
        """Write a message that can take no more as it is meant to be, and go on in a next one."""
        if not page.written.text or len(self._pages) >= limits.PARTS:
            self._is_off, self._is_in_doubt = True, self._is_in_doubt or is_unknown
            return
        with suppress(DeliveryFailed):
            await self._stop(page, self._mark(page), [])
        whole = page.written.text + live.closing(page.written.text)
        shown = {
            "text": blocks.fallback(whole),
            "blocks": [*self._above(page), blocks.markdown(whole)],
            "metadata": self._mark(page),
        }
        try:
            await self._call("chat.update", page.ts, shown)
        except DeliveryFailed:
            self._is_off, self._is_in_doubt = True, self._is_in_doubt or is_unknown
            if is_unknown:
                return
        self._turn_over(page, self._shown)

    def _above(self, page: Page) -> list[Json]:
        """What stands over the words of a message that is written anew."""
        if page is not self._pages[0]:
            return [self._continued(self._pages.index(page) + 1)]
        self._plan.left()
        plan = self._plan.block()
        words = sum(limits.weight(task["title"]) for task in plan["tasks"])
        fits = limits.weight(page.written.text) + words <= limits.MESSAGE_TOTAL
        return [plan] if fits else []

    async def _pause(self, seconds: float) -> None:
        ends = asyncio.get_running_loop().time() + seconds
        while not self._is_closing and asyncio.get_running_loop().time() < ends:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(ends):
                    self._news.clear()
                    await self._news.wait()

    # The end.

    async def finish(self, text: str, closing: Sequence[Json], *, goes_on: bool = False) -> Left:
        """Complete what is shown to `text`, the whole answer, and put the closing blocks on the
        last message, unless the answer `goes_on` behind its words; what there is left to do.

        Raises `Unfinished` where the answer does not go on from what is shown, and
        `DeliveryFailed`; then nothing is known, and the post has to be put in its place.
        """
        source = escape.inert(text)
        if self._is_in_doubt or not source.startswith(self._shown):
            raise Unfinished
        page = self._open_page()
        if page is None:
            return Left(rest=self._rest(source))
        added = live.extend(page.written, source)
        is_too_long = added.is_full and self.pages >= limits.PARTS
        if added.is_full and not is_too_long:
            await self._leave(page, added, source)
            return Left(rest=self._rest(source))
        end = live.closing(added.written.text)
        end += f"\n\n{LONG_NOTE}" if is_too_long else ""
        whole = added.written.text + end
        is_small = blocks.size([blocks.markdown(whole), *closing]) <= limits.MESSAGE_TOTAL
        is_last = is_small and not goes_on
        mark = marker.metadata(self._post, marker.END) if is_last else self._mark(page)
        chunks = [*self._end_of_plan("complete"), *_text(added.words + end)]
        await self._stop(page, mark, chunks, closing if is_last else ())
        page.is_open = False
        return Left(rest="" if is_last else "\n", needs_file=is_too_long)

    def _rest(self, source: str) -> str:
        """What the next message would hold: an empty line where only the closing is left."""
        rest = source[self._next.taken :].lstrip("\n")
        return self._next.text + rest if rest else "\n"

    async def abandon(self) -> None:
        """The turn ends without an answer: let the message not wait for more. Never raises."""
        page = self._open_page()
        if page is None:
            return
        said = [blocks.context([STOPPED_HERE])]
        with suppress(DeliveryFailed, TimeoutError):
            async with asyncio.timeout(self._manner.closing):
                chunks = self._end_of_plan("error")
                await self._stop(page, self._mark(page), chunks, said)

    # What Slack is sent.

    def _open_page(self) -> Page | None:
        return self._pages[-1] if self._pages and self._pages[-1].is_open else None

    def _mark(self, page: Page) -> Json:
        return marker.metadata(self._post, f"{marker.LIVE}{self._pages.index(page) + 1}")

    def _head(self) -> list[Json]:
        """What a message begins with. Its ids say whose it is: a stream takes no metadata before
        its end, and a process that dies in between leaves it behind."""
        if self._pages:
            return [{"type": "blocks", "blocks": [self._continued(self.pages + 1)]}]
        return self._plan.begun()

    def _continued(self, number: int) -> Json:
        return blocks.context([CONTINUED]) | {"block_id": f"{self._post}:{number}"}

    def _news_of_plan(self) -> list[Json]:
        """Only on the message that shows the plan."""
        return self._plan.news() if self.pages == 1 else []

    def _end_of_plan(self, state: Literal["complete", "error"]) -> list[Json]:
        return self._plan.over(state) if self.pages == 1 else []

    async def _stop(
        self, page: Page, mark: Json, chunks: Sequence[Json], closing: Sequence[Json] = ()
    ) -> None:
        arguments: Json = {"metadata": mark, "session_status": "active"}
        if chunks:
            arguments["chunks"] = list(chunks)
        if closing:
            arguments["blocks"] = list(closing)
        await self._call("chat.stopStream", page.ts, arguments)

    async def _call(self, method: str, ts: str, arguments: Json) -> None:
        channel = self._address["channel"]
        await self._paced.write(method, {"channel": channel, "ts": ts, **arguments})


def _text(words: str) -> list[Json]:
    return [{"type": "markdown_text", "text": words}] if words else []
