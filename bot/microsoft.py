"""Joins the account link and the approvals: whose token, who somebody is, what a sign-in tells."""

import secrets
from collections.abc import Awaitable, Callable, Sequence

from core.approvals import upkeep
from core.approvals.rooms import Known, Rooms
from core.errors import Unreadable
from core.identity.accounts import Accounts
from core.identity.steps import Linked
from core.records import Answer, Person, PersonId, Post, TurnId
from core.storage import outbox
from core.storage.database import Database


class Tokens:
    """`core.approvals.rooms.Tokens` from the account link."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def token(self, person: PersonId, scopes: Sequence[str]) -> str:
        return (await self._accounts.token(person, scopes)).value

    async def granted(self, person: PersonId) -> frozenset[str] | None:
        return await self._accounts.granted(person)


class People:
    """`core.approvals.rooms.People`: one human under all the ids that are proven to be theirs,
    with the name and time zone that the chat platform knows."""

    def __init__(
        self, profile: Callable[[Person], Awaitable[Person]], accounts: Accounts | None
    ) -> None:
        self._profile = profile
        self._accounts = accounts

    async def known(self, person: PersonId) -> Known | None:
        who = await self.profile(person)
        if self._accounts is None:
            return Known(person=who, ids=frozenset({person}))
        try:
            human = await self._accounts.human(person)
        except Unreadable:
            # An altered link joins nobody: this person counts as themselves alone.
            return Known(person=who, ids=frozenset({person}))
        entra = {f"entra:{human.account.oid}"} if human.account else set[str]()
        return Known(person=who, ids=frozenset(human.persons) | entra)

    async def profile(self, person: PersonId) -> Person:
        # The adapter has asked for this profile before it took the click, and keeps it.
        return await self._profile(Person(id=person))


class Welcome:
    """Lets the cards that waited for an account wait for a decision now, and tells the person
    where they asked for the link."""

    def __init__(self, db: Database, approvals: Rooms) -> None:
        self._db = db
        self._approvals = approvals

    async def __call__(self, linked: Linked) -> None:
        await upkeep.connected(self._approvals, linked.person)
        surface = linked.person.partition(":")[0]
        post = Post(
            id=f"linked:{secrets.token_hex(8)}",
            turn=TurnId(""),
            surface=surface,
            address=linked.address,
            kind="private",
            person=linked.person,
            answer=Answer(
                text=f"Your Microsoft account ({linked.account.name or linked.account.address}) is"
                " connected. Nothing was sent: press Send on the card when you are ready, or ask"
                " again. A card that still shows Connect account needs one more permission."
            ),
        )
        await outbox.put(self._db, post)
        await self._db.notify(outbox.channel(surface))
