"""Connecting an account: what a person sees, and whose account it may be."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from core.errors import SourceFailed
from core.identity.steps import Known
from core.records import PersonId
from tests.identity.office import MARA, TOM, Office

ZOE = PersonId("slack:T1/UZOE")


def query_of(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))


async def test_a_person_connects_and_is_told_as_whom(both: Office) -> None:
    page = await both.link(MARA, "mara")
    assert page.status == 200
    assert both.ms.person("mara").upn in page.text
    account = await both.accounts.account(MARA)
    assert account and account.oid == both.ms.person("mara").oid
    assert await both.accounts.granted(MARA) == {"Mail.Send"}
    (linked,) = both.told
    assert (linked.person, linked.address) == (MARA, {"channel": "D1"})


async def test_microsoft_is_asked_with_proof_keys_state_and_nonce(one: Office) -> None:
    asked = query_of(await one.leave(one.browser(), MARA))
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["state"]) >= 16 and len(asked["nonce"]) == 64
    assert asked["login_hint"] == one.ms.person("mara").upn
    assert set(asked["scope"].split()) == {"Mail.Send", "openid", "profile", "offline_access"}
    assert asked["response_mode"] == "query"


async def test_connect_asks_for_reading_alone(one: Office) -> None:
    verdict = await one.accounts.connect(MARA, {})
    assert verdict.kind == "connect" and "ten minutes" in verdict.sentence
    page = await one.browser().open(verdict.url)
    assert "User.Read" in query_of(page.location)["scope"]
    assert "Mail" not in query_of(page.location)["scope"]


async def test_a_link_works_once(one: Office) -> None:
    url = await one.offer(MARA)
    browser = one.browser()
    assert (await browser.open(url)).status == 302
    page = await browser.open(url)
    assert page.status == 400 and "Ask for a new one" in page.text


async def test_looking_whether_the_link_is_there_does_not_use_it_up(one: Office) -> None:
    url = await one.offer(MARA)
    assert await one.browser().ask_head(url) == 405
    assert (await one.browser().open(url)).status == 302


async def test_a_link_is_good_for_ten_minutes(one: Office) -> None:
    young, old = await one.offer(MARA), await one.offer(MARA)
    one.clock.now += 599
    assert (await one.browser().open(young)).status == 302
    one.clock.now += 1
    assert (await one.browser().open(old)).status == 400


async def test_two_links_of_one_person_work_side_by_side_in_one_browser(one: Office) -> None:
    browser = one.browser()
    first, second = await one.leave(browser, MARA), await one.leave(browser, MARA)
    for location in (first, second):
        page = await one.back(browser, await one.answer(location, "mara"))
        assert page.status == 200


async def test_somebody_elses_account_is_refused_with_a_sentence(both: Office) -> None:
    page = await both.link(MARA, "tomas")
    assert page.status == 400
    assert "made for somebody else" in page.text
    assert both.ms.person("mara").upn not in page.text
    assert not await both.is_linked(MARA)


async def test_an_address_is_compared_without_regard_to_case(one: Office) -> None:
    one.known[MARA] = Known(address=one.ms.person("mara").upn.upper())
    assert (await one.link(MARA, "mara")).status == 200


async def test_the_mail_address_counts_where_the_sign_in_name_is_another(one: Office) -> None:
    one.known[MARA] = Known(address="Mara.Lindt@larkspur.example")
    one.ms.entra.id_token_patch = {"email": "mara.lindt@larkspur.example"}
    assert (await one.link(MARA, "mara")).status == 200


async def test_a_person_of_whom_nothing_is_known_is_asked_first(one: Office) -> None:
    one.known[ZOE] = Known(name="<Zoe>")
    browser, url = one.browser(), await one.offer(ZOE)
    page = await browser.open(url)
    assert page.status == 200 and "&lt;Zoe&gt;" in page.text
    assert "SameSite=Strict" in page.headers["Set-Cookie"]
    page = await browser.open(f"{url}&go=1")
    assert query_of(page.location)["prompt"] == "select_account"
    page = await one.back(browser, await one.answer(page.location, "priya"))
    assert page.status == 200


async def test_nobody_can_go_on_for_another_without_being_asked(one: Office) -> None:
    one.known[ZOE] = Known(name="Zoe")
    url = await one.offer(ZOE)
    await one.browser().open(url)
    page = await one.browser().open(f"{url}&go=1")
    assert page.status == 200 and "Go on" in page.text


async def test_the_first_account_stays_the_one(both: Office) -> None:
    both.known[ZOE] = Known()
    assert (await both.link(ZOE, "priya")).status == 200
    page = await both.link(ZOE, "tomas")
    assert page.status == 400 and "disconnect first" in page.text
    account = await both.accounts.account(ZOE)
    assert account and account.oid == both.ms.person("priya").oid


async def test_of_two_first_accounts_at_once_one_is_bound(both: Office) -> None:
    both.known[ZOE] = Known()
    ways = []
    for who in ("priya", "tomas"):
        browser = both.browser()
        ways.append((browser, await both.answer(await both.leave(browser, ZOE), who)))
    pages = [await both.back(browser, query) for browser, query in ways]
    assert [page.status for page in pages] == [200, 400]


async def test_after_disconnecting_another_account_may_be_connected(one: Office) -> None:
    one.known[ZOE] = Known()
    for who in ("priya", "tomas"):
        assert (await one.link(ZOE, who)).status == 200
        await one.accounts.disconnect(ZOE)


async def test_the_bound_account_outlives_a_new_address(one: Office) -> None:
    await one.link(MARA, "mara")
    one.known[MARA] = Known(address="mara.new@larkspur.example")
    assert (await one.link(MARA, "mara")).status == 200
    one.known[MARA] = Known(address=one.ms.person("tomas").upn)
    assert (await one.link(MARA, "tomas")).status == 400


async def test_a_person_who_cannot_be_looked_up_gets_a_sentence(one: Office) -> None:
    verdict = await one.accounts.connect(ZOE, {})
    assert (verdict.kind, verdict.url) == ("refused", "")
    with pytest.raises(SourceFailed):
        await one.offer(ZOE)


async def test_a_permission_that_was_declined_connects_nothing(one: Office) -> None:
    browser = one.browser()
    location = await one.leave(browser, MARA)
    page = await one.back(browser, await one.answer(location, "mara", accepts=False))
    assert page.status == 400 and "not given" in page.text
    assert not await one.is_linked(MARA)


async def test_a_sign_in_that_grants_less_than_was_asked_connects_nothing(one: Office) -> None:
    one.ms.consent("mara", "Mail.Send User.Read")
    browser = one.browser()
    location = await one.leave(browser, MARA, scopes=("Mail.Send", "User.Read"))
    query = await one.answer(location, "mara")
    one.ms.entra.consents.granted = lambda account, resource: frozenset({"User.Read"})  # type: ignore[method-assign]
    assert (await one.back(browser, query)).status == 400
    assert not await one.is_linked(MARA)


async def test_the_signing_keys_may_change_at_any_time(one: Office) -> None:
    await one.link(MARA, "mara")
    one.ms.entra.keys.rotate(keeps_old=False)
    assert (await one.link(TOM, "tomas")).status == 200


async def test_two_surfaces_of_one_account_are_one_human(both: Office) -> None:
    mara = both.ms.person("mara")
    teams = PersonId(f"teams:{both.ms.tenant.id}/{mara.oid}")
    assert await both.accounts.joined(MARA) == (MARA,)
    await both.link(MARA, "mara")
    await both.link(TOM, "tomas")
    assert await both.accounts.joined(MARA) == (MARA, teams)
    assert await both.accounts.joined(teams) == (teams, MARA)
    token = await both.accounts.token(teams, ("Mail.Send",))
    assert token.oid == mara.oid


async def test_on_teams_only_the_own_account_can_be_connected(one: Office) -> None:
    teams = PersonId(f"teams:{one.ms.tenant.id}/{one.ms.person('mara').oid}")
    assert (await one.link(teams, "tomas")).status == 400
    assert (await one.link(teams, "mara")).status == 200


async def test_microsoft_being_away_is_said_and_the_link_stays_good(one: Office) -> None:
    url = await one.offer(MARA)
    await one.ms.stop()
    page = await one.browser().open(url)
    assert page.status == 503 and "Try again" in page.text
    await one.ms.start()
    assert (await one.browser().open(url)).status == 302
