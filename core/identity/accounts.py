"""A person's Microsoft account, as the rest of the bot may ask for it."""

import asyncio
from collections.abc import Iterable, Mapping

from core.errors import NeedsAccount, SourceFailed, Unreadable
from core.identity import library
from core.identity import scopes as permissions
from core.identity.claims import Account
from core.identity.consent import Consent
from core.identity.custody import Custody
from core.identity.entra import Entra
from core.identity.mint import Mint, Token
from core.identity.people import Human, People
from core.identity.settings import EntraSettings
from core.identity.steps import Confirm, Directory, Leave, Linked, Refusal
from core.identity.vault import KeyRing
from core.parked import Verdict
from core.ports import Clock
from core.records import Address, PersonId
from core.storage import signins
from core.storage.database import Database
from core.telemetry import logs

_CONNECT = (
    "Connect your Microsoft account. The link is for you alone, works once, and for ten minutes."
)
_GONE = "No Microsoft account is connected."
_DISCONNECTED = (
    "Your Microsoft account is disconnected, and everything that was kept of it is erased."
)
_WITHDRAW = (
    " The permission itself stands in your account at Microsoft until you take it back there: "
    "myapps.microsoft.com."
)
log = logs.get(__name__)


class Accounts:
    """Implements `core.ports.Accounts`. `read_scopes` is what a link asks for when no action
    needs more; `patience` is the seconds in which a token has to be there."""

    def __init__(
        self,
        db: Database,
        keys: KeyRing,
        settings: EntraSettings,
        *,
        directory: Directory,
        clock: Clock,
        read_scopes: tuple[str, ...] = ("User.Read",),
        patience: float = 8.0,
    ) -> None:
        self._db = db
        self._clock = clock
        self._read_scopes = permissions.asked(read_scopes)
        self._entra = Entra(settings, clock)
        self._custody = Custody(db, keys)
        self._people = People(self._custody)
        self._mint = Mint(self._entra, self._custody, self._people, clock, patience=patience)
        self._consent = Consent(
            db, keys, self._entra, self._custody, self._people, settings, directory, clock
        )

    async def connect(self, person: PersonId, address: Address) -> Verdict:
        """A link that asks for the reading permissions."""
        return await self.offer(person, (), address)

    async def offer(
        self, person: PersonId, scopes: Iterable[str], address: Address, *, claims: str = ""
    ) -> Verdict:
        """A link that asks for these permissions: `connect` with its `url`, or `refused` when the
        person cannot be looked up."""
        try:
            url = await self.url_for(person, scopes, address, claims=claims)
        except SourceFailed as failure:
            return Verdict(kind="refused", sentence=str(failure))
        return Verdict(kind="connect", sentence=_CONNECT, url=url)

    async def url_for(
        self, person: PersonId, scopes: Iterable[str], address: Address, *, claims: str = ""
    ) -> str:
        """As `offer`, the address alone. Raises `SourceFailed`, and ValueError for the permissions
        of two resources."""
        wanted = permissions.asked(list(scopes) or self._read_scopes)
        return await self._consent.offer(person, wanted, address, claims)

    async def start(
        self, key: str, cookies: Mapping[str, str], *, goes_on: bool = False
    ) -> Leave | Confirm | Refusal:
        """What the browser that opened the link is to do; `goes_on` answers a `Confirm`."""
        return await self._consent.start(key, cookies, goes_on=goes_on)

    async def finish(
        self, query: Mapping[str, str], cookies: Mapping[str, str]
    ) -> Linked | Refusal:
        """What came of the sign-in that the browser has come back from."""
        return await self._consent.finish(query, cookies)

    async def exchange(
        self,
        person: PersonId,
        scopes: Iterable[str],
        assertion: str,
        address: Address,
    ) -> Linked | Refusal:
        """Connect without a browser: by the assertion with which the person's chat client has
        signed them in."""
        wanted = permissions.asked(list(scopes) or self._read_scopes)
        return await self._consent.exchange(person, wanted, assertion, address)

    async def token(
        self, person: PersonId, scopes: Iterable[str], *, fresh: bool = True, claims: str = ""
    ) -> Token:
        """A token of this person for these permissions, minted now unless not `fresh`.

        `claims` is a claims challenge as JSON, decoded. Raises `NeedsAccount`, and ValueError for
        the permissions of two resources.
        """
        wanted = permissions.asked(scopes)
        return await self._mint.token(person, wanted, fresh=fresh, challenge=claims)

    async def own_token(self, scope: str) -> str:
        """A token of the application itself: no person's. Raises `NeedsAccount`."""
        return await asyncio.to_thread(self._entra.own, (scope,))

    async def account(self, person: PersonId) -> Account | None:
        """The account under which this person would act; None when none is connected."""
        try:
            kept = await self._mint.held(person)
        except Unreadable:
            return None
        return kept.account if kept else None

    async def granted(self, person: PersonId) -> frozenset[str] | None:
        """The permissions that Microsoft has named so far; a token may still be refused. None
        without an account."""
        try:
            kept = await self._mint.held(person)
        except Unreadable:
            return None
        return kept.granted if kept else None

    async def joined(self, person: PersonId) -> tuple[PersonId, ...]:
        """Every person on any surface who is proven to be the same human, this one first.

        Raises `Unreadable` when the person's own link was altered or its key is gone.
        """
        return await self._people.joined(person)

    async def human(self, person: PersonId) -> Human:
        """The same, with the account that proves it."""
        return await self._people.human(person)

    async def disconnect(self, person: PersonId) -> str:
        try:
            humans = await self._people.joined(person)
        except Unreadable:
            humans = (person,)
        found = [await self._erase(each) for each in humans]
        self._entra.forget_answers()
        if not any(found):
            return _GONE
        log.info("account.disconnected", person=person)
        return _DISCONNECTED if "revoked" in found else _DISCONNECTED + _WITHDRAW

    async def warm(self) -> None:
        """Load what the first token would wait for, beside the loop."""
        await asyncio.to_thread(library.cache)

    async def close(self) -> None:
        await asyncio.to_thread(self._entra.close)

    async def _erase(self, person: PersonId) -> str:
        """Revoke where that is possible, and erase in any case: `revoked`, `erased` or empty."""
        async with self._mint.lock(person):
            is_revoked = await self._revoke(person)
            async with self._db.transaction() as tx:
                had_any = await self._custody.erase(tx, person)
                await signins.erase(tx, person)
        if not had_any:
            return ""
        return "revoked" if is_revoked else "erased"

    async def _revoke(self, person: PersonId) -> bool:
        try:
            kept = await self._custody.kept(person)
            return kept is not None and await asyncio.to_thread(self._entra.revoke, kept.cache)
        except (Unreadable, NeedsAccount):
            return False
