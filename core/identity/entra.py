"""Asks Microsoft's sign-in, through MSAL.

Everything here blocks and belongs in a thread.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.identity import claims, failures, library, scopes
from core.identity.claims import Account, Expected
from core.identity.keys import SigningKeys
from core.identity.settings import EntraSettings
from core.identity.wire import Wire
from core.ports import Clock
from core.telemetry import logs

log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    issuer: str
    keys: str
    """Where the signing keys are."""
    revocation: str
    """Empty where tokens cannot be revoked one by one, as at Entra."""
    names_issuer: bool
    """Whether an answer to the browser carries `iss` (RFC 9207)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A sign-in that is about to leave for Microsoft."""

    url: str = field(repr=False)
    state: str = field(repr=False)
    flow: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Minted:
    """A token with the cache that it came from or went into."""

    value: str = field(repr=False)
    seconds: float
    """For which it is good."""
    granted: frozenset[str]
    account: Account
    cache: str = field(repr=False)
    has_changed: bool


class Entra:
    """One application in one tenant, for any thread."""

    def __init__(self, settings: EntraSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._wire = Wire(settings.base)
        self._keys = SigningKeys(self._wire, clock)
        self._answers: dict[str, Any] = {}
        self._metadata: Metadata | None = None

    def close(self) -> None:
        self._wire.close()

    def forget_answers(self) -> None:
        """MSAL repeats an HTTP 400 for a minute without asking again, which would hide that the
        person has just signed in or consented."""
        self._answers = {}

    @library.answering
    def begin(self, wanted: tuple[str, ...], *, address: str, challenge: str) -> Asking:
        """A sign-in with PKCE, state and nonce. Raises `NeedsAccount` of kind `unavailable`."""
        flow = self._app(library.cache()).initiate_auth_code_flow(
            list(wanted),
            redirect_uri=self._settings.redirect_uri,
            response_mode="query",
            login_hint=address or None,
            prompt=None if address else "select_account",
            claims_challenge=challenge or None,
        )
        url = self._wire.real(flow.pop("auth_uri"))
        return Asking(url=url, state=flow["state"], flow=flow)

    @library.answering
    def redeem(self, flow: dict[str, Any], code: str, wanted: tuple[str, ...]) -> Minted:
        """Exchange the code, and prove whose it is.

        Raises `claims.Untrusted`, and `NeedsAccount` where Microsoft refuses or does not answer.
        """
        cache = library.cache()
        nonce = str(flow["nonce"])
        app = self._app(cache)
        answer = _redeemed(app, flow, code)
        if answer is None:
            raise claims.Untrusted("nonce")
        if not isinstance(answer.get("access_token"), str):
            _tell("entra.code_refused", answer)
            raise failures.of_answer(answer, wanted)
        account = self._proven(str(answer.get("id_token", "")), nonce)
        if _own(app, account) is None:
            raise claims.Untrusted("another_account")
        return self._minted(answer, cache, account)

    @library.answering
    def own(self, wanted: tuple[str, ...]) -> str:
        """A token of the application itself, for what an administrator granted it. Raises
        `NeedsAccount`."""
        answer = self._app(library.cache()).acquire_token_for_client(list(wanted))
        value: Any = answer.get("access_token")
        if not isinstance(value, str):
            _tell("entra.own_refused", answer)
            raise failures.of_answer(answer, wanted)
        return value

    @library.answering
    def exchange(self, assertion: str, wanted: tuple[str, ...]) -> Minted:
        """A token on behalf of whoever the assertion proves, with what renews it. Raises as
        `redeem` does."""
        account = self._asserted(assertion)
        cache = library.cache()
        app = self._app(cache)
        answer = app.acquire_token_on_behalf_of(assertion, list(wanted))
        if not isinstance(answer.get("access_token"), str):
            _tell("entra.assertion_refused", answer)
            raise failures.of_answer(answer, wanted)
        if _own(app, account) is None:
            raise claims.Untrusted("another_account")
        return self._minted(answer, cache, account)

    @library.answering
    def mint(
        self, kept: str, account: Account, wanted: tuple[str, ...], *, fresh: bool, challenge: str
    ) -> Minted:
        """A token out of the cache `kept`, or a new one. Raises `NeedsAccount`."""
        cache = library.cache()
        cache.deserialize(kept)
        app = self._app(cache)
        answer = app.acquire_token_silent_with_error(
            list(wanted),
            _own(app, account),
            force_refresh=fresh,
            claims_challenge=challenge or None,
        )
        if not answer:
            # Nothing to renew with, or an answer without content.
            raise failures.need("unavailable" if _can_renew(cache) else "revoked", scopes=wanted)
        if not isinstance(answer.get("access_token"), str):
            _tell("entra.refresh_refused", answer)
            raise failures.of_answer(answer, wanted)
        return self._minted(answer, cache, account)

    @library.answering
    def revoke(self, kept: str) -> bool:
        """Revoke every refresh token of the cache; False where the authority has no way to."""
        address = self.metadata().revocation
        cache = json.loads(kept)
        for entry in cache.get("RefreshToken", {}).values() if address else ():
            body = {"token": entry["secret"], "token_type_hint": "refresh_token"}
            body |= {"client_id": self._settings.client_id}
            body |= {"client_secret": self._settings.client_secret}
            self._wire.post(address, data=body).raise_for_status()
        return bool(address)

    def metadata(self) -> Metadata:
        """What the authority says about itself."""
        if self._metadata is None:
            base = self._settings.base
            read = json.loads(self._wire.read(f"{base}/v2.0/.well-known/openid-configuration").text)
            self._metadata = Metadata(
                issuer=self._issuer(read["issuer"]),
                keys=read["jwks_uri"],
                revocation=read.get("revocation_endpoint", ""),
                names_issuer=bool(read.get("authorization_response_iss_parameter_supported")),
            )
        return self._metadata

    @library.answering
    def known(self) -> Metadata:
        """As `metadata`. Raises `NeedsAccount` of kind `unavailable`."""
        return self.metadata()

    def _issuer(self, named: str) -> str:
        if self._settings.tenant_id.lower() not in named.lower().split("/"):
            raise ValueError("the authority is not the tenant's own")
        return named

    def _proven(self, id_token: str, nonce: str) -> Account:
        expected = self._expected(nonce)
        return claims.judge(id_token, self._key_of(id_token), expected, now=self._clock())

    def _asserted(self, assertion: str) -> Account:
        expected = self._expected()
        return claims.assertion(assertion, self._key_of(assertion), expected, now=self._clock())

    def _key_of(self, token: str) -> Any:
        return self._keys.find(self.known().keys, claims.key_id(token))

    def _expected(self, nonce: str = "") -> Expected:
        return Expected(
            issuer=self.known().issuer,
            tenant=self._settings.tenant_id,
            audience=self._settings.client_id,
            nonce=nonce,
        )

    def _minted(self, answer: Mapping[str, Any], cache: Any, account: Account) -> Minted:
        # An answer out of the cache does not say what it is good for; its entry does.
        given = answer.get("scope") or _target(cache, answer["access_token"])
        has_changed = bool(cache.has_state_changed)
        return Minted(
            value=answer["access_token"],
            seconds=float(answer.get("expires_in", 0)),
            granted=scopes.granted(given),
            account=account,
            cache=cache.serialize(),
            has_changed=has_changed,
        )

    def _app(self, cache: Any) -> Any:
        return library.application(self._settings, self._wire, cache, self._answers)


def _redeemed(app: Any, flow: dict[str, Any], code: str) -> dict[str, Any] | None:
    """MSAL's answer; None when it found the nonce to be another."""
    try:
        return app.acquire_token_by_auth_code_flow(flow, {"state": flow["state"], "code": code})
    except RuntimeError:
        return None


def _own(app: Any, account: Account) -> Any:
    """MSAL's account of exactly this object in this tenant. A guest's home lies elsewhere, so the
    home id says nothing here."""
    for candidate in app.get_accounts():
        if candidate["local_account_id"].lower() == account.oid.lower():
            return candidate
    return None


def _can_renew(cache: Any) -> bool:
    return bool(list(cache.search(cache.CredentialType.REFRESH_TOKEN)))


def _target(cache: Any, value: str) -> str:
    entries = list(cache.search(cache.CredentialType.ACCESS_TOKEN))
    return next((entry["target"] for entry in entries if entry["secret"] == value), "")


def _tell(action: str, answer: Mapping[str, Any]) -> None:
    """The numbers of a refusal; its description quotes names and addresses."""
    numbers = " ".join(f"AADSTS{n}" for n in sorted(failures.numbers_of(answer)))
    log.warning(action, error=str(answer.get("error", ""))[:40], numbers=numbers)
