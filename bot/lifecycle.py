"""Starts the parts of the bot in order and drains them in the opposite order.

A part is one task for as long as the bot lives. When one ends by itself, nothing can be promised
any more: the others drain and the process ends with an error, so that whoever supervises it
starts it anew.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.errors import CountersignError, Misconfigured
from core.telemetry import logs

START_SECONDS = 60.0
WHOLE_DRAIN_SECONDS = 24.0
"""From the signal to the exit, whatever the parts say: a supervisor kills after 30 s."""

log = logs.get(__name__)


class Part(Protocol):
    """Something with a lifetime: the database, the lanes, the server."""

    name: str
    grace: float
    """Seconds it may take to drain before it is cancelled."""

    async def run(self, up: Callable[[], None], stop: asyncio.Event) -> None:
        """Start, call `up()` when it works, drain when `stop` is set, then return.

        Raises whatever keeps it from working; `Misconfigured` when the operator can mend it.
        """
        ...

    def ready(self) -> bool:
        """False while it cannot do its work. Answers at once."""
        ...


@dataclass(slots=True)
class Standing:
    """Whether the bot takes questions: true from the last part's start to the first signal."""

    is_up: bool = False


@dataclass(slots=True, kw_only=True)
class Simple:
    """A part made of two calls, for things that need no task of their own."""

    name: str
    start: Callable[[], Awaitable[object]]
    stop: Callable[[], Awaitable[object]]
    grace: float = 5.0
    is_running: bool = False

    async def run(self, up: Callable[[], None], stop: asyncio.Event) -> None:
        await self.start()
        try:
            self.is_running = True
            up()
            await stop.wait()
        finally:
            self.is_running = False
            await self.stop()

    def ready(self) -> bool:
        return self.is_running


@dataclass(slots=True, kw_only=True)
class Loop:
    """A part that works in `work` until `drain` has made it return."""

    name: str
    work: Callable[[], Awaitable[object]]
    drain: Callable[[], Awaitable[object]]
    grace: float = 20.0
    is_running: bool = False

    async def run(self, up: Callable[[], None], stop: asyncio.Event) -> None:
        async def drained_on_stop() -> None:
            await stop.wait()
            await self.drain()

        self.is_running = True
        try:
            async with asyncio.TaskGroup() as group:
                waiting = group.create_task(drained_on_stop())
                up()
                await self.work()
                if not stop.is_set():
                    waiting.cancel()
        finally:
            self.is_running = False

    def ready(self) -> bool:
        return self.is_running


@dataclass(slots=True)
class _Running:
    part: Part
    task: "asyncio.Task[None]"
    up: asyncio.Event
    stop: asyncio.Event


async def run(
    parts: Sequence[Part],
    standing: Standing,
    *,
    on_up: Callable[[], None] = lambda: None,
) -> int:
    """Run the parts until a signal, or until one of them ends; return the exit code.

    SIGTERM and SIGINT drain; a second one ends the process at once. Raises `Misconfigured` when
    a part cannot start for a reason that the operator can mend.
    """
    stop = asyncio.Event()
    _listen(stop)
    running: list[_Running] = []
    code = 1
    try:
        for part in parts:
            running.append(_begun(part))
            if not await _is_up(running[-1], stop):
                break
        else:
            standing.is_up = True
            log.info("bot.up", parts=len(running))
            on_up()
        code = await _until_stopped(running, stop)
    finally:
        standing.is_up = False
        code = max(code, await _drained(running))
        log.info("bot.down", code=code)
    return code


def _listen(stop: asyncio.Event) -> None:
    def heard(number: int) -> None:
        if stop.is_set():
            # The person at the keyboard has decided. What was committed is safe, and the next
            # start takes up what was not.
            os._exit(128 + number)
        log.info("bot.draining", signal=signal.Signals(number).name)
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, heard, number)


def _begun(part: Part) -> _Running:
    up, stop = asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(part.run(up.set, stop), name=part.name)
    return _Running(part, task, up, stop)


async def _is_up(running: _Running, stop: asyncio.Event) -> bool:
    """Wait until the part works; False when the bot is to stop instead. Raises what broke it."""
    await _first(START_SECONDS, running.up, stop, running.task)
    if running.up.is_set() or stop.is_set():
        return running.up.is_set()
    if running.task.done():
        running.task.result()
        raise CountersignError(f"{running.part.name} ended while it was starting")
    raise Misconfigured(f"{running.part.name} has not started within {START_SECONDS:.0f} s.")


async def _until_stopped(running: Sequence[_Running], stop: asyncio.Event) -> int:
    await _first(None, stop, *(one.task for one in running))
    if stop.is_set():
        return 0
    for one in running:
        if one.task.done():
            log.error("part.ended", part=one.part.name)
    return 1


async def _drained(running: Sequence[_Running]) -> int:
    """Stop the parts, the last started first; 1 if one had to be cut short or broke."""
    loop = asyncio.get_running_loop()
    end = loop.time() + WHOLE_DRAIN_SECONDS
    code = 0
    for one in reversed(running):
        one.stop.set()
        grace = max(0.0, min(one.part.grace, end - loop.time()))
        done, _ = await asyncio.wait({one.task}, timeout=grace)
        if not done:
            log.warning("part.cut", part=one.part.name, grace=grace)
            one.task.cancel()
            await asyncio.wait({one.task}, timeout=1.0)
            code = 1
        elif not one.task.cancelled() and (error := one.task.exception()):
            _tell(one.part.name, error)
            code = 1
    return code


def _tell(part: str, error: BaseException) -> None:
    """`Misconfigured` is on its way to the operator as a sentence already."""
    if not isinstance(error, Misconfigured):
        log.exception("part.broke", error=error, part=part)


async def _first(seconds: float | None, *those: "asyncio.Event | asyncio.Task[None]") -> None:
    """Wait until one of the events is set or one of the tasks is done."""
    waits = {t if isinstance(t, asyncio.Task) else asyncio.create_task(t.wait()) for t in those}
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits.difference(those):
            wait.cancel()
