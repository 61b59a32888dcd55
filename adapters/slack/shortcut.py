"""“Ask about this” in a message's menu: a window for the question, which is asked in its thread."""

import json
import logging
from typing import Any, cast

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncAck, AsyncApp

from adapters.slack import fields, identity, said
from adapters.slack.admission import Admission
from adapters.slack.api import SlackApi
from adapters.slack.profiles import Profiles
from adapters.slack.render import cards
from core.errors import CountersignError
from core.ports import Clock, FrontDoor
from core.records import Json, Question, ThreadId
from core.said import Said

log = logging.getLogger(__name__)
NAME = "Ask about this"
ID = "ask_about"
KEPT = 1_800
"""Characters of the message that the window keeps; Slack gives it 3,000 in all."""
LONGEST = 3_000
AGAIN = "That could not be recorded. Please send it again."
_BLOCK, _FIELD = "ask", "words"


def register(
    app: AsyncApp, door: FrontDoor, api: SlackApi, profiles: Profiles, clock: Clock
) -> None:
    """Attach the listeners of the menu's entry and of its window."""
    admission = Admission(profiles)

    async def on_entry(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        try:
            fault = await admission.fault(fields.text(fields.child(body, "user"), "id"))
            view = _notice(fault) if fault else _window(body)
            opened = {"trigger_id": fields.text(body, "trigger_id"), "view": view}
            await api.write("views.open", opened)
        except CountersignError as error:
            log.warning("slack.no_view", extra={"fields": {"reason": type(error).__name__}})
            return BoltResponse(status=503)
        return await ack()

    async def on_window(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack(**await _sent(body, door, admission, clock))

    untyped = cast(Any, app)
    untyped.shortcut({"type": "message_action", "callback_id": ID})(on_entry)
    untyped.view(ID)(on_window)


async def _sent(body: Json, door: FrontDoor, admission: Admission, clock: Clock) -> Json:
    """What Slack is to do with the window: `{}` closes it."""
    asked = question(body, clock())
    if asked is None:
        return {"response_action": "errors", "errors": {_BLOCK: AGAIN}}
    try:
        if fault := await admission.fault(asked.address["user"]):
            return {"response_action": "errors", "errors": {_BLOCK: fault}}
        await door.accept(asked)
    except CountersignError:
        return {"response_action": "errors", "errors": {_BLOCK: AGAIN}}
    return {}


def question(body: Json, now: float) -> Question | None:
    """What was sent from the window; None where it is not whole."""
    view = fields.child(body, "view")
    kept = _read(fields.text(view, "private_metadata"))
    values = fields.child(fields.child(view, "state"), "values")
    words = fields.text(fields.child(fields.child(values, _BLOCK), _FIELD), "value").strip()
    user = fields.text(fields.child(body, "user"), "id")
    team = fields.text(fields.child(body, "team"), "id")
    channel, stamp, root = (fields.text(kept, key) for key in ("channel", "ts", "root"))
    if not words or not all(map(identity.is_id, (team, channel, user, fields.text(view, "id")))):
        return None
    place = identity.place(team, channel)
    about = Said(
        role="person",
        name=fields.text(kept, "name") or fields.text(kept, "by"),
        text=fields.text(kept, "text"),
        id=fields.text(kept, "by"),
    )
    return Question(
        delivery=f"slack:{team}/{channel}/{fields.text(view, 'id')}",
        thread=ThreadId(f"slack:{team}/{channel}/{root}"),
        place=place,
        person=identity.person(team, user),
        text=words,
        forwarded=(about,),
        address={
            "team": team,
            "channel": channel,
            "thread_ts": root,
            "message_ts": stamp,
            "user": user,
            "is_dm": "true" if place.kind == "dm" else "false",
        },
        said_at=now,
    )


def _window(body: Json) -> Json:
    message, channel = fields.child(body, "message"), fields.child(body, "channel")
    stamp = fields.text(message, "ts")
    kept = {
        "channel": fields.text(channel, "id"),
        "ts": stamp,
        "root": fields.text(message, "thread_ts") or stamp,
        "by": fields.text(message, "user") or fields.text(message, "bot_id"),
        "name": fields.text(message, "username"),
        "text": said.words(message)[:KEPT],
    }
    words: Json = {
        "type": "plain_text_input",
        "action_id": _FIELD,
        "multiline": True,
        "max_length": LONGEST,
    }
    label = cards.plain("Question")
    field: Json = {"type": "input", "block_id": _BLOCK, "element": words, "label": label}
    where = cards.plain("The answer comes into the message's thread, for all to read there.")
    return {
        "type": "modal",
        "callback_id": ID,
        "title": cards.plain(NAME),
        "submit": cards.plain("Ask"),
        "close": cards.plain("Cancel"),
        "private_metadata": json.dumps(kept, ensure_ascii=False)[:3_000],
        "blocks": [field, {"type": "context", "elements": [where]}],
    }


def _notice(sentence: str) -> Json:
    block = {"type": "section", "text": cards.plain(sentence)}
    return {
        "type": "modal",
        "title": cards.plain(NAME),
        "close": cards.plain("Close"),
        "blocks": [block],
    }


def _read(text: str) -> Json:
    try:
        found: Any = json.loads(text)
    except ValueError:
        return {}
    return cast(Json, found) if isinstance(found, dict) else {}
