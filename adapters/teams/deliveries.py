"""Takes verified activities to where they belong: questions to the front door, clicks to the
desk."""

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass

from adapters import fields
from adapters.once import Once
from adapters.teams import commands, files, identity, inbound, ordering, private
from adapters.teams.commands import Speech
from adapters.teams.directory import Directory, Kept
from adapters.teams.invokes import Invokes
from core.errors import CountersignError
from core.ports import Clock, FrontDoor
from core.records import Json, Question

log = logging.getLogger(__name__)
ACCEPT_SECONDS = 8.0
"""Teams delivers again what is not answered within about fifteen seconds."""
GONE = frozenset({"remove", "remove-upgrade"})
"""Not an upgrade of the app's package: what it takes away it puts back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the channel is answered."""

    status: int
    body: Json | None = None


class Deliveries:
    def __init__(
        self,
        tenant: str,
        door: FrontDoor,
        clock: Clock,
        speech: Speech,
        invokes: Invokes,
        directory: Directory,
        kept: Kept,
    ) -> None:
        """`tenant` is the one that is meant where nobody has to prove anything."""
        self._tenant = tenant
        self._door = door
        self._clock = clock
        self._speech = speech
        self._invokes = invokes
        self._directory = directory
        self._kept = kept
        self._once = Once()
        """Commands that were said to the bot: a message may arrive several times."""

    async def take(self, activity: Json) -> Reply:
        """200 only for what is committed, answered or deliberately left alone; 503 asks the
        channel to deliver it again."""
        tenant = identity.tenant(activity) or self._tenant
        match fields.text(activity, "type"):
            case "message":
                return await self._message(activity, tenant)
            case "invoke":
                await self._met(activity, tenant)
                found = await self._invokes.answer(activity, tenant)
                return Reply(status=found.status, body=found.body)
            case "installationUpdate":
                return await self._installation(activity, tenant)
            case "messageUpdate":
                return await self._edited(activity, tenant)
            case "messageDelete":
                return await self._deleted(inbound.deleted(activity, tenant))
            case _:
                return _ignored("other_kind")

    async def _message(self, activity: Json, tenant: str) -> Reply:
        asked = inbound.question(activity, tenant, self._clock)
        if isinstance(asked, inbound.Ignored):
            return _ignored(asked.reason)
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                for key, body in files.addresses(activity, tenant).items():
                    await self._kept.keep(key, body)
                reply = await self._command(activity, tenant, asked) or await self._question(asked)
        except (CountersignError, TimeoutError) as error:
            reason = type(error).__name__
            log.warning(
                "teams.again", extra={"fields": {"delivery": asked.delivery, "reason": reason}}
            )
            return Reply(status=503)
        await self._met(activity, tenant)
        return reply

    async def _command(self, activity: Json, tenant: str, asked: Question) -> Reply | None:
        """None where it is none."""
        is_own = commands.is_known(self._speech, asked)
        shown = None if is_own or not ordering.may_be_one(asked) else await self._ordered(asked)
        if not is_own and shown is None:
            return None
        if self._once.has(asked.delivery):
            return _ignored("duplicate_command")

        async def tell() -> bool:
            # Where a person is reached privately has to be known before they are told.
            await self._directory.meet(activity, tenant)
            if shown is None:
                return await commands.said_to(self._speech, asked)
            speech = self._speech
            return await private.tell(speech.connector, speech.directory, asked.address, shown)

        told = await self._once.answer(asked.delivery, tell)
        return Reply(status=200 if told else 503)

    async def _ordered(self, asked: Question) -> list[Json] | None:
        """What an order came to; one that comes again is not carried out again."""
        if self._once.has(asked.delivery):
            return []
        return await ordering.said(self._speech, asked)

    async def _question(self, asked: Question) -> Reply:
        receipt = await self._door.accept(asked)
        ids = {"delivery": asked.delivery, "thread": asked.thread, "turn": receipt.turn or ""}
        log.info(f"teams.{receipt.kind}", extra={"fields": ids})
        return Reply(status=200)

    async def _edited(self, activity: Json, tenant: str) -> Reply:
        """A question that was edited while it is not answered is asked anew."""
        asked = inbound.question({**activity, "type": "message"}, tenant, self._clock)
        is_edit = fields.text(fields.child(activity, "channelData"), "eventType") == "editMessage"
        if isinstance(asked, inbound.Ignored) or not is_edit:
            return _ignored("no_edit")
        return await self._committed(asked.delivery, self._door.revise(asked))

    async def _committed(self, delivery: str, work: Awaitable[object]) -> Reply:
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                await work
        except (CountersignError, TimeoutError) as error:
            reason = type(error).__name__
            log.warning("teams.again", extra={"fields": {"delivery": delivery, "reason": reason}})
            return Reply(status=503)
        return Reply(status=200)

    async def _deleted(self, delivery: str) -> Reply:
        """A question that was deleted is answered no more."""
        if not delivery:
            return _ignored("incomplete")
        return await self._committed(delivery, self._door.take_back(delivery))

    async def _installation(self, activity: Json, tenant: str) -> Reply:
        """In somebody's own chat: greet them, or forget where they are."""
        person = identity.person(activity, tenant)
        if person is None or identity.kind(activity) != "dm":
            return _ignored("installation")
        try:
            if fields.text(activity, "action") in GONE:
                await self._directory.leave(person.id)
                log.info("teams.uninstalled")
                return Reply(status=200)
            is_new = await self._directory.of(person.id) is None
            await self._directory.meet(activity, tenant)
            if is_new:
                await commands.greet(self._speech, activity, tenant)
        except CountersignError as error:
            log.warning("teams.no_greeting", extra={"fields": {"reason": type(error).__name__}})
        return Reply(status=200)

    async def _met(self, activity: Json, tenant: str) -> None:
        """Best effort: the question is safe already."""
        try:
            await self._directory.meet(activity, tenant)
        except CountersignError as error:
            log.warning("teams.unmet", extra={"fields": {"reason": type(error).__name__}})


def _ignored(reason: str) -> Reply:
    log.debug("teams.ignored", extra={"fields": {"reason": reason}})
    return Reply(status=200)
