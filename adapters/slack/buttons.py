"""Listens for the buttons of cards and for the windows that they open."""

import re
from typing import Any, cast

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncAck, AsyncApp

from adapters.slack import windows
from adapters.slack.deciding import Deciding

_OURS = re.compile(r"call\..{1,40}")


def register(app: AsyncApp, deciding: Deciding) -> None:
    """Attach the listeners. They answer once the desk has committed."""

    async def on_button(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        return await ack() if await deciding.pressed(body) else BoltResponse(status=503)

    async def on_window(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack(**await windows.submitted(deciding, body))

    untyped = cast(Any, app)
    untyped.action(_OURS)(on_button)
    untyped.view(_OURS)(on_window)
