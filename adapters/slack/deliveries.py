"""Takes verified deliveries to where they belong: questions to the front door, the rest to Bolt."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

from adapters.recent import Recent
from adapters.slack import commands, fields, inbound, looking, private, stopping
from adapters.slack.admission import GUEST
from adapters.slack.api import SlackApi
from adapters.slack.bodies import Body
from adapters.slack.breaker import Breaker
from adapters.slack.commands import Speech
from adapters.slack.looking import Looking
from core.errors import CountersignError
from core.ports import Clock, FrontDoor
from core.records import Json, Question, Stop

log = logging.getLogger(__name__)
ACCEPT_SECONDS = 2.5
"""Slack waits three seconds and then delivers again."""
TOO_LONG = "That took too long. Please try once more."
BOT_SECONDS = 300.0
BOT_QUESTIONS = 5
"""Of one bot in one place within `BOT_SECONDS`; in one thread it is one."""
REFUSED_SECONDS = 3_600.0
"""For which somebody who is not answered is not told so again."""
EDITS = 5
"""Questions that one person may reword in one place in a minute; a program that rewrites messages
in bulk is left alone from then on."""
LISTENED_TO = frozenset({"app_home_opened"})
"""Events that are no questions and have a listener."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What Slack is answered: a status and, for a command, what the person sees."""

    status: int
    text: str = ""
    media_type: str = "text/plain"


class Deliveries:
    """The same for every way in: HTTP today, a socket as well later."""

    def __init__(
        self,
        door: FrontDoor,
        bolt: AsyncApp,
        api: SlackApi,
        speech: Speech,
        clock: Clock,
        *,
        bots: frozenset[str] = frozenset(),
        looks: Looking | None = None,
    ) -> None:
        """`bots` are those beside people that may ask."""
        self._door = door
        self._bolt = bolt
        self._api = api
        self._speech = speech
        self._bots = bots
        self._looking = looks or Looking(clock)
        self._threads_of_bots = Breaker(clock, most=1, seconds=BOT_SECONDS)
        self._bots_of_places = Breaker(clock, most=BOT_QUESTIONS, seconds=BOT_SECONDS)
        self._refusals = Breaker(clock, most=1, seconds=REFUSED_SECONDS)
        self._edits = Breaker(clock, most=EDITS, seconds=60.0)
        self._recent = Recent()
        """One message arrives as up to two events, and each of them again."""

    async def take(self, body: Body) -> Reply:
        """200 only for what is committed, answered or deliberately left alone; 503 asks Slack to
        deliver it again."""
        match body.kind:
            case "ssl_check":
                return Reply(status=200)
            case "url_verification":
                return Reply(status=200, text=fields.text(body.fields, "challenge"))
            case "event":
                return await self._event(body.fields)
            case "interaction":
                return await self._listened(body.fields, Reply(status=503))
            case "command":
                return await self._listened(body.fields, Reply(status=200, text=TOO_LONG))
            case "other":
                return _ignored("other_envelope")

    async def _event(self, envelope: Json) -> Reply:
        kind = fields.text(fields.child(envelope, "event"), "type")
        if kind == looking.EVENT:
            self._looking.turned(envelope)
            return Reply(status=200)
        if kind in LISTENED_TO:
            return await self._listened(envelope, Reply(status=200))
        if kind in stopping.EVENTS:
            return await self._committed(kind, self._stopped(envelope))
        if gone := inbound.deleted(envelope):
            return await self._committed(gone, self._taken_back(gone))
        own = fields.text(self._api.own, "user_id")
        ours = frozenset({own} if own else ())
        if (edit := inbound.edited(envelope, ours)) is not None:
            return await self._edit(edit)
        asked = inbound.question(envelope, ours, self._bots)
        if isinstance(asked, inbound.Ignored):
            return _ignored(asked.reason)
        if isinstance(asked, inbound.Outside):
            outside = asked.question
            return await self._committed(outside.delivery, self._refused(outside, GUEST))
        if inbound.is_allowed_bot(fields.child(envelope, "event"), self._bots):
            return await self._of_bot(asked)
        return await self._taken(asked)

    async def _taken(self, asked: Question) -> Reply:
        async def take() -> bool:
            reply = await self._committed(asked.delivery, self._admitted(asked))
            return reply.status == 200

        is_taken = await self._recent.taken(asked.delivery, take)
        return Reply(status=200 if is_taken else 503)

    async def _of_bot(self, asked: Question) -> Reply:
        """Two bots that answer each other would never end: one question in a thread and a few in
        a channel, then silence for a while."""
        place = f"{asked.place.id} {asked.person.id}"
        if not self._threads_of_bots.allows(asked.thread, asked.delivery):
            return _ignored("bot_again")
        if not self._bots_of_places.allows(place, asked.delivery):
            return _ignored("many_bots")
        return await self._committed(asked.delivery, self._question(asked))

    async def _admitted(self, asked: Question) -> Reply:
        if fault := await self._speech.admission.fault(asked.address["user"]):
            return await self._refused(asked, fault)
        return await self._asked(asked)

    async def _refused(self, asked: Question, sentence: str) -> Reply:
        """Tell them, once in a while, and keep nothing of what they asked."""
        who = f"{asked.place.id} {asked.person.id}"
        log.info("slack.not_answered", extra={"fields": {"delivery": asked.delivery}})
        if self._refusals.once_more(who):
            await private.tell(self._api, commands.spot_of(asked), private.sentence(sentence))
        return Reply(status=200)

    async def _edit(self, edit: inbound.Edited | inbound.Ignored) -> Reply:
        if isinstance(edit, inbound.Ignored):
            return _ignored(edit.reason)
        asked = edit.question
        # An edit that adds the mention asks for the first time.
        if not edit.was_asked:
            return await self._taken(asked)
        by = f"{asked.place.id} {asked.person.id}"
        if not self._edits.allows(by, asked.delivery):
            return _ignored("many_edits")
        return await self._committed(asked.delivery, self._revised(asked))

    async def _revised(self, asked: Question) -> Reply:
        receipt = await self._door.revise(asked)
        ids = {"delivery": asked.delivery, "thread": asked.thread, "turn": receipt.turn or ""}
        log.info(f"slack.edit_{receipt.kind}", extra={"fields": ids})
        return Reply(status=200)

    async def _committed(self, delivery: str, work: Coroutine[Any, Any, Reply]) -> Reply:
        """What the work replies; 503 where it was not committed in time."""
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                return await work
        except (CountersignError, TimeoutError) as error:
            reason = type(error).__name__
            log.warning("slack.again", extra={"fields": {"delivery": delivery, "reason": reason}})
            return Reply(status=503)

    async def _stopped(self, envelope: Json) -> Reply:
        """Harmless twice."""
        wanted = await stopping.of(self._api, envelope)
        if wanted is None:
            return _ignored("no_stop")
        await self._door.stop(wanted)
        return Reply(status=200)

    async def _stop_said(self, asked: Question, wanted: Stop) -> Reply:
        """Where nothing runs the person is told so; the word is a question in no case."""
        if not await self._door.stop(wanted):
            sentence = private.sentence(stopping.NOTHING)
            await private.tell(self._api, commands.spot_of(asked), sentence)
        return Reply(status=200)

    async def _taken_back(self, delivery: str) -> Reply:
        await self._door.take_back(delivery)
        return Reply(status=200)

    async def _asked(self, asked: Question) -> Reply:
        if wanted := stopping.said(asked):
            return await self._stop_said(asked, wanted)
        return await self._command(asked) or await self._question(asked)

    async def _command(self, asked: Question) -> Reply | None:
        """None where it is none."""
        told = await commands.said_to(self._speech, asked)
        return None if told is None else Reply(status=200 if told else 503)

    async def _question(self, asked: Question) -> Reply:
        receipt = await self._door.accept(asked)
        ids = {"delivery": asked.delivery, "thread": asked.thread, "turn": receipt.turn or ""}
        log.debug(f"slack.{receipt.kind}", extra={"fields": ids})
        return Reply(status=200)

    async def _listened(self, content: Json, late: Reply) -> Reply:
        """Bolt gets the parsed object as Socket Mode would give it, and no header from outside:
        it takes instructions from some of them. `late` is the reply when it takes too long."""
        request = AsyncBoltRequest(mode="socket_mode", body=content)
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                response = await self._bolt.async_dispatch(request)
        except TimeoutError:
            return late
        is_json = response.body.startswith("{")
        return Reply(
            status=response.status,
            text=response.body,
            media_type="application/json" if is_json else "text/plain",
        )


def _ignored(reason: str) -> Reply:
    log.debug("slack.ignored", extra={"fields": {"reason": reason}})
    return Reply(status=200)
