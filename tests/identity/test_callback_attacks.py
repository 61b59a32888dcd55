"""What comes back from a browser is believed from that browser, once, in time, and about the
person who asked."""

import base64
import json
from collections.abc import Awaitable, Callable

import jwt
import pytest
from jwt.algorithms import RSAAlgorithm

from bot.workspace.microsoft.entra.keys import SigningKeys
from tests.fakes.entra_between import Between
from tests.identity.office import MARA, TOM, Office, Page

Attack = Callable[[Office], Awaitable[Page]]


async def unknown_state(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    return await office.back(browser, query | {"state": "A" * 22})


async def missing_state(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    del query["state"]
    return await office.back(browser, query)


async def swapped_states(office: Office) -> Page:
    """Both sign-ins in one browser, so that both cookies are there."""
    browser = office.browser()
    mara = await office.answer(await office.leave(browser, MARA), "mara")
    tom = await office.answer(await office.leave(browser, TOM), "tomas")
    await office.back(browser, mara | {"code": tom["code"]})
    return await office.back(browser, tom | {"code": mara["code"]})


async def another_browser(office: Office) -> Page:
    query = await office.answer(await office.leave(office.browser(), MARA), "mara")
    return await office.back(office.browser(), query)


async def another_browser_with_a_cookie_of_its_own(office: Office) -> Page:
    query = await office.answer(await office.leave(office.browser(), MARA), "mara")
    stranger = office.browser()
    await office.leave(stranger, TOM)
    return await office.back(stranger, query)


async def a_made_up_cookie(office: Office) -> Page:
    browser = office.browser()
    page = await browser.open(await office.offer(MARA))
    query = await office.answer(page.location, "mara")
    name = page.headers["Set-Cookie"].partition("=")[0]
    target = f"{office.settings.redirect_uri}?code={query['code']}&state={query['state']}"
    return await office.browser().open(target, Cookie=f"{name}=made-up")


async def the_attackers_answer_in_the_victims_browser(office: Office) -> Page:
    victim = office.browser()
    await office.leave(victim, MARA)
    query = await office.answer(await office.leave(office.browser(), TOM), "tomas")
    return await office.back(victim, query)


async def a_forwarded_link_that_the_victim_follows(office: Office) -> Page:
    return await office.link(TOM, "mara")


async def a_stolen_link_that_the_attacker_follows(office: Office) -> Page:
    return await office.link(MARA, "tomas")


async def an_answer_that_comes_too_late(office: Office) -> Page:
    browser = office.browser()
    location = await office.leave(browser, MARA)
    office.clock.now += 599
    query = await office.answer(location, "mara")
    office.clock.now += 1
    return await office.back(browser, query)


async def a_code_that_was_used(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    office.ms.entra.codes[query["code"]].is_used = True
    return await office.back(browser, query)


async def a_code_of_another_client(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    return await office.back(browser, query | {"code": "1.AX0Aanother-client"})


async def a_code_without_our_proof_key(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    office.ms.entra.codes[query["code"]].attempt.challenge = "B" * 43
    return await office.back(browser, query)


async def another_issuer_in_the_answer(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    return await office.back(browser, query | {"iss": "https://login.evil.example/v2.0"})


async def a_parameter_given_twice(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    target = f"{office.settings.redirect_uri}?code={query['code']}&state={query['state']}"
    return await browser.open(f"{target}&state={query['state']}")


async def a_link_used_as_state(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    key = (await office.offer(MARA)).partition("key=")[2]
    return await office.back(browser, query | {"state": key})


async def an_error_with_markup(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    bad = {"error": "<script>", "error_description": "<script>alert(1)</script>"}
    page = await office.back(browser, {"state": query["state"], **bad})
    assert "script>" not in page.text
    return page


async def a_row_moved_to_another_person(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    await office.database.execute("UPDATE signins SET person = ? WHERE stage = 'asked'", (TOM,))
    return await office.back(browser, query)


async def an_altered_row(office: Office) -> Page:
    browser = office.browser()
    query = await office.answer(await office.leave(browser, MARA), "mara")
    row = await office.database.fetch_one("SELECT body FROM signins")
    assert row
    altered = bytes([*row["body"][:-1], row["body"][-1] ^ 1])
    await office.database.execute("UPDATE signins SET body = ?", (altered,))
    return await office.back(browser, query)


async def a_key_of_somebody_else(office: Office) -> Page:
    office.ms.entra.id_token_keys = SigningKeys()
    return await office.link(MARA, "mara")


ATTACKS: list[tuple[Attack, str]] = [
    (unknown_state, "unknown_or_used"),
    (missing_state, "unknown_or_used"),
    (swapped_states, "interaction_required"),
    (another_browser, "other_browser"),
    (another_browser_with_a_cookie_of_its_own, "other_browser"),
    (a_made_up_cookie, "other_browser"),
    (the_attackers_answer_in_the_victims_browser, "other_browser"),
    (a_forwarded_link_that_the_victim_follows, "other_person"),
    (a_stolen_link_that_the_attacker_follows, "other_person"),
    (an_answer_that_comes_too_late, "unknown_or_used"),
    (a_code_that_was_used, "revoked"),
    (a_code_of_another_client, "revoked"),
    (a_code_without_our_proof_key, "interaction_required"),
    (another_issuer_in_the_answer, "answer_issuer"),
    (a_parameter_given_twice, "unknown_or_used"),
    (a_link_used_as_state, "unknown_or_used"),
    (an_error_with_markup, "unavailable"),
    (a_row_moved_to_another_person, "unknown_or_used"),
    (an_altered_row, "unknown_or_used"),
    (a_key_of_somebody_else, "unknown_key"),
]
"""With the reason for which each has to be refused: for another one it would show nothing."""
PATCHES: list[tuple[dict[str, object], str]] = [
    ({"aud": "00000000-0000-0000-0000-000000000001"}, "audience"),
    ({"aud": ["7d0c2b15-3e64-4f0a-b9c8-1a5d6e7f8091", "other"]}, "audience"),
    ({"iss": "https://login.evil.example/v2.0"}, "issuer"),
    ({"tid": "00000000-0000-0000-0000-000000000002"}, "tenant"),
    ({"tid": None}, "tenant"),
    ({"exp": 1_700_000_000}, "expired"),
    ({"exp": None}, "without_exp"),
    ({"nbf": 9_999_999_999}, "not_yet"),
    ({"iat": 9_999_999_999}, "not_yet"),
    ({"nonce": "0" * 64}, "nonce"),
    ({"nonce": None}, "nonce"),
    ({"oid": None}, "without_oid"),
    ({"preferred_username": "tomas@elsewhere.example"}, "other_person"),
]


def reasons(caplog: pytest.LogCaptureFixture) -> list[str]:
    told = [record for record in caplog.records if record.message == "account.refused"]
    return [record.__dict__["fields"]["reason"] for record in told]


@pytest.mark.promise("I8", "core.identity", "bot")
@pytest.mark.parametrize(("attack", "reason"), ATTACKS, ids=[a.__name__ for a, _ in ATTACKS])
async def test_no_forged_answer_connects_anything(
    one: Office, attack: Attack, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    page = await attack(one)
    assert page.status in (400, 503), page.text
    assert reasons(caplog)[-1] == reason
    assert not one.told
    for person in (MARA, TOM):
        assert not await one.is_linked(person)
        assert await one.accounts.joined(person) == (person,)


@pytest.mark.promise("I8", "core.identity")
@pytest.mark.parametrize(("patch", "reason"), PATCHES, ids=str)
async def test_no_forged_id_token_connects_anything(
    one: Office, patch: dict[str, object], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    one.ms.entra.id_token_patch = patch
    assert (await one.link(MARA, "mara")).status == 400
    assert reasons(caplog) == [reason]
    assert not one.told and not await one.is_linked(MARA)


@pytest.mark.promise("I8", "core.identity", "bot")
async def test_an_answer_counts_once(both: Office) -> None:
    browser = both.browser()
    query = await both.answer(await both.leave(browser, MARA), "mara")
    assert (await both.back(browser, query)).status == 200
    await both.accounts.disconnect(MARA)
    assert (await both.back(browser, query)).status == 400
    assert not await both.is_linked(MARA)


@pytest.mark.promise("I8", "core.identity")
async def test_a_refused_answer_cannot_be_tried_again(one: Office) -> None:
    browser = one.browser()
    query = await one.answer(await one.leave(browser, MARA), "mara")
    await one.back(one.browser(), query)
    assert (await one.back(browser, query)).status == 400


def unsigned(token: str) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    return f"{head}.{token.split('.')[1]}."


def signed_with_the_public_key(token: str, office: Office) -> str:
    form = office.ms.entra.keys.jwks()["keys"][0]
    public = RSAAlgorithm.from_jwk(json.dumps(form)).public_numbers()  # type: ignore[union-attr]
    claims = jwt.decode(token, options={"verify_signature": False})
    return jwt.encode(claims, f"{public.n}".ljust(32), "HS256", headers={"kid": form["kid"]})


def other_client_info() -> str:
    plain = json.dumps({"uid": "somebody", "utid": "elsewhere"}).encode()
    return base64.urlsafe_b64encode(plain).decode().rstrip("=")


@pytest.mark.promise("I8", "core.identity")
@pytest.mark.parametrize(
    "change",
    [
        lambda answer, _: answer | {"id_token": unsigned(answer["id_token"])},
        lambda answer, o: answer | {"id_token": signed_with_the_public_key(answer["id_token"], o)},
        lambda answer, _: {k: v for k, v in answer.items() if k != "id_token"},
        lambda answer, _: answer | {"id_token": "not.a.token"},
        lambda answer, _: answer | {"id_token": answer["id_token"][:-6] + "AAAAAA"},
        lambda answer, _: answer | {"scope": "User.Read"},
        lambda answer, _: {k: v for k, v in answer.items() if k != "scope"} | {"scope": ""},
    ],
    ids=["unsigned", "hs256", "none", "garbage", "cut", "fewer scopes", "no scopes"],
)
async def test_no_altered_token_answer_connects_anything(
    overheard: Office, between: Between, change: Callable[[dict, Office], dict]
) -> None:
    between.changes["/token"] = lambda answer: change(answer, overheard)
    page = await overheard.link(MARA, "mara")
    assert page.status in (400, 503)
    assert not overheard.told and not await overheard.is_linked(MARA)


async def test_a_promised_issuer_must_be_there(overheard: Office, between: Between) -> None:
    named = {"authorization_response_iss_parameter_supported": True}
    between.changes["openid-configuration"] = lambda metadata: metadata | named
    assert (await overheard.link(MARA, "mara")).status == 400
    browser = overheard.browser()
    query = await overheard.answer(await overheard.leave(browser, MARA), "mara")
    query["iss"] = overheard.ms.entra.issuer
    assert (await overheard.back(browser, query)).status == 200


async def test_an_authority_of_another_tenant_is_not_asked_twice(
    overheard: Office, between: Between
) -> None:
    other = {"issuer": "https://login.microsoftonline.com/common/v2.0"}
    between.changes["openid-configuration"] = lambda metadata: metadata | other
    assert (await overheard.link(MARA, "mara")).status == 503
    assert not await overheard.is_linked(MARA)


async def test_keys_of_another_host_count_for_nothing(overheard: Office, between: Between) -> None:
    """The other host is the stand-in itself, so that everything would work there."""
    other = overheard.ms.entra_url.replace("127.0.0.1", "localhost")
    away = {"jwks_uri": f"{other}/{overheard.ms.tenant.id}/discovery/v2.0/keys"}
    between.changes["openid-configuration"] = lambda metadata: metadata | away
    assert (await overheard.link(MARA, "mara")).status == 503
