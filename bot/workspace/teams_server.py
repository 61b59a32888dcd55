"""A stand-in for Teams' Bot Connector on loopback: the real client library runs against it
unmodified, tests drive it, and the local workspace shows it."""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Self, TypeVar, cast

from adapters import fields
from bot.workspace.loopback import Loopback
from bot.workspace.teams import shapes
from bot.workspace.teams.connector import ConnectorRoutes
from bot.workspace.teams.delivery import Carrier
from bot.workspace.teams.records import (
    APP_ID,
    TENANT,
    Call,
    Conversation,
    Delivery,
    Json,
    Member,
    Posted,
)
from bot.workspace.teams.signing import Signing
from bot.workspace.teams.world import World

BODY_LIMIT = 4 * 2**20
SECRET = "stand-in-secret-of-teams"  # noqa: S105
"""Of nobody but this stand-in."""
CARD = "application/vnd.microsoft.card.adaptive"
Found = TypeVar("Found")


class TeamsStandIn:
    """One tenant with one bot. Use it as an async context manager, or `start` and `stop` it.

    `person` is a member's key; `place` a conversation's name, or `@key` for the chat with a
    person.
    """

    def __init__(
        self,
        messages_url: str = "",
        *,
        port: int = 0,
        tenant: str = TENANT,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        is_throttled: bool = False,
    ) -> None:
        self.world = World(APP_ID, clock, tenant)
        self.signing = Signing(APP_ID, SECRET, clock)
        self.carrier = Carrier(self.world, self.signing, sleep=sleep)
        self.carrier.url = messages_url
        self._routes = ConnectorRoutes(self.world, self.signing, is_throttled=is_throttled)
        self._routes.posted = self._posted
        self._loopback = Loopback(port, body_limit=BODY_LIMIT)
        self.assertion: Callable[[str], str] | None = None
        """Makes, of an object id, the token that Teams gets for the person from Entra; None: Teams
        signs nobody in by itself."""
        self.sso_resource = ""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen on loopback; the addresses are known afterwards."""
        await self._loopback.listen([self._routes.add_routes, self.signing.add_routes])
        self.signing.base = self.base
        await self.carrier.start()

    async def stop(self) -> None:
        try:
            await self.carrier.stop()
        finally:
            await self._loopback.close()

    # What the bot is told.

    @property
    def base(self) -> str:
        return self._loopback.base

    @property
    def connector_url(self) -> str:
        return f"{self.base}/teams/"

    @property
    def openid_url(self) -> str:
        return f"{self.base}/openid"

    def connect(self, messages_url: str) -> None:
        """From now on the bot is at this address."""
        self.carrier.url = messages_url

    # What people do.

    async def say(
        self,
        person: str,
        place: str,
        text: str,
        *,
        root: str = "",
        is_mention: bool | None = None,
        others: Sequence[str] = (),
        files: Mapping[str, bytes] | None = None,
        **more: Any,
    ) -> str:
        """Write as this person; outside of a one-to-one chat with a mention of the bot. Returns
        the activity's id."""
        activity = self.written(
            *(person, place, text),
            root=root,
            is_mention=is_mention,
            others=others,
            files=files,
            **more,
        )
        self.carrier.launch(self.carrier.bring(activity))
        return str(activity["id"])

    def written(
        self,
        person: str,
        place: str,
        text: str,
        *,
        root: str = "",
        is_mention: bool | None = None,
        others: Sequence[str] = (),
        files: Mapping[str, bytes] | None = None,
        **more: Any,
    ) -> Json:
        """The same without bringing it."""
        member, where = self.member(person), self.place(place)
        base = shapes.envelope(self.world, self.connector_url, "message", member, where, root)
        activity = shapes.message(
            base,
            text,
            is_mention=where.kind != "personal" if is_mention is None else is_mention,
            bot=self.world.bot,
            others=[self.member(other) for other in others],
        )
        posted = [self._put(member, where, *one) for one in (files or {}).items()]
        activity = (shapes.with_files(activity, posted) if posted else activity) | more
        said = {**activity, "by": person, "thread": root, "posted": posted}
        self.world.put(where, said)
        return activity

    def _put(self, member: Member, place: Conversation, name: str, content: bytes) -> Posted:
        """Where a file that somebody posts lies then."""
        if place.kind != "personal" and self.world.stored is not None:
            return self.world.stored(member, place, name, content)
        id = str(uuid.uuid4())
        self.world.files[id] = content
        return Posted(id=id, name=name, address=f"{self.base}/files/{id}")

    async def click(
        self,
        person: str,
        place: str,
        activity: str,
        title: str,
        values: Json | None = None,
        *,
        card: Json | None = None,
    ) -> Json:
        """Press a button of the card in that activity (or of `card`, which this person sees
        instead). Returns what the bot answered."""
        where = self.place(place)
        shown = self.world.find(where, activity)
        if shown is None:
            raise LookupError(f"there is no activity {activity} in {place}")
        content = card or cards(shown)[0]
        action = next(one for one in actions(content) if one.get("title") == title)
        return await self.press(person, place, activity, action, values or {})

    async def press(
        self, person: str, place: str, activity: str, action: Json, values: Json
    ) -> Json:
        where = self.place(place)
        shown = self.world.find(where, activity) or {}
        member = self.member(person)
        root = str(shown.get("thread", ""))
        base = shapes.envelope(self.world, self.connector_url, "invoke", member, where, root)
        clicked = shapes.click(base, activity, action, values)
        found = await self.carrier.once(clicked)
        answer = {"http": found.status, **(found.body or {})}
        asked = fields.child(fields.child(answer, "value"), "tokenExchangeResource")
        if answer.get("statusCode") != 401 or not asked or self.assertion is None:
            return answer
        # Teams signs the person in and presses again; where that is not taken it shows the button.
        proof = {"id": asked["id"], "token": self.assertion(member.oid)}
        again = {**clicked, "id": self.world.next_id()}
        again["value"] = {**clicked["value"], "authentication": proof}
        found = await self.carrier.once(again)
        second = {"http": found.status, **(found.body or {})}
        return answer if second.get("statusCode") == 412 else second

    def _posted(self, place: Conversation, activity: Json) -> None:
        """A request to sign in, in a chat of two: Teams tries before it shows anything."""
        for attachment in fields.children(activity, "attachments"):
            content = fields.child(attachment, "content")
            asked = fields.child(content, "tokenExchangeResource")
            if place.kind == "personal" and asked and self.assertion is not None:
                self.carrier.launch(self._sign_in(place, activity, content))

    async def _sign_in(self, place: Conversation, activity: Json, content: Json) -> None:
        member = self.member(place.members[0])
        if self.assertion is None:
            return
        base = shapes.envelope(self.world, self.connector_url, "invoke", member, place)
        asked = fields.child(content, "tokenExchangeResource")
        token = self.assertion(member.oid)
        found = await self.carrier.once(shapes.exchange(base, activity["id"], asked["id"], token))
        if found.status == 200 and activity in place.activities:
            place.activities.remove(activity)
            self.world.publish()

    async def take_file(
        self, person: str, activity: str, *, yes: bool = True, upload_url: str = ""
    ) -> Delivery:
        """Agree to a file that the bot has for this person, or not; `upload_url` is where Teams
        says that it goes, its own place for files unless another is given."""
        where = self.place(f"@{person}")
        shown = self.world.find(where, activity) or {}
        asked = fields.children(shown, "attachments")[0]
        there = upload_url or f"{self.base}/uploads/{asked['name']}"
        base = shapes.envelope(self.world, self.connector_url, "invoke", self.member(person), where)
        return await self.carrier.once(shapes.consent(base, activity, asked, there if yes else ""))

    def press_stop(self, person: str) -> None:
        """Press Stop under what is being streamed to this person."""
        self._routes.streams.stop(self.place(f"@{person}").id)

    async def happen(self, person: str, place: str, kind: str, **more: Any) -> Delivery:
        """Another activity: an installation, an edit, a deletion, an invoke of another name."""
        member, where = self.member(person), self.place(place)
        base = shapes.envelope(self.world, self.connector_url, kind, member, where)
        return await self.carrier.bring({**base, **more})

    # What can be seen.

    def member(self, person: str) -> Member:
        return self.world.members[person]

    def place(self, place: str) -> Conversation:
        if place.startswith("@"):
            return self.world.personal(self.member(place[1:]))
        return self.world.conversations[place]

    def by_bot(self, place: str, root: str | None = None) -> list[Json]:
        """What stands there by the bot for all to see; in a channel, in the thread of `root`."""
        return [
            one
            for one in self.place(place).activities
            if one["by"] == "bot"
            and not one.get("only")
            and (root is None or one["thread"] == root)
        ]

    def whispers(self, person: str, place: str) -> list[Json]:
        """What stands there by the bot for this person alone."""
        return [one for one in self.place(place).activities if one.get("only") == person]

    @property
    def calls(self) -> list[Call]:
        return self.world.calls

    @property
    def deliveries(self) -> list[Delivery]:
        return self.world.deliveries

    async def wait_for(self, look: Callable[[], Found | None], seconds: float = 10.0) -> Found:
        """What `look` finds, once it does. Raises `TimeoutError`."""
        end = time.monotonic() + seconds
        while (found := look()) is None:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError("this did not happen in Teams")
            await self.world.changed(min(left, 0.5))
        return found


def cards(activity: Json) -> list[Json]:
    return [
        cast(Json, one["content"])
        for one in fields.children(activity, "attachments")
        if one.get("contentType") == CARD
    ]


def actions(card: Any) -> list[Json]:
    """Every button of the card, those inside of others as well."""
    if isinstance(card, list):
        return [found for one in cast("list[Any]", card) for found in actions(one)]
    if not isinstance(card, dict):
        return []
    known = cast(Json, card)
    own = [known] if str(known.get("type", "")).startswith("Action.") else []
    return own + [found for one in known.values() for found in actions(one)]
