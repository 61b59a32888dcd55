"""Takes the body of a request as the bytes that arrived, within bounds of size and time."""

import asyncio
from typing import Literal

from aiohttp import ClientError, web

LARGEST = 1_048_576
"""Bytes of a body."""
SECONDS = 10.0
"""For the whole body. The headers' deadline is the server's (its keep-alive timeout)."""

Reason = Literal["too_large", "too_slow", "cut_off"]


class Unread(Exception):
    """The body did not arrive within the bounds."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


def is_too_large(request: web.Request) -> bool:
    """Whether the request says so itself, before anything of it is read."""
    return (request.content_length or 0) > LARGEST


async def body(request: web.Request, seconds: float = SECONDS) -> bytes:
    """Raises `Unread`.

    `read` and not the stream: a server that has read the body already has left it there. It stops
    at the application's own `client_max_size`.
    """
    try:
        async with asyncio.timeout(seconds):
            raw = await request.read()
    except TimeoutError:
        raise Unread("too_slow") from None
    except web.HTTPRequestEntityTooLarge:
        raise Unread("too_large") from None
    except (ClientError, web.RequestPayloadError, ConnectionError):
        raise Unread("cut_off") from None
    if len(raw) > LARGEST:
        raise Unread("too_large")
    return raw


def refusal(status: int) -> web.Response:
    """The connection is closed, so that nobody waits for the rest of the body."""
    response = web.Response(status=status)
    response.force_close()
    return response
