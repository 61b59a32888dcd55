"""Takes verified activities to where they belong: questions to the front door, clicks to the
desk."""

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass

from adapters import fields
from adapters.recent import Recent
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
        self._recent = Recent()

    async def take(self, activity: Json) -> Reply:
        """200 only for what is committed, answered or deliberately left alone; 503 asks the
        channel to deliver it again."""
        tenant = identity.tenant(activity) or self._tenant
        match fields.text(activity, "type"):
            case "message":
                return await self._message(activity, tenant)
            case "invoke":
                self._directory.note(activity, tenant)
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
        before = await self._recent.again(inbound.delivery(activity, tenant))
        if before is not None:
            return Reply(status=200 if before else 503)
        asked = inbound.question(activity, tenant, self._clock)
        if isinstance(asked, inbound.Ignored):
            return _ignored(asked.reason)
        is_taken = await self._recent.taken(
            asked.delivery, lambda: self._said(activity, tenant, asked)
        )
        if not is_taken:
            return Reply(status=503)
        self._directory.note(activity, tenant)
        return Reply(status=200)

    async def _said(self, activity: Json, tenant: str, asked: Question) -> bool:
        """Whether it is committed, or was answered."""
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                for key, body in files.addresses(activity, tenant).items():
                    await self._kept.keep(key, body)
                answered = await self._command(activity, tenant, asked)
                if answered is not None:
                    return answered
                if inbound.is_targeted(activity) and asked.place.kind != "dm":
                    return await commands.not_in_public(self._speech, asked)
                await self._question(asked)
        except (CountersignError, TimeoutError) as error:
            _again(asked.delivery, error)
            return False
        return True

    async def _command(self, activity: Json, tenant: str, asked: Question) -> bool | None:
        """Whether it was answered; None where it is a question."""
        speech = self._speech
        is_own = commands.is_known(speech, asked)
        may_be_order = not is_own and ordering.may_be_one(asked)
        shown = await ordering.said(speech, asked) if may_be_order else None
        if not is_own and shown is None:
            return None
        # Where a person is reached privately has to be known before they are told.
        await self._directory.meet(activity, tenant)
        if shown is None:
            return await commands.said_to(speech, asked)
        return await private.tell(speech.connector, speech.directory, asked.address, shown)

    async def _question(self, asked: Question) -> None:
        receipt = await self._door.accept(asked)
        ids = {"delivery": asked.delivery, "thread": asked.thread, "turn": receipt.turn or ""}
        log.debug(f"teams.{receipt.kind}", extra={"fields": ids})

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
            _again(delivery, error)
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


def _again(delivery: str, error: Exception) -> None:
    fields = {"delivery": delivery, "reason": type(error).__name__}
    log.warning("teams.again", extra={"fields": fields})


def _ignored(reason: str) -> Reply:
    log.debug("teams.ignored", extra={"fields": {"reason": reason}})
    return Reply(status=200)
