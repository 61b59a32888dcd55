"""Takes a person to Microsoft and back: one person, one browser, one use, ten minutes."""

import asyncio
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any

from core.errors import NeedsAccount, Unreadable
from core.identity import failures, scopes
from core.identity.claims import Account, Untrusted
from core.identity.custody import Custody, Kept
from core.identity.entra import Entra, Minted
from core.identity.people import People
from core.identity.settings import EntraSettings
from core.identity.steps import (
    CONFIRM,
    ELSEWHERE,
    SECONDS,
    STALE,
    UNTRUSTED,
    Confirm,
    Directory,
    Known,
    Leave,
    Linked,
    Refusal,
    another,
    stranger,
)
from core.identity.vault import KeyRing
from core.ports import Clock
from core.records import Address, PersonId
from core.storage import signins
from core.storage.database import Database
from core.storage.signins import SealedSignIn, Stage
from core.telemetry import logs

log = logs.get(__name__)


class Consent:
    """Sign-ins under way."""

    def __init__(
        self,
        db: Database,
        keys: KeyRing,
        entra: Entra,
        custody: Custody,
        people: People,
        settings: EntraSettings,
        directory: Directory,
        clock: Clock,
    ) -> None:
        self._db, self._keys, self._entra = db, keys, entra
        self._custody, self._people = custody, people
        self._settings, self._directory, self._clock = settings, directory, clock

    async def offer(
        self, person: PersonId, wanted: tuple[str, ...], address: Address, challenge: str
    ) -> str:
        """The link that begins a sign-in. Raises what the directory raises."""
        known = Known() if await self._account(person) else await self._directory(person)
        key = secrets.token_urlsafe(32)
        plain = {
            "scopes": wanted,
            "challenge": challenge,
            "address": dict(address),
            "known": known.address.lower(),
            "name": known.name,
        }
        await signins.put(self._db, self._sealed(key, "offered", person, plain), now=self._clock())
        # The redactor takes `key` out of an address, wherever it is printed.
        return f"{self._settings.public_url.rstrip('/')}/connect/start?key={key}"

    async def start(
        self, key: str, cookies: Mapping[str, str], *, goes_on: bool = False
    ) -> Leave | Confirm | Refusal:
        """Use the link up. `goes_on` counts in the browser that was shown the question."""
        offered = await signins.look(self._db, _digest(key), "offered", now=self._clock())
        plain = self._opened(offered)
        if offered is None or plain is None:
            return _refused(STALE)
        person = offered.person
        account = await self._account(person)
        if not (account or plain["known"]):
            cookie = self._cookie(offered.id)
            if not (goes_on and cookie in cookies):
                return Confirm(CONFIRM.format(name=plain["name"] or person), key, cookie)
        try:
            asking = await asyncio.to_thread(
                self._entra.begin,
                tuple(plain["scopes"]),
                address=plain["known"] or (account.address if account else ""),
                challenge=plain["challenge"],
            )
        except NeedsAccount as need:
            return _refused(Refusal(sentence=str(need), reason=need.kind, is_temporary=True))
        browser = secrets.token_urlsafe(32)
        plain |= {"flow": asking.flow, "browser": _digest(browser)}
        asked = self._sealed(asking.state, "asked", person, plain)
        if not await signins.move(self._db, offered.id, asked, now=self._clock()):
            return _refused(STALE)
        return Leave(url=asking.url, cookie=self._cookie(asked.id), value=browser)

    async def finish(
        self, query: Mapping[str, str], cookies: Mapping[str, str]
    ) -> Linked | Refusal:
        """Judge what came back. The sign-in is used up, whatever comes of it."""
        asked = await signins.take(self._db, _digest(query.get("state", "")), now=self._clock())
        plain = self._opened(asked)
        if asked is None or plain is None:
            return _refused(STALE)
        browser = _digest(cookies.get(self._cookie(asked.id), ""))
        if not hmac.compare_digest(browser, plain["browser"]):
            return _refused(ELSEWHERE, asked.person)
        try:
            minted = await asyncio.to_thread(self._redeemed, query, plain)
        except Untrusted as error:
            return _refused(Refusal(sentence=UNTRUSTED, reason=error.reason), asked.person)
        except NeedsAccount as need:
            is_away = need.kind == "unavailable"
            wrong = Refusal(sentence=str(need), reason=need.kind, is_temporary=is_away)
            return _refused(wrong, asked.person)
        return await self._link(asked.person, plain, minted)

    async def exchange(
        self, person: PersonId, wanted: tuple[str, ...], assertion: str, address: Address
    ) -> Linked | Refusal:
        """Link by what the chat platform's own sign-in says, where the platform also says whose
        account it has to be."""
        if await self._account(person) is None:
            return _refused(Refusal(sentence=UNTRUSTED, reason="unknown_person"), person)
        try:
            minted = await asyncio.to_thread(self._exchanged, assertion, wanted)
        except Untrusted as error:
            return _refused(Refusal(sentence=UNTRUSTED, reason=error.reason), person)
        except NeedsAccount as need:
            is_away = need.kind == "unavailable"
            wrong = Refusal(sentence=str(need), reason=need.kind, is_temporary=is_away)
            return _refused(wrong, person)
        return await self._link(person, {"known": "", "address": dict(address)}, minted)

    def _exchanged(self, assertion: str, wanted: tuple[str, ...]) -> Minted:
        minted = self._entra.exchange(assertion, wanted)
        if scopes.missing(wanted, minted.granted):
            raise failures.need("consent_required", scopes=wanted)
        return minted

    def _redeemed(self, query: Mapping[str, str], plain: Mapping[str, Any]) -> Minted:
        wanted = tuple(plain["scopes"])
        metadata = self._entra.known()
        issuer = query.get("iss")
        if issuer != metadata.issuer and (issuer is not None or metadata.names_issuer):
            raise Untrusted("answer_issuer")
        if query.get("error") or not query.get("code"):
            raise failures.of_browser(query.get("error", ""), wanted)
        minted = self._entra.redeem(plain["flow"], query["code"], wanted)
        if scopes.missing(wanted, minted.granted):
            raise failures.need("consent_required", scopes=wanted)
        return minted

    async def _link(
        self, person: PersonId, plain: Mapping[str, Any], minted: Minted
    ) -> Linked | Refusal:
        account, now = minted.account, self._clock()
        if wrong := stranger(account, await self._account(person), plain["known"]):
            return _refused(wrong, person)
        granted = scopes.merged(await self._granted(person), minted.granted)
        kept = Kept(person=person, account=account, cache=minted.cache, granted=granted)
        async with self._db.transaction() as tx:
            is_bound = await self._custody.bind(tx, person, account, now=now)
            if is_bound:
                await self._custody.put(tx, kept, now=now)
        if not is_bound:
            return _refused(another(account), person)
        self._entra.forget_answers()
        log.info("account.linked", person=person, scopes=" ".join(sorted(minted.granted)))
        return Linked(
            person=person, account=account, granted=minted.granted, address=plain["address"]
        )

    async def _account(self, person: PersonId) -> Account | None:
        """Whose account it has to be. A link that cannot be read says nothing, but still takes
        no other account in its place."""
        try:
            return await self._people.account(person)
        except Unreadable:
            log.error("link.unreadable", person=person)
            return None

    async def _granted(self, person: PersonId) -> frozenset[str]:
        try:
            kept = await self._custody.kept(person)
        except Unreadable:
            return frozenset()
        return kept.granted if kept else frozenset()

    def _cookie(self, id: str) -> str:
        """One for each sign-in, so that two of them in one browser do not meet."""
        prefix = "" if self._settings.is_loopback else "__Host-"
        return f"{prefix}connect-{id[:16]}"

    def _sealed(
        self, secret: str, stage: Stage, person: PersonId, plain: Mapping[str, Any]
    ) -> SealedSignIn:
        id = _digest(secret)
        body = self._keys.seal(json.dumps(plain).encode(), purpose(id, stage, person))
        return SealedSignIn(id, stage, person, body, self._clock() + SECONDS)

    def _opened(self, signin: SealedSignIn | None) -> dict[str, Any] | None:
        if signin is None:
            return None
        try:
            bound = purpose(signin.id, signin.stage, signin.person)
            return json.loads(self._keys.unseal(signin.body, bound))
        except Unreadable:
            log.error("signin.unreadable", person=signin.person)
            return None


def purpose(id: str, stage: str, person: str) -> str:
    return json.dumps(["signin", stage, id, person])


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _refused(refusal: Refusal, person: str = "") -> Refusal:
    log.warning("account.refused", person=person, reason=refusal.reason)
    return refusal
