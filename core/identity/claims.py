"""Judges an ID token: whether it was made for us, now, by the tenant that we asked.

MSAL takes any ID token whose nonce fits (1.38 and later), so nothing of its answer is believed
before this.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from jwt.types import Options

from core.errors import CountersignError

SCOPE = "access_as_user"
"""The permission of our own API that a chat client asks for."""
LEEWAY = 60.0
"""Seconds by which the provider's clock and ours may differ."""


class Untrusted(CountersignError):
    """The ID token is not to be believed. `reason` is a word for the log; it holds nothing of the
    token."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    issuer: str
    tenant: str
    audience: str
    nonce: str = ""
    """As MSAL keeps it; what the token carries is its SHA-256."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A Microsoft account that was proven. `oid` in `tenant` never changes and is never given to
    somebody else; the address may be."""

    tenant: str
    oid: str
    address: str = ""
    """What the person signs in with, for people to read."""
    name: str = ""
    addresses: tuple[str, ...] = ()
    """Every address that the tenant vouches for, in lower case."""

    @property
    def digest(self) -> str:
        """What rows of the account are found by, without naming it."""
        named = f"{self.tenant.lower()}/{self.oid.lower()}"
        return hashlib.sha256(named.encode()).hexdigest()

    def is_same(self, other: "Account") -> bool:
        return self.digest == other.digest


def key_id(token: str) -> str:
    """Which key is said to have signed the token. Raises `Untrusted`."""
    try:
        header = jwt.get_unverified_header(token)
    except jwt.InvalidTokenError:
        raise Untrusted("malformed") from None
    if header.get("alg") != "RS256":
        raise Untrusted("algorithm")
    return str(header.get("kid", ""))


def judge(token: str, key: Any, expected: Expected, *, now: float) -> Account:
    """The account that the token proves; `key` is the public key of its `key_id`.

    Raises `Untrusted`.
    """
    claims = _current(token, key, expected, now)
    fingerprint = hashlib.sha256(expected.nonce.encode()).hexdigest()
    if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), fingerprint.encode()):
        raise Untrusted("nonce")
    return _account(claims)


def assertion(token: str, key: Any, expected: Expected, *, now: float) -> Account:
    """The account that a chat platform's own sign-in proves: a token for our API, which the
    platform got for the person. Raises `Untrusted`."""
    claims = _current(token, key, expected, now)
    if SCOPE not in str(claims.get("scp", "")).split():
        raise Untrusted("scope")
    return _account(claims)


def _current(token: str, key: Any, expected: Expected, now: float) -> Mapping[str, Any]:
    claims = _signed(token, key, expected)
    if str(claims.get("tid", "")).lower() != expected.tenant.lower():
        raise Untrusted("tenant")
    if _seconds(claims, "exp") + LEEWAY <= now:
        raise Untrusted("expired")
    if _seconds(claims, "nbf") - LEEWAY > now or _seconds(claims, "iat") - LEEWAY > now:
        raise Untrusted("not_yet")
    return claims


def _signed(token: str, key: Any, expected: Expected) -> Mapping[str, Any]:
    options: Options = {
        "require": ["exp", "iat", "nbf", "iss", "aud"],
        "strict_aud": True,
        # Times are judged by our own clock.
        "verify_exp": False,
        "verify_nbf": False,
        "verify_iat": False,
    }
    try:
        return jwt.decode(
            token,
            key,
            algorithms=["RS256"],
            audience=expected.audience,
            issuer=expected.issuer,
            options=options,
        )
    except jwt.InvalidSignatureError:
        raise Untrusted("signature") from None
    except jwt.InvalidAudienceError:
        raise Untrusted("audience") from None
    except jwt.InvalidIssuerError:
        raise Untrusted("issuer") from None
    except jwt.MissingRequiredClaimError as error:
        raise Untrusted(f"without_{error.claim}") from None
    except jwt.InvalidTokenError:
        raise Untrusted("malformed") from None


def _seconds(claims: Mapping[str, Any], name: str) -> float:
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Untrusted(f"without_{name}")
    return float(value)


def _account(claims: Mapping[str, Any]) -> Account:
    oid = claims.get("oid")
    if not isinstance(oid, str) or not oid:
        raise Untrusted("without_oid")
    named = [claims.get(name) for name in ("preferred_username", "upn", "email")]
    addresses = [value for value in named if isinstance(value, str) and "@" in value]
    name = claims.get("name")
    return Account(
        tenant=str(claims["tid"]),
        oid=oid,
        address=addresses[0] if addresses else "",
        name=name if isinstance(name, str) else "",
        addresses=tuple(dict.fromkeys(address.lower() for address in addresses)),
    )
