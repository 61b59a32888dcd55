"""The Bot Framework's activity handler behind the edge, for what Teams waits to have answered.

Importing this takes a second or two: it is imported when it is first needed, beside the loop.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Any, cast

from botbuilder.core import ActivityHandler, BotAdapter, TurnContext
from botbuilder.schema import Activity

from adapters.teams import signing_in, uploads
from adapters.teams.invokes import Answered
from core.records import Json

log = logging.getLogger(__name__)
FEEDBACK = "message/submitAction"
OURS = signing_in.KNOWN | {uploads.CONSENT}
"""What the library's handler would answer by itself, or not at all."""
KNOWN = frozenset({"adaptiveCard/action", FEEDBACK}) | OURS
ERROR = "application/vnd.microsoft.error"
Pressed = Callable[[Json, str], Awaitable[Json]]
Rated = Callable[[Json, str], Awaitable[None]]
Signed = Callable[[str, Json, str], Awaitable[Answered]]


class Listener:
    def __init__(self, pressed: Pressed, rated: Rated, signed: Signed) -> None:
        self._pressed = pressed
        self._rated = rated
        self._signed = signed

    async def answer(self, raw: Json, tenant: str) -> Answered:
        """One pass through the library's pipeline."""
        name = raw.get("name")
        if name not in KNOWN:
            return Answered(status=501)
        value: Any = raw.get("value")
        action: Any = cast(Json, value).get("action") if isinstance(value, dict) else None
        if name == "adaptiveCard/action" and not _is_execute(action):
            return Answered(status=400, body=_fault("This is no action of a card."))
        handler = _Waited(raw, tenant, self._pressed, self._rated, self._signed)
        adapter = _Adapter()
        activity: Any = cast(Any, Activity).deserialize(_readable(raw))
        context = TurnContext(adapter, activity)
        await cast(Any, adapter).run_pipeline(context, handler.on_turn)
        return handler.answered or Answered(status=501)


class _Waited(ActivityHandler):
    """Finds the method for an invoke. Its own serialisation of an answer breaks on every card, so
    the answer is kept here."""

    def __init__(
        self, raw: Json, tenant: str, pressed: Pressed, rated: Rated, signed: Signed
    ) -> None:
        super().__init__()
        self._raw, self._tenant = raw, tenant
        self._pressed, self._rated, self._signed = pressed, rated, signed
        self.answered: Answered | None = None

    async def on_invoke_activity(self, turn_context: TurnContext) -> Any:
        if cast(Any, turn_context.activity).name == FEEDBACK:
            await self._rated(self._raw, self._tenant)
            self.answered = Answered(status=200, body={})
            return None
        name: str = cast(Any, turn_context.activity).name
        if name in OURS:
            self.answered = await self._signed(name, self._raw, self._tenant)
            return None
        return await super().on_invoke_activity(turn_context)

    async def on_adaptive_card_invoke(self, turn_context: TurnContext, invoke_value: Any) -> Any:
        self.answered = Answered(status=200, body=await self._pressed(self._raw, self._tenant))
        return None


class _Adapter(BotAdapter):
    """Sends nothing: what is said goes through the connector."""

    async def send_activities(self, context: TurnContext, activities: Any) -> Any:
        return []

    async def update_activity(self, context: TurnContext, activity: Any) -> Any:
        raise NotImplementedError

    async def delete_activity(self, context: TurnContext, reference: Any) -> Any:
        raise NotImplementedError


def _is_execute(action: Any) -> bool:
    return isinstance(action, dict) and cast(Json, action).get("type") == "Action.Execute"


def _readable(raw: Json) -> Json:
    """What the library's handler looks at; the rest may be of shapes that break its parser."""
    value = cast(Json, raw.get("value"))
    kept = {key: raw[key] for key in ("type", "id", "name", "channelId") if key in raw}
    if raw.get("name") != "adaptiveCard/action":
        return kept
    return {**kept, "value": {"action": value["action"]}}


def _fault(sentence: str) -> Json:
    error = {"code": "BadRequest", "message": sentence}
    return {"statusCode": 400, "type": ERROR, "value": error}
