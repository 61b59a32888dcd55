"""Reads what stands around a question in a channel or a group chat, by the rights of its asker.

A bot is told of the messages that mention it alone. What else was said, and which files were
posted, Teams tells people: whoever has connected their account.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from adapters import fields
from adapters.teams import files
from adapters.teams.connector import Connector
from adapters.teams.directory import Kept
from core.errors import DeliveryFailed, NeedsAccount, SourceFailed
from core.ports import Transcript
from core.records import Address, FileId, FileRef, Question
from core.said import Attached, Heard, Said, Shared, Spoken, Spot

log = logging.getLogger(__name__)
FILES = 10
"""The newest files of the thread: older ones were read when somebody asked about them."""
NO_ACCOUNTS = (
    "It was posted in a channel or a group chat, where Teams does not hand files to me. Please post"
    " it in our own chat."
)
NOT_THERE = (
    "It was posted in a channel or a group chat, and I do not find it there by your rights. Please"
    " post it in our own chat."
)


class Thread:
    """`core.ports.Listener` in Teams. `app` is the bot's own application; without a `transcript`
    no account can be connected."""

    def __init__(
        self, transcript: Transcript | None, connector: Connector, kept: Kept, app: str
    ) -> None:
        self._transcript = transcript
        self._connector = connector
        self._kept = kept
        self._app = app
        self._groups: dict[str, str] = {}
        """By the team's id, that of the group behind it: as many as the bot was ever asked in."""

    async def heard(self, question: Question) -> Heard:
        """See `Listener.heard`. In a one-to-one chat the bot has been told everything."""
        heard = Heard(text=question.text)
        unseen = [files.unseen(file) for file in question.files if files.unseen(file)]
        if question.place.kind == "dm":
            return heard
        if self._transcript is None:
            return replace(heard, own=(), unread=(NO_ACCOUNTS,)) if unseen else heard
        try:
            spot = await self._spot(question.address)
        except DeliveryFailed as failure:
            log.info("teams.no_team", extra={"fields": {"reason": failure.reason}})
            return replace(heard, own=(), unread=(NOT_THERE,)) if unseen else heard
        heard = await self._around(self._transcript, question, spot, heard)
        return await self._own(self._transcript, question, spot, heard, unseen) if unseen else heard

    async def _spot(self, address: Address) -> Spot:
        """Raises `DeliveryFailed`."""
        chat, _, root = address["conversation"].partition(";messageid=")
        if address["kind"] == "group":
            return Spot(chat=chat, message=address["message"])
        group = address.get("group") or await self._group(address)
        return Spot(chat=chat, message=address["message"], team=group, root=root)

    async def _group(self, address: Address) -> str:
        """The id of a team is not the one of its group, by which Microsoft Graph knows it."""
        team = address.get("team", "")
        if team not in self._groups:
            known = await self._connector.team(address["service"], team) if team else {}
            if not (group := fields.text(known, "aadGroupId")):
                raise DeliveryFailed("group_is_not_known", is_final=True)
            self._groups[team] = group
        return self._groups[team]

    async def _around(
        self, transcript: Transcript, question: Question, spot: Spot, heard: Heard
    ) -> Heard:
        """Nobody is asked for a permission for the sake of it."""
        person = question.person.id
        try:
            if not await transcript.is_open(person, spot):
                return heard
            found = await transcript.around(person, spot)
        except (NeedsAccount, SourceFailed) as failure:
            log.info("teams.no_thread", extra={"fields": {"reason": type(failure).__name__}})
            return heard
        said = tuple(self._said(one, question.address["oid"]) for one in found)
        posted = await self._kept_files(question.place.tenant, self._posted(found))
        return replace(heard, said=said, files=posted)

    async def _own(
        self,
        transcript: Transcript,
        question: Question,
        spot: Spot,
        heard: Heard,
        unseen: Sequence[str],
    ) -> Heard:
        """The question's own files, found where Teams keeps them."""
        rest = tuple(_attached(file) for file in question.files if not files.unseen(file))
        try:
            found = await transcript.posted(question.person.id, spot, unseen)
        except NeedsAccount as missing:
            return replace(heard, own=rest, missing=missing)
        except SourceFailed as failure:
            return replace(heard, own=rest, unread=(str(failure),))
        own = await self._kept_files(question.place.tenant, found)
        unread = () if found else (NOT_THERE,)
        return replace(heard, own=(*rest, *own), unread=unread)

    async def _kept_files(self, tenant: str, found: Iterable[Shared]) -> tuple[Attached, ...]:
        """Where each is, to be kept until somebody reads it."""
        shown: list[Attached] = []
        for one in found:
            id = FileId(f"teams:{tenant}/{one.id}")
            await self._kept.keep(files.key_of(id), {"path": one.path})
            kind = files.media_type(one.name)
            shown.append(Attached(id=id, name=one.name, media_type=kind, size=one.size))
        return tuple(shown)

    def _posted(self, found: Sequence[Spoken]) -> Sequence[Shared]:
        """What people posted; what the bot made stands in its evidence."""
        return [file for one in found if one.said.id != self._app for file in one.files][-FILES:]

    def _said(self, one: Spoken, asker: str) -> Said:
        if one.said.id == self._app:
            return replace(one.said, role="us", name="Countersign")
        return replace(one.said, role="asker") if one.said.id == asker else one.said


def _attached(file: FileRef) -> Attached:
    return Attached(id=file.id, name=file.name, media_type=file.media_type, size=file.size)
