"""Shows what the core has to say in Teams: the Surface port over the Bot Connector."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

from adapters import fields
from adapters.teams import files, private
from adapters.teams.connector import Connector
from adapters.teams.directory import Directory, Kept
from adapters.teams.invokes import answer_key, message_id
from adapters.teams.placeholders import Placeholders
from adapters.teams.reasons import GONE, UNREACHABLE
from adapters.teams.render import cards, figures, messages, signin
from adapters.teams.streams import Streams
from adapters.teams.uploads import Uploads
from core.errors import DeliveryFailed
from core.parked import Verdict
from core.ports import Showing, Transcript
from core.records import Address, FileRef, Json, Person, PersonId, Post

log = logging.getLogger(__name__)
LONG = 20_000
"""Characters from which on an answer takes noticeable time to be cut into messages."""
CLOSING_SECONDS = 2.0
"""For taking a sign of work away, when a turn ends without an answer."""


class TeamsSurface:
    """One tenant. What was sent is noted under the post's id, so that a post can be asked for
    again: Teams does not let a bot read what it has written."""

    name = "teams"

    def __init__(
        self,
        connector: Connector,
        directory: Directory,
        placeholders: Placeholders,
        kept: Kept,
        streams: Streams,
        uploads: Uploads,
        transcript: Transcript | None = None,
        *,
        is_local: bool,
        sso_resource: str = "",
        sensitivity: str = "",
    ) -> None:
        """`is_local`: a stand-in on this machine plays Teams. The others: see the settings."""
        self._sso_resource = sso_resource
        self._sensitivity = sensitivity
        self._streams = streams
        self._uploads = uploads
        self._transcript = transcript
        self._connector = connector
        self._directory = directory
        self._placeholders = placeholders
        self._kept = kept
        self._is_local = is_local

    async def progress(self, address: Address, text: str) -> None:
        """Typing in a one-to-one chat; elsewhere a message that the answer takes the place of."""
        try:
            await self._placeholders.show(address, " ".join(text.split()))
        except DeliveryFailed as error:
            log.info("teams.no_status", extra={"fields": {"reason": error.reason}})

    async def offer(self, address: Address, link: Verdict) -> bool:
        """In the person's own chat, wherever they asked."""
        shown = [signin.verdict(link, self._sso_resource)]
        return await private.tell(self._connector, self._directory, address, shown, is_secret=True)

    async def profile(self, person: Person) -> Person:
        return await self._directory.fill(person)

    async def fetch(self, file: FileRef, *, limit: int, person: PersonId) -> bytes:
        given = (self._kept, self._transcript, file)
        return await files.fetch(*given, limit=limit, person=person, local=self._is_local)

    @asynccontextmanager
    async def showing(
        self, post: str, address: Address, words: Callable[[], str]
    ) -> AsyncGenerator[Showing]:
        """In a one-to-one chat the words, as they come; elsewhere the sign of work stands until
        the answer takes its place."""
        try:
            async with self._streams.showing(post, address, words) as showing:
                yield showing
        except asyncio.CancelledError:
            # Stopped, taken back or cut short: no answer of this run takes its place.
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_SECONDS):
                    await self.progress(address, "")
            raise

    async def deliver(self, post: Post, content: bytes | None) -> str:
        """Return the id of the first message. Raises `DeliveryFailed`."""
        try:
            if post.kind == "private" and (whispered := await self._whispered(post)):
                return whispered
            address = await self._placed(post)
            if post.kind == "card" and post.card is not None:
                return await self._card(post, address)
            if post.kind == "file":
                return await self._file(post, address, len(content or b""))
            return await self._answer(post, address)
        except DeliveryFailed as error:
            if error.reason in UNREACHABLE:
                await self._lost(post)
            if error.reason in UNREACHABLE and not error.is_final:
                raise DeliveryFailed(error.reason, is_final=True) from error
            raise

    async def _whispered(self, post: Post) -> str:
        """Among the others, to the person alone; empty where that is not possible."""
        if post.attempt and (known := await self._sent(post.id, 1)):
            return known
        shown = await _rendered(post, self._sensitivity)
        if not (id := await private.whispered(self._connector, post.address, shown)):
            return ""
        known = message_id(post.address["conversation"], id)
        await self._kept.keep(f"sent:{post.id}/1", {"id": known})
        return known

    async def _lost(self, post: Post) -> None:
        """The way there does not lead there any more: it is not gone again."""
        log.warning("teams.unreachable", extra={"fields": {"post": post.id}})
        if post.kind == "private" or set(post.address) == {"person"}:
            await self._directory.chat(post.person, "")

    async def _file(self, post: Post, address: Address, size: int) -> str:
        if post.attempt and (known := await self._sent(post.id, 1)):
            return known
        id = await self._uploads.offer(post, address, size)
        known = message_id(address["conversation"], id)
        await self._kept.keep(f"sent:{post.id}/1", {"id": known})
        return known

    async def _placed(self, post: Post) -> Address:
        """Where it goes: a private post and one that names a person alone to their own chat."""
        if set(post.address) == {"person"}:
            return await self._of_person(PersonId(post.address["person"]))
        if post.kind == "private":
            return await private.chat(self._connector, self._directory, post.address)
        return post.address

    async def _of_person(self, who: PersonId) -> Address:
        tenant, _, oid = who.partition(":")[2].partition("/")
        known = await self._directory.of(who)
        if known is None or not who.startswith("teams:"):
            raise DeliveryFailed("person_is_not_known_in_teams", is_final=True)
        address = {
            "tenant": tenant,
            "service": known.service,
            "conversation": known.conversation,
            "message": "",
            "user": known.user,
            "oid": oid,
            "bot": known.bot,
            "kind": "dm" if known.conversation else "group",
        }
        return await private.chat(self._connector, self._directory, address)

    async def _card(self, post: Post, address: Address) -> str:
        """A message of its own first, later the same message anew. Changing one twice changes
        nothing."""
        if post.card is None:
            raise DeliveryFailed("no_card", is_final=True)
        shown = cards.message(post.card, post.answer.text)
        known = post.replaces or await self._sent(post.id, 1)
        if known:
            try:
                await self._update(address, known, shown)
                return known
            except DeliveryFailed as error:
                if error.reason not in GONE:
                    raise
                log.info("teams.card_gone", extra={"fields": {"reason": error.reason}})
        return await self._new(post.id, 1, address, shown)

    async def _answer(self, post: Post, address: Address) -> str:
        shown = await _rendered(post, self._sensitivity)
        holder = await self._placeholders.take(address) if post.kind == "answer" else ""
        first, last = "", ""
        for number, one in enumerate(shown, start=1):
            known = await self._sent(post.id, number) if post.attempt else ""
            if not known and number == 1:
                known = await self._begun(post, address, holder, one)
            last = known or await self._new(post.id, number, address, one)
            first = first or last
        if post.kind == "answer":
            await self._kept.keep(answer_key(last), {"turn": post.turn})
            await self._placeholders.done(address)
        for number, figure in enumerate(post.answer.figures, start=1):
            if not figures.is_whole(figure):
                await self._uploads.offer_rows(post, address, number, figure)
        return first

    async def _begun(self, post: Post, address: Address, holder: str, shown: Json) -> str:
        """Complete or replace what stands there of the answer; empty where nothing does."""
        if streamed := await self._streams.id_of(post.id):
            if await self._streams.completed(post.id, address, streamed, shown):
                known = message_id(address["conversation"], streamed)
                await self._kept.keep(f"sent:{post.id}/1", {"id": known})
                return known
            holder = streamed
        return await self._instead(post.id, address, holder, shown) if holder else ""

    async def _instead(self, post: str, address: Address, holder: str, shown: Json) -> str:
        """Put the answer where the placeholder stood; empty where that is gone."""
        known = message_id(address["conversation"], holder)
        try:
            await self._update(address, known, shown)
        except DeliveryFailed as error:
            if error.reason not in GONE:
                raise
            return ""
        await self._kept.keep(f"sent:{post}/1", {"id": known})
        return known

    async def _new(self, post: str, number: int, address: Address, shown: Json) -> str:
        id = await self._connector.send(address["service"], address["conversation"], shown)
        known = message_id(address["conversation"], id)
        await self._kept.keep(f"sent:{post}/{number}", {"id": known})
        return known

    async def _update(self, address: Address, known: str, shown: Json) -> None:
        id = known.rpartition("/")[2]
        await self._connector.update(address["service"], address["conversation"], id, shown)

    async def _sent(self, post: str, number: int) -> str:
        return fields.text(await self._kept.read(f"sent:{post}/{number}") or {}, "id")


async def _rendered(post: Post, sensitivity: str) -> list[Json]:
    """Off the loop where it would hold others up."""
    if len(post.answer.text) > LONG:
        return await asyncio.to_thread(messages.render, post.answer, sensitivity)
    return messages.render(post.answer, sensitivity)
