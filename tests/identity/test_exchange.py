"""Connecting without a browser, by what the chat client's own sign-in asserts."""

import time

import jwt
import pytest

from bot.workspace.microsoft.entra.keys import SigningKeys
from core.identity.steps import Linked, Refusal
from core.records import PersonId
from tests.identity.office import MAIL, Office
from tests.identity.office import MARA as SLACK_MARA


def mara(one: Office) -> PersonId:
    return PersonId(f"teams:{one.ms.tenant.id}/{one.ms.person('mara').oid}")


async def exchanged(one: Office, assertion: str) -> Linked | Refusal:
    return await one.accounts.exchange(mara(one), MAIL, assertion, {"kind": "dm"})


def asserted(one: Office, who: str = "mara", **more) -> str:
    """A good assertion with these claims in place of its own; None leaves one out."""
    good = jwt.decode(
        one.ms.entra.sso_token(one.ms.person(who)), options={"verify_signature": False}
    )
    said = {name: value for name, value in {**good, **more}.items() if value is not None}
    return one.ms.entra.keys.sign(said)


async def test_an_assertion_fills_the_same_store_as_a_browser(both: Office) -> None:
    both.ms.consent("mara", *MAIL)
    found = await exchanged(both, both.ms.entra.sso_token(both.ms.person("mara")))
    assert isinstance(found, Linked) and found.address == {"kind": "dm"}
    account = await both.accounts.account(mara(both))
    assert account is not None and account.oid == both.ms.person("mara").oid
    assert await both.accounts.granted(mara(both)) == {"Mail.Send"}
    # What was left behind renews itself, as after a sign-in in a browser.
    fresh = await both.accounts.token(mara(both), MAIL)
    assert fresh.oid == account.oid


@pytest.mark.promise("I8", "core.identity")
async def test_assertions_that_prove_nothing_connect_nobody(one: Office) -> None:
    one.ms.consent("mara", *MAIL)
    one.ms.consent("tomas", *MAIL)
    now = int(time.time())
    good = one.ms.entra.sso_token(one.ms.person("mara"))
    forged = SigningKeys().sign(jwt.decode(good, options={"verify_signature": False}))
    cases = {
        "nothing": "",
        "garbage": "a.b.c",
        "forged": forged,
        "unsigned": jwt.encode(jwt.decode(good, options={"verify_signature": False}), None, "none"),
        "for another app": asserted(one, aud="11111111-1111-1111-1111-111111111111"),
        "for Graph": asserted(one, aud="00000003-0000-0000-c000-000000000000"),
        "of another issuer": asserted(one, iss="https://login.example/v2.0"),
        "of another tenant": asserted(one, tid="11111111-1111-1111-1111-111111111111"),
        "ended": asserted(one, exp=now - 400),
        "not yet": asserted(one, nbf=now + 4_000),
        "without our permission": asserted(one, scp="User.Read"),
        "an id token": asserted(one, scp=None),
        "of nobody": asserted(one, oid=None),
        "of a colleague": one.ms.entra.sso_token(one.ms.person("tomas")),
    }
    found = {name: await exchanged(one, case) for name, case in cases.items()}
    assert [name for name, outcome in found.items() if not isinstance(outcome, Refusal)] == []
    assert await one.accounts.granted(mara(one)) is None


async def test_who_has_not_agreed_is_asked_in_a_browser(one: Office) -> None:
    found = await exchanged(one, one.ms.entra.sso_token(one.ms.person("mara")))
    assert isinstance(found, Refusal) and found.reason == "consent_required"
    assert await one.accounts.granted(mara(one)) is None


async def test_a_person_of_whom_the_platform_says_no_account_is_not_signed_in(one: Office) -> None:
    one.ms.consent("mara", *MAIL)
    assertion = one.ms.entra.sso_token(one.ms.person("mara"))
    found = await one.accounts.exchange(SLACK_MARA, MAIL, assertion, {})
    assert isinstance(found, Refusal) and not await one.is_linked(SLACK_MARA)
