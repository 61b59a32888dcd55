"""Takes what a person thinks of an answer to the front door."""

import logging
from typing import Any, cast

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncAck, AsyncApp

from adapters.slack import clicks, fields, identity, private
from adapters.slack.api import SlackApi
from adapters.slack.render import feedback
from core.errors import CountersignError
from core.ports import FrontDoor
from core.records import Json, Rating, TurnId

log = logging.getLogger(__name__)
THANKS = "Thank you. Your opinion is kept with this answer; you can change it at any time."
UNKNOWN = "This answer is too old to be rated."


def register(app: AsyncApp, door: FrontDoor, api: SlackApi) -> None:
    """Attach the listener; it answers once the rating is committed."""

    async def on_rating(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        return await ack() if await _taken(door, api, body) else BoltResponse(status=503)

    cast(Any, app).action(feedback.ACTION)(on_rating)


async def _taken(door: FrontDoor, api: SlackApi, body: Json) -> bool:
    rating = rating_of(body)
    if rating is None:
        return True
    try:
        is_known = await door.rate(rating)
    except CountersignError as failure:
        log.warning("slack.not_rated", extra={"fields": {"reason": type(failure).__name__}})
        return False
    said = private.sentence(THANKS if is_known else UNKNOWN)
    await private.tell(api, clicks.spot_of(body), said)
    return True


def rating_of(body: Json) -> Rating | None:
    """None for what is no button of ours, and for people of other organisations."""
    found = fields.children(body, "actions")
    side, _, turn = (fields.text(found[0], "value") if found else "").partition(":")
    person, at = clicks.person(body), clicks.spot_of(body)
    if side not in (feedback.GOOD, feedback.BAD) or not turn or person is None:
        return None
    if not person.id.startswith(f"slack:{at.team}/") or not identity.is_id(at.channel):
        return None
    return Rating(
        turn=TurnId(turn),
        place=identity.place(at.team, at.channel).id,
        person=person.id,
        is_good=side == feedback.GOOD,
    )
