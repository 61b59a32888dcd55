"""The way through a sign-in: what the next page is, and where it leads in the end."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from bot.workspace.microsoft.entra import failures, scopes
from bot.workspace.microsoft.entra.directory import Directory
from bot.workspace.microsoft.entra.failures import Failure, Refused
from bot.workspace.microsoft.entra.records import ATTEMPT_SECONDS, Attempt, Code
from bot.workspace.microsoft.records import Account
from bot.workspace.microsoft.tenant import new_guid

LOOPBACK = ("127.0.0.1", "localhost")
MODES = ("query", "form_post", "fragment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """Ask who signs in."""

    attempt: Attempt
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """Ask for the second factor."""

    attempt: Attempt
    account: Account


@dataclass(frozen=True, slots=True, kw_only=True)
class Agree:
    """Ask for consent; `needs_admin` when this person may not give it."""

    attempt: Attempt
    account: Account
    missing: dict[str, frozenset[str]]
    needs_admin: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """A page that leads nowhere."""

    failure: Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """Back to the app with these parameters."""

    redirect_uri: str
    response_mode: str
    fields: dict[str, str]

    @property
    def url(self) -> str:
        """The address to go to; for `form_post` the fields are posted to it instead."""
        if self.response_mode == "form_post":
            return self.redirect_uri
        mark = "#" if self.response_mode == "fragment" else "?"
        if mark == "?" and urlsplit(self.redirect_uri).query:
            mark = "&"
        return f"{self.redirect_uri}{mark}{urlencode(self.fields)}"


Step = Pick | Confirm | Agree | Stopped | Sent


def begin(directory: Directory, query: Mapping[str, str], session: str) -> Step:
    """The first step of a visit to the authorize address; `session` is the browser's cookie.

    A problem with the app or its redirect address ends on a page of Entra's own, never at an
    address that was not registered.
    """
    try:
        attempt = _attempt(directory, query)
    except Refused as refused:
        return Stopped(failure=refused.failure)
    directory.attempts[attempt.id] = attempt
    try:
        _check(query)
        attempt.asked = scopes.read(query.get("scope", ""))
    except Refused as refused:
        return denied(directory, attempt, refused.failure)
    signed_in = directory.tenant.find(directory.sessions.get(session, ""))
    wanted = attempt.login_hint.lower()
    if signed_in is not None and wanted in ("", signed_in.upn) and _may_reuse(attempt):
        attempt.account = signed_in
    return following(directory, attempt)


def _attempt(directory: Directory, query: Mapping[str, str]) -> Attempt:
    app, given = directory.registration, query.get("redirect_uri", "")
    if query.get("client_id") != app.client_id:
        raise failures.said(
            failures.UNKNOWN_APP, client=query.get("client_id", ""), tenant=directory.tenant.name
        )
    if not any(same_address(given, known) for known in app.redirect_uris):
        raise failures.said(failures.BAD_REDIRECT, redirect=given, client=app.client_id)
    mode = query.get("response_mode", "query")
    return Attempt(
        id=secrets.token_urlsafe(24),
        client_id=app.client_id,
        redirect_uri=given,
        response_mode=mode if mode in MODES else "query",
        state=query.get("state", ""),
        nonce=query.get("nonce", ""),
        asked=scopes.read(""),
        challenge=query.get("code_challenge", ""),
        prompt=query.get("prompt", ""),
        login_hint=query.get("login_hint", ""),
        claims=query.get("claims", ""),
        started_at=directory.tenant.clock(),
    )


def same_address(given: str, known: str) -> bool:
    """Exactly the same, but for the port of a loopback address."""
    one, other = urlsplit(given), urlsplit(known)
    if one.hostname in LOOPBACK and one.hostname == other.hostname:
        return (one.scheme, one.path, one.query) == (other.scheme, other.path, other.query)
    return bool(given) and given == known


def _check(query: Mapping[str, str]) -> None:
    if query.get("response_type") != "code":
        raise failures.said(failures.BAD_RESPONSE_TYPE, name=query.get("response_type", ""))
    if query.get("response_mode", "query") not in MODES:
        raise failures.said(failures.BAD_RESPONSE_MODE, name=query["response_mode"])
    challenge, method = query.get("code_challenge", ""), query.get("code_challenge_method", "")
    if (challenge or method) and (method != "S256" or len(challenge) != 43):
        raise failures.said(failures.BAD_CHALLENGE, name=method)
    if not query.get("scope"):
        raise failures.said(failures.MISSING, name="scope")


def _may_reuse(attempt: Attempt) -> bool:
    return attempt.prompt not in ("login", "select_account")


def following(directory: Directory, attempt: Attempt) -> Step:
    """What comes next for this attempt."""
    account = attempt.account
    is_silent = attempt.prompt == "none"
    if account is None:
        if is_silent:
            return denied(directory, attempt, failures.NO_SESSION)
        return Pick(attempt=attempt)
    try:
        directory.check_standing(account, is_interactive=attempt.has_met_condition)
    except Refused as refused:
        if is_silent:
            return denied(directory, attempt, refused.failure)
        if refused.failure.number != failures.MFA.number:
            return Stopped(failure=refused.failure)
        return Confirm(attempt=attempt, account=account)
    missing = directory.consents.missing(account, attempt.asked)
    if missing or (attempt.prompt == "consent" and not attempt.has_agreed):
        if is_silent:
            return denied(directory, attempt, _consent_missing(directory))
        return Agree(
            attempt=attempt,
            account=account,
            missing=missing or dict(attempt.asked.resources),
            needs_admin=directory.consents.needs_admin(account, missing),
        )
    return _with_code(directory, attempt, account)


def _consent_missing(directory: Directory) -> Failure:
    app = directory.registration
    failure = failures.said(failures.CONSENT, client=app.client_id, app=app.name).failure
    return Failure(number=failure.number, error="interaction_required", text=failure.text)


def _with_code(directory: Directory, attempt: Attempt, account: Account) -> Sent:
    code = f"1.AX0A{secrets.token_urlsafe(48)}"
    now = directory.tenant.clock()
    directory.codes[code] = Code(attempt=attempt, account=account, issued_at=now)
    directory.attempts.pop(attempt.id, None)
    fields = {"code": code, "session_state": new_guid()}
    if attempt.state:
        fields["state"] = attempt.state
    return Sent(
        redirect_uri=attempt.redirect_uri, response_mode=attempt.response_mode, fields=fields
    )


def denied(directory: Directory, attempt: Attempt, failure: Failure) -> Sent:
    """Back to the app with an error."""
    directory.attempts.pop(attempt.id, None)
    told = failures.body(failure, new_guid(), directory.tenant.clock())
    fields = {"error": failure.error, "error_description": str(told["error_description"])}
    if failure.number == failures.DECLINED.number:
        fields["error_subcode"] = "cancel"
    if attempt.state:
        fields["state"] = attempt.state
    return Sent(
        redirect_uri=attempt.redirect_uri, response_mode=attempt.response_mode, fields=fields
    )


# What a person does on the pages.


def open_attempt(directory: Directory, attempt_id: str) -> Attempt | None:
    """The attempt that a page belongs to, unless it has been finished or is too old."""
    attempt = directory.attempts.get(attempt_id)
    if attempt is None or directory.tenant.clock() - attempt.started_at > ATTEMPT_SECONDS:
        return None
    return attempt


def pick(directory: Directory, attempt: Attempt, who: str) -> Step:
    """Somebody signs in. Who is not in the directory is told so, as Entra does."""
    account = directory.tenant.find(who)
    if account is None or account.is_shared_mailbox:
        stranger = failures.said(
            failures.STRANGER,
            name=who,
            tenant=directory.tenant.name,
            client=attempt.client_id,
        )
        return Pick(attempt=attempt, problem=stranger.failure.text)
    attempt.account = account
    return following(directory, attempt)


def confirm(directory: Directory, attempt: Attempt) -> Step:
    """The second factor was given: the condition is met, and stays met for this person."""
    attempt.has_met_condition = True
    if attempt.account is not None:
        directory.conditions.pop(attempt.account.oid, None)
    return following(directory, attempt)


def agree(directory: Directory, attempt: Attempt, *, is_accepted: bool) -> Step:
    """Accept or Cancel on the consent page. What this person may not grant stays ungranted."""
    account = attempt.account
    if account is None:
        return Pick(attempt=attempt)
    missing = directory.consents.missing(account, attempt.asked)
    if directory.consents.needs_admin(account, missing):
        app = directory.registration.name
        told = failures.said(failures.NEEDS_ADMIN, tenant=directory.tenant.name, app=app)
        return denied(directory, attempt, told.failure)
    if not is_accepted:
        return denied(directory, attempt, failures.DECLINED)
    for resource, names in missing.items():
        directory.consents.grant(account, resource, names)
    attempt.has_agreed = True
    return following(directory, attempt)
