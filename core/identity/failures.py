"""Says in words, for the person, why Microsoft gave no token."""

from collections.abc import Mapping
from typing import Any, cast

from core.errors import AccountNeed, NeedsAccount

_CONSENT = frozenset({65001, 65004, 90094, 90095, 1000031})
_PROOF = frozenset({50005, 50055, 50072, 50074, 50076, 50079, 50097, 50129, 50131, 50158, 50207})
"""A further sign-in, second factor or proof of the device is asked for."""
_PROOF_WORDS = frozenset(
    {"interaction_required", "login_required", "basic_action", "additional_action"}
    | {"user_password_expired"}
)
_BARRED = frozenset({50105, 53000, 53001, 53002, 53003, 53004, 53011, 530002, 530003, 530034})
"""Conditional access or assignment says no, whatever the person does in the browser."""
_REVOKED = frozenset(
    {50020, 50034, 50057, 50089, 50132, 50133, 50144, 50173, 54005, 70000, 70008, 70043}
    | {700003, 700082, 700084, 9002313}
)
"""The grant is spent, too old, withdrawn, or its owner is gone."""
_OURS = frozenset({"invalid_client", "unauthorized_client", "invalid_request", "invalid_scope"})
"""The application's registration is wrong, and no person can help it."""

SENTENCES: dict[str, str] = {
    "not_linked": "No Microsoft account is connected. Connect yours, then try again.",
    "consent_required": (
        "You have not yet allowed this in your Microsoft account. Connect again to allow it."
    ),
    "revoked": "Your Microsoft sign-in no longer counts. Connect again.",
    "unreadable": "Your stored Microsoft sign-in cannot be read any more. Connect again.",
    "interaction_required": "Microsoft asks for a further proof that it is you. Connect again.",
    "declined": (
        "The permission was not given, so nothing was connected. Your organisation may want an "
        "administrator to give it."
    ),
    "barred": (
        "Your organisation's rules do not let this bot act with your account from where it runs. "
        "Your administrator can tell you why."
    ),
    "unavailable": "Microsoft's sign-in does not answer just now. Try again in a minute.",
    "ours": "Microsoft does not accept this bot's registration. Its administrator has to look.",
}


def need(
    kind: AccountNeed,
    *,
    says: str = "",
    scopes: tuple[str, ...] = (),
    claims: str = "",
) -> NeedsAccount:
    return NeedsAccount(kind, SENTENCES[says or kind], scopes=scopes, claims=claims)


def of_answer(answer: Mapping[str, Any], scopes: tuple[str, ...]) -> NeedsAccount:
    """What an error answer of the token endpoint means.

    Source: Microsoft's list of authentication and authorization error codes. Numbers come before
    words, because Entra says `invalid_grant` for most of them.
    """
    error, suberror = str(answer.get("error", "")), str(answer.get("suberror", ""))
    numbers = numbers_of(answer)
    claims = answer.get("claims")
    if numbers & _BARRED or suberror == "message_only":
        return need("interaction_required", says="barred", scopes=scopes)
    if numbers & _CONSENT or "consent_required" in (error, suberror):
        return need("consent_required", scopes=scopes)
    if numbers & _PROOF or _PROOF_WORDS & {error, suberror}:
        asks = claims if isinstance(claims, str) else ""
        return need("interaction_required", scopes=scopes, claims=asks)
    if numbers & _REVOKED or (error == "invalid_grant" and not numbers):
        return need("revoked", scopes=scopes)
    if error == "invalid_grant":
        # A reason that is not known here may pass; what is stored is kept.
        return need("interaction_required", scopes=scopes)
    if error in _OURS:
        return need("unavailable", says="ours")
    return need("unavailable")


def numbers_of(answer: Mapping[str, Any]) -> frozenset[int]:
    """The AADSTS numbers of an error answer."""
    given: object = answer.get("error_codes")
    if not isinstance(given, list):
        return frozenset()
    return frozenset(n for n in cast("list[object]", given) if isinstance(n, int))


def of_browser(error: str, scopes: tuple[str, ...]) -> NeedsAccount:
    """What an error that the browser brought back means; its description is never shown, because
    anybody can write one."""
    if error in ("access_denied", "consent_required"):
        return need("consent_required", says="declined", scopes=scopes)
    if error in ("interaction_required", "login_required"):
        return need("interaction_required", scopes=scopes)
    is_passing = error in ("temporarily_unavailable", "server_error")
    return need("unavailable", says="unavailable" if is_passing else "ours")
