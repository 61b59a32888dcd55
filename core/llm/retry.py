"""Whether and when a failed model call is made again."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from core.errors import ModelFailed

T = TypeVar("T")

ATTEMPTS = 3
"""Calls in all, whatever they fail with."""
ALLOWED = {"rate_limited": 3, "server_error": 3, "unreachable": 3, "timeout": 2, "cut_stream": 2}
"""Calls that may end in the same way. What is not named is not repeated: a blocked, rejected or
too long prompt stays what it is, and is billed each time."""
FIRST_PAUSE = 0.5
"""Seconds, before the dice."""
LONGEST_PAUSE = 8.0


async def persist(
    attempt: Callable[[int], Awaitable[T]],
    ends: float,
    *,
    sleep: Callable[[float], Awaitable[None]],
    jitter: Callable[[], float],
) -> T:
    """What the first attempt that succeeds returns; attempts are numbered from 1.

    `ends` is a moment on the event loop's clock: no attempt and no wait begins after it. Raises
    the last attempt's `ModelFailed`.
    """
    now = asyncio.get_running_loop().time
    kinds: list[str] = []
    while True:
        if ends <= now():
            raise ModelFailed("timeout", "no time was left to ask the model")
        try:
            return await attempt(len(kinds) + 1)
        except ModelFailed as failed:
            kinds.append(failed.kind)
            wait = pause(kinds, failed.retry_after, jitter())
            if wait is None or wait >= ends - now():
                raise
        await sleep(wait)


def pause(kinds: Sequence[str], retry_after: float, jitter: float) -> float | None:
    """Seconds to wait before the next attempt, None when there is none.

    `kinds` are the failures of this call so far, the newest last; `retry_after` is what the
    provider asked for in seconds, 0 when it named none; `jitter` lies in [0, 1) and spreads the
    calls of a busy minute. Never shorter than the provider asked for.
    """
    newest = kinds[-1]
    if len(kinds) >= ATTEMPTS or kinds.count(newest) >= ALLOWED.get(newest, 1):
        return None
    if retry_after > 0:
        return retry_after * (1 + jitter / 4)
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (len(kinds) - 1)) * (0.5 + jitter)
