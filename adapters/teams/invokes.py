"""Answers what Teams waits for: clicks on cards, feedback on answers, sign-ins."""

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from adapters import fields
from adapters.teams import clicks, identity, ordering
from adapters.teams.commands import Speech
from adapters.teams.deciding import NONE_OF_MINE, Shown
from adapters.teams.directory import Kept
from adapters.teams.overtime import Overtime
from adapters.teams.render.signin import SignIn
from adapters.teams.render.tables import CARD
from adapters.teams.signing_in import SigningIn
from adapters.teams.uploads import CONSENT, Uploads
from core.errors import CountersignError
from core.ports import FrontDoor
from core.records import Json, Rating, TurnId

if TYPE_CHECKING:
    from adapters.teams.listening import Listener

log = logging.getLogger(__name__)
MESSAGE = "application/vnd.microsoft.activity.message"
NO_CARDS = "No call needs an approval here."
REACTIONS = frozenset({"like", "dislike"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    status: int
    body: Json | None = None


class Invokes:
    """The Bot Framework's handler reads the activity and finds the method; what it would make of
    the answer does not come through, so the answer is ours."""

    def __init__(
        self,
        speech: Speech,
        signing: SigningIn,
        uploads: Uploads,
        overtime: Overtime,
        door: FrontDoor,
        kept: Kept,
    ) -> None:
        deciding = speech.deciding
        self._speech = speech
        self._uploads = uploads
        self._overtime = overtime
        self._signing = signing
        self._deciding = deciding
        self._door = door
        self._kept = kept
        self._listener: Listener | None = None
        self._loading = asyncio.Lock()

    async def answer(self, activity: Json, tenant: str) -> Answered:
        listener = await self.load()
        return await listener.answer(activity, tenant)

    async def load(self) -> "Listener":
        """Import the library beside the loop."""
        async with self._loading:
            if self._listener is None:
                await asyncio.to_thread(_load)
                from adapters.teams.listening import Listener

                self._listener = Listener(self.pressed, self.rated, self.signed)
            return self._listener

    async def pressed(self, activity: Json, tenant: str) -> Json:
        """The answer to a click, as Teams reads it."""
        if ordering.is_ours(activity):
            return shown(await ordering.pressed(self._speech, activity, tenant))
        at = clicks.pressed(activity, tenant)
        if at is None:
            return shown(NONE_OF_MINE)
        if self._deciding is None:
            return shown(NO_CARDS)
        return shown(await self._deciding.pressed(at))

    async def signed(self, name: str, activity: Json, tenant: str) -> Answered:
        if name == CONSENT:
            # Bytes may take longer than Teams waits; what came of it is a message.
            await self._overtime.within(self._uploads.answered(activity, tenant), _told)
            return Answered(status=200, body={})
        said = await self._signing.answer(name, activity, tenant)
        return Answered(status=said.status, body=said.body)

    async def rated(self, activity: Json, tenant: str) -> None:
        """Keep whether somebody finds an answer good. Best effort: it is only an opinion."""
        person = identity.person(activity, tenant)
        given = fields.child(fields.child(activity, "value"), "actionValue")
        reaction = fields.text(given, "reaction").lower()
        if person is None or reaction not in REACTIONS:
            return
        place = fields.text(fields.child(activity, "conversation"), "id")
        message = message_id(place, fields.text(activity, "replyToId"))
        try:
            known = await self._kept.read(answer_key(message))
            if known is not None:
                await self._door.rate(
                    Rating(
                        turn=TurnId(fields.text(known, "turn")),
                        place=identity.place(activity, tenant).id,
                        person=person.id,
                        is_good=reaction == "like",
                        words=_typed(given),
                    )
                )
        except CountersignError as error:
            log.warning("teams.no_feedback", extra={"fields": {"reason": type(error).__name__}})


def _typed(given: Json) -> str:
    """The words stand in a text that is JSON in itself."""
    try:
        found: Any = json.loads(fields.text(given, "feedback"))
    except (ValueError, RecursionError):
        return ""
    return fields.text(cast(Json, found), "feedbackText") if isinstance(found, dict) else ""


def message_id(conversation: str, activity: str) -> str:
    """The platform's id of a post: activities are named by the moment, and only their
    conversation makes that unique."""
    return f"{identity.channel(conversation)}/{activity}"


def answer_key(message: str) -> str:
    """Under which the turn is kept whose answer this message ends."""
    return f"answer:{message}"


def shown(answer: Shown) -> Json:
    if isinstance(answer, SignIn):
        return {"statusCode": answer.status, "type": answer.type, "value": answer.value}
    kind = MESSAGE if isinstance(answer, str) else CARD
    return {"statusCode": 200, "type": kind, "value": answer}


async def _told(_: None) -> None:
    """Nothing is left to say."""


def _load() -> None:
    import adapters.teams.listening

    _ = adapters.teams.listening
