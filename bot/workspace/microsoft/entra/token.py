"""The token endpoint: a code, a refresh token or an assertion becomes an access token."""

import base64
import hashlib
import json
from collections.abc import Mapping

import jwt

from bot.workspace.microsoft.entra import client, failures, scopes
from bot.workspace.microsoft.entra.directory import Directory, asks_for_cae
from bot.workspace.microsoft.entra.records import CODE_SECONDS, IDLE_SECONDS, Code, RefreshToken
from bot.workspace.microsoft.entra.scopes import DEFAULT, GRAPH, Asked
from bot.workspace.microsoft.records import Account, Json
from bot.workspace.microsoft.tenant import new_guid

OWN = frozenset({"GroupMember.Read.All"})
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
Form = Mapping[str, str]


def answer(directory: Directory, form: Form) -> tuple[Json, Account]:
    """The JSON of a successful answer, and whose token it is. Raises Refused."""
    client.check(directory, form)
    match form.get("grant_type", ""):
        case "authorization_code":
            return _of_code(directory, form)
        case "refresh_token":
            return _of_refresh_token(directory, form)
        case grant if grant == JWT_BEARER and form.get("requested_token_use") == "on_behalf_of":
            return _on_behalf_of(directory, form)
        case "client_credentials":
            return _of_the_app(directory)
        case "":
            raise failures.said(failures.MISSING, name="grant_type")
        case other:
            raise failures.said(failures.BAD_GRANT_TYPE, name=other)


def _word(form: Form, name: str) -> str:
    if not form.get(name):
        raise failures.said(failures.MISSING, name=name)
    return form[name]


def _of_code(directory: Directory, form: Form) -> tuple[Json, Account]:
    code = directory.codes.get(_word(form, "code"))
    if code is None:
        raise failures.said(failures.UNKNOWN_CODE)
    attempt = code.attempt
    if code.is_used:
        raise failures.said(failures.USED_CODE)
    code.is_used = True
    if directory.tenant.clock() - code.issued_at > CODE_SECONDS:
        raise failures.said(failures.OLD_CODE)
    if form.get("redirect_uri", "") != attempt.redirect_uri:
        raise failures.said(failures.WRONG_REDIRECT, redirect=form.get("redirect_uri", ""))
    if attempt.challenge and challenge_of(form.get("code_verifier", "")) != attempt.challenge:
        raise failures.said(failures.BAD_VERIFIER)
    directory.check_standing(code.account, is_interactive=True)
    return _tokens(directory, code.account, _asked_with(form, code), form, nonce=attempt.nonce)


def _asked_with(form: Form, code: Code) -> Asked:
    """The scopes of the token request, or those of the sign-in when it names none."""
    asked = scopes.read(form.get("scope", ""))
    return asked if asked.resources or asked.openid else code.attempt.asked


def challenge_of(verifier: str) -> str:
    """S256, without padding."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _of_refresh_token(directory: Directory, form: Form) -> tuple[Json, Account]:
    token = directory.refresh_tokens.get(_word(form, "refresh_token"))
    if token is None:
        raise failures.said(failures.UNKNOWN_TOKEN)
    _check_refresh_token(directory, token)
    directory.check_standing(token.account)
    token.used_at = directory.tenant.clock()
    asked = scopes.read(form.get("scope", ""))
    found = _tokens(directory, token.account, asked, form, family=token.family)
    token.is_spent = directory.is_rotation_strict
    return found


def _check_refresh_token(directory: Directory, token: RefreshToken) -> None:
    if token.account.oid in directory.disabled:
        raise failures.said(failures.DISABLED)
    if token.is_spent:
        raise failures.said(failures.BAD_TOKEN)
    if directory.tenant.clock() - token.used_at > IDLE_SECONDS:
        raise failures.said(failures.IDLE_TOKEN)


def _of_the_app(directory: Directory) -> tuple[Json, Account]:
    """A token in nobody's name, for what an administrator granted the app itself."""
    service = directory.tenant.service
    minted = directory.access_token(service, GRAPH, OWN)
    body: Json = {
        "token_type": "Bearer",
        "expires_in": directory.lifetime,
        "ext_expires_in": directory.lifetime,
        "access_token": minted.text,
    }
    return body, service


def _on_behalf_of(directory: Directory, form: Form) -> tuple[Json, Account]:
    app = directory.registration.client_id
    try:
        claims = directory.keys.verified(
            _word(form, "assertion"), (app, f"api://{app}", f"api://botid-{app}")
        )
    except jwt.InvalidAudienceError:
        raise failures.said(failures.WRONG_ASSERTION) from None
    except jwt.InvalidTokenError:
        raise failures.said(failures.BAD_ASSERTION) from None
    if float(claims.get("exp", 0)) < directory.tenant.clock():
        raise failures.said(failures.OLD_ASSERTION)
    account = directory.tenant.find(str(claims.get("oid", "")))
    if account is None:
        raise failures.said(failures.BAD_ASSERTION)
    directory.check_standing(account)
    return _tokens(directory, account, scopes.read(form.get("scope", "")), form)


def _tokens(
    directory: Directory,
    account: Account,
    asked: Asked,
    form: Form,
    *,
    nonce: str = "",
    family: str = "",
) -> tuple[Json, Account]:
    resource, names = scopes.of_one_resource(asked)
    granted = directory.consents.granted(account, resource)
    if not names - {DEFAULT} <= granted or (names and not granted):
        raise failures.said(
            failures.CONSENT,
            client=directory.registration.client_id,
            app=directory.registration.name,
        )
    cae = asks_for_cae(form.get("claims", ""))
    minted = directory.access_token(account, resource, granted, cae=cae)
    body: Json = {
        "token_type": "Bearer",
        "scope": scopes.written(resource, granted, asked),
        "expires_in": directory.lifetime,
        "ext_expires_in": directory.lifetime,
        "access_token": minted.text,
    }
    if asked.is_offline:
        body["refresh_token"] = directory.new_refresh_token(account, family)
    if "openid" in asked.openid:
        body["id_token"] = directory.id_token(account, nonce, asked)
    if form.get("client_info") == "1":
        body["client_info"] = _client_info(directory, account)
    return body, account


def _client_info(directory: Directory, account: Account) -> str:
    plain = json.dumps({"uid": account.oid, "utid": directory.tenant.id})
    return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def refusal(directory: Directory, refused: failures.Refused, correlation_id: str) -> Json:
    """The JSON of a refused request."""
    return failures.body(refused.failure, correlation_id or new_guid(), directory.tenant.clock())
