"""Takes the click with which a person shares what they were told privately to the front door."""

import logging
from typing import Any, cast

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncAck, AsyncApp

from adapters.slack import clicks, fields, private
from adapters.slack.api import SlackApi
from adapters.slack.render import sharing
from core.errors import CountersignError
from core.ports import FrontDoor
from core.records import Json, TurnId

log = logging.getLogger(__name__)


def register(app: AsyncApp, door: FrontDoor, api: SlackApi) -> None:
    """Attach the listener; it answers once the sharing is committed."""

    async def on_click(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        return await ack() if await _shared(door, api, body) else BoltResponse(status=503)

    cast(Any, app).action(sharing.ACTION)(on_click)


async def _shared(door: FrontDoor, api: SlackApi, body: Json) -> bool:
    found = fields.children(body, "actions")
    turn = fields.text(found[0], "value") if found else ""
    person, at = clicks.person(body), clicks.spot_of(body)
    if not turn or person is None or not person.id.startswith(f"slack:{at.team}/"):
        return True
    try:
        said = await door.share(person.id, TurnId(turn))
    except CountersignError as failure:
        log.warning("slack.not_shared", extra={"fields": {"reason": type(failure).__name__}})
        return False
    await private.tell(api, at, private.sentence(said))
    return True
