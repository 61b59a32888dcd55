"""Decides from a token whether the channel sent a delivery to this bot just now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jwt

from adapters.teams.openid import Key
from core.records import Json

ISSUER = "https://api.botframework.com"
LEEWAY = 300.0
"""Seconds that two clocks may be apart: what Microsoft asks bots to grant."""
LONGEST = 16_384
ALGORITHM = "RS256"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Somebody whose token holds; what the body says is still to be held against it."""

    service_url: str
    endorsements: frozenset[str]
    begins: float
    ends: float
    """Of the token, in seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Unproven:
    """`reason` is a word for the log; it never quotes the token."""

    reason: str


def token(headers: Sequence[str]) -> str | None:
    """Read the Authorization header; every value that arrived under that name is given."""
    if len(headers) != 1 or len(headers[0]) > LONGEST:
        return None
    scheme, _, rest = headers[0].partition(" ")
    if scheme.lower() != "bearer" or not rest or not rest.isascii() or rest.count(".") != 2:
        return None
    return rest if rest.isprintable() and " " not in rest else None


def key_id(given: str) -> str | None:
    """Which key the token says it was signed with; None where it cannot be one of the channel."""
    try:
        header: Json = jwt.get_unverified_header(given)
    except (jwt.InvalidTokenError, ValueError, RecursionError):
        return None
    kid = header.get("kid")
    if header.get("alg") != ALGORITHM or "crit" in header or not isinstance(kid, str):
        return None
    return kid if 0 < len(kid) <= 200 else None


def caller(given: str, key: Key, app_id: str, now: float) -> Caller | Unproven:
    """Signature, issuer, audience and times; `now` in seconds since the epoch."""
    try:
        claims: Json = jwt.decode(
            given,
            key.public,
            algorithms=[ALGORITHM],
            options={
                "verify_aud": False,
                "verify_iss": False,
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
                "verify_sub": False,
                "verify_jti": False,
            },
        )
    except (jwt.InvalidTokenError, ValueError, RecursionError):
        return Unproven("signature")
    if claims.get("iss") != ISSUER:
        return Unproven("issuer")
    if claims.get("aud") != app_id:
        return Unproven("audience")
    begins, ends = _number(claims.get("nbf", 0)), _number(claims.get("exp"))
    if begins is None or ends is None:
        return Unproven("expired")
    service_url = claims.get("serviceurl")
    if not isinstance(service_url, str) or not service_url:
        return Unproven("no_service_url")
    found = Caller(service_url=service_url, endorsements=key.endorsements, begins=begins, ends=ends)
    return found if is_current(found, now) else Unproven("expired")


def is_current(who: Caller, now: float) -> bool:
    return who.begins - LEEWAY <= now <= who.ends + LEEWAY


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e12 else None


def body_fault(who: Caller, service_url: str, channel: str) -> str:
    """Why the body is not what the token was made for; empty where it is."""
    if service_url.rstrip("/") != who.service_url.rstrip("/"):
        return "service_url"
    return "" if channel in who.endorsements else "endorsement"
