"""Hands out tokens that act for a person: fresh at the click, one for each resource."""

import asyncio
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from core.errors import NeedsAccount, Unreadable
from core.identity import failures, scopes
from core.identity.custody import Custody, Kept
from core.identity.entra import Entra, Minted
from core.identity.people import People
from core.ports import Clock
from core.records import PersonId
from core.telemetry import logs

log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A right to act for one person, towards one resource."""

    value: str = field(repr=False)
    granted: frozenset[str]
    """Graph's permissions without the address, those of others with it."""
    oid: str
    """Whose it is."""
    expires: float


class Mint:
    """Tokens from what is kept. Each lock guards the refresh token of one person, which changes
    whenever it is used. `patience` is in seconds for one token, the wait for others of the same
    person included."""

    def __init__(
        self, entra: Entra, custody: Custody, people: People, clock: Clock, *, patience: float
    ) -> None:
        self._entra, self._custody, self._people, self._clock = entra, custody, people, clock
        self._patience = patience
        self._locks = WeakValueDictionary[PersonId, asyncio.Lock]()

    async def token(
        self, person: PersonId, wanted: tuple[str, ...], *, fresh: bool, challenge: str
    ) -> Token:
        """Raises `NeedsAccount`."""
        try:
            async with asyncio.timeout(self._patience):
                if (own := await self._minted(person, wanted, fresh, challenge)) is not None:
                    return own
                for other in (await self._people.joined(person))[1:]:
                    if (theirs := await self._minted(other, wanted, fresh, challenge)) is not None:
                        return theirs
                raise await self._nothing(person, wanted)
        except TimeoutError:
            raise failures.need("unavailable") from None
        except Unreadable:
            log.error("tokens.unreadable", person=person)
            raise failures.need("revoked", says="unreadable", scopes=wanted) from None

    def lock(self, owner: PersonId) -> asyncio.Lock:
        return self._locks.setdefault(owner, asyncio.Lock())

    async def held(self, person: PersonId) -> Kept | None:
        """What is kept of the human, under whichever of their persons. Raises `Unreadable`."""
        if kept := await self._custody.kept(person):
            return kept
        for other in (await self._people.joined(person))[1:]:
            if kept := await self._custody.kept(other):
                return kept
        return None

    async def _nothing(self, person: PersonId, wanted: tuple[str, ...]) -> NeedsAccount:
        is_linked = await self._custody.link(person) is not None
        return failures.need("revoked" if is_linked else "not_linked", scopes=wanted)

    async def _minted(
        self, owner: PersonId, wanted: tuple[str, ...], fresh: bool, challenge: str
    ) -> Token | None:
        """None where nothing is kept of this person."""
        async with self.lock(owner):
            kept = await self._custody.kept(owner)
            return None if kept is None else await self._mint(kept, wanted, fresh, challenge)

    async def _mint(
        self, kept: Kept, wanted: tuple[str, ...], fresh: bool, challenge: str
    ) -> Token:
        try:
            # A caller who gives up leaves the thread behind. That loses nothing: Entra lets a
            # refresh token be used again, and the thread ends by the deadlines of its requests.
            minted = await asyncio.to_thread(
                self._entra.mint,
                kept.cache,
                kept.account,
                wanted,
                fresh=fresh,
                challenge=challenge,
            )
        except NeedsAccount as need:
            if need.kind == "revoked":
                await self._custody.erase_tokens(kept)
                log.info("tokens.erased", person=kept.person, reason="revoked")
            raise
        await self._keep(kept, minted, wanted)
        if scopes.missing(wanted, minted.granted):
            raise failures.need("consent_required", scopes=wanted)
        return Token(
            value=minted.value,
            granted=minted.granted,
            oid=kept.account.oid,
            expires=self._clock() + minted.seconds,
        )

    async def _keep(self, kept: Kept, minted: Minted, wanted: tuple[str, ...]) -> None:
        if not minted.has_changed:
            return
        granted = scopes.merged(kept.granted, minted.granted)
        newer = replace(kept, cache=minted.cache, granted=granted)
        if await self._custody.renew(newer, now=self._clock()):
            return
        # Renewed by another process: theirs is as good. Erased: the person has disconnected.
        if await self._custody.kept(kept.person) is None:
            raise failures.need("not_linked", scopes=wanted)
