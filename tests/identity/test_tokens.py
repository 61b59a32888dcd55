"""Tokens: fresh at the click, each for its person and its resource, and a reason when there is
none."""

import asyncio
import time
from typing import Any

import jwt
import pytest

from bot.workspace.microsoft.entra import failures
from bot.workspace.microsoft.entra.failures import Failure
from bot.workspace.microsoft.records import Fault
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from core.errors import NeedsAccount
from core.identity.accounts import Accounts
from core.identity.mint import Token
from core.records import PersonId
from core.storage.database import Database
from tests.fakes.entra_between import Between
from tests.identity.office import MAIL, MARA, RING, TOM, Clock, Office, office

POWER_BI = ("https://analysis.windows.net/powerbi/api/Dataset.Read.All",)


def claims_of(token: Token) -> dict[str, Any]:
    return jwt.decode(token.value, options={"verify_signature": False})


def asked(office: Office) -> int:
    """How often Microsoft was asked to renew."""
    grants = [request.body["grant_type"] for request in office.ms.entra.requests]
    return grants.count("refresh_token")


async def need(office: Office, person: PersonId = MARA, scopes: tuple[str, ...] = MAIL) -> Any:
    with pytest.raises(NeedsAccount) as caught:
        await office.accounts.token(person, scopes)
    return caught.value


async def is_kept(office: Office, person: PersonId = MARA) -> bool:
    row = await office.database.fetch_one("SELECT 1 AS n FROM tokens WHERE person = ?", (person,))
    return row is not None


async def test_every_click_gets_a_token_made_for_it(both: Office) -> None:
    await both.link(MARA, "mara")
    first = await both.accounts.token(MARA, MAIL)
    second = await both.accounts.token(MARA, MAIL)
    assert first.value != second.value and asked(both) == 2
    assert second.oid == both.ms.person("mara").oid == claims_of(second)["oid"]
    assert second.granted >= {"Mail.Send"}
    assert 3_500 < second.expires - both.clock.now <= 3_600


async def test_a_token_that_need_not_be_fresh_costs_no_request(one: Office) -> None:
    await one.link(MARA, "mara")
    first = await one.accounts.token(MARA, MAIL, fresh=False)
    second = await one.accounts.token(MARA, MAIL, fresh=False)
    assert first.value == second.value and asked(one) == 0
    assert second.granted == {"Mail.Send"}


async def test_each_new_refresh_token_takes_the_place_of_the_last(both: Office) -> None:
    await both.link(MARA, "mara")
    both.ms.entra.is_rotation_strict = True
    for _ in range(5):
        await both.accounts.token(MARA, MAIL)


async def test_calls_of_one_person_wait_for_each_other(one: Office) -> None:
    await one.link(MARA, "mara")
    one.ms.entra.is_rotation_strict = True
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one.accounts.token(MARA, MAIL)) for _ in range(20)]
    assert len({task.result().value for task in tasks}) == 20


@pytest.mark.promise("S5", "core.identity")
async def test_of_two_people_at_once_each_gets_their_own(one: Office) -> None:
    await one.link(MARA, "mara")
    await one.link(TOM, "tomas")
    one.ms.entra.is_rotation_strict = True
    oids = {MARA: one.ms.person("mara").oid, TOM: one.ms.person("tomas").oid}
    whose = [(MARA, TOM)[n % 2] for n in range(200)]
    async with asyncio.TaskGroup() as group:
        tasks = [
            (person, group.create_task(one.accounts.token(person, MAIL, fresh=n % 3 != 0)))
            for n, person in enumerate(whose)
        ]
    for person, task in tasks:
        token = task.result()
        assert (token.oid, claims_of(token)["oid"]) == (oids[person], oids[person])
    assert asked(one) > 100


async def test_two_people_do_not_wait_for_each_other(overheard: Office, between: Between) -> None:
    await overheard.link(MARA, "mara")
    await overheard.link(TOM, "tomas")
    between.gather = 2
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(overheard.accounts.token(MARA, MAIL))
        group.create_task(overheard.accounts.token(TOM, MAIL))


@pytest.mark.promise("S5", "core.identity")
async def test_a_token_is_for_one_resource(one: Office) -> None:
    await one.link(MARA, "mara")
    one.ms.consent("mara", POWER_BI[0])
    graph = await one.accounts.token(MARA, MAIL)
    figures = await one.accounts.token(MARA, POWER_BI)
    assert claims_of(graph)["aud"] != claims_of(figures)["aud"]
    assert "Dataset.Read.All" not in claims_of(graph)["scp"]
    assert figures.granted == set(POWER_BI)
    assert await one.accounts.granted(MARA) == {"Mail.Send", *POWER_BI}
    with pytest.raises(ValueError, match="one resource"):
        await one.accounts.token(MARA, (*MAIL, *POWER_BI))
    with pytest.raises(ValueError, match="one resource"):
        await one.accounts.token(MARA, ())


async def test_what_is_granted_is_remembered_for_each_resource(one: Office) -> None:
    await one.link(MARA, "mara", scopes=("Mail.Send", "User.Read"))
    await one.link(MARA, "mara", scopes=POWER_BI)
    assert await one.accounts.granted(MARA) == {"Mail.Send", "User.Read", *POWER_BI}
    one.ms.entra.consents.withdraw(one.ms.person("mara"), "Mail.Send")
    await one.accounts.token(MARA, ("User.Read",))
    assert await one.accounts.granted(MARA) == {"User.Read", *POWER_BI}


async def test_graphs_permissions_may_be_written_either_way(one: Office) -> None:
    await one.link(MARA, "mara", scopes=("https://graph.microsoft.com/Mail.Send",))
    token = await one.accounts.token(MARA, ("https://graph.microsoft.com/Mail.Send",))
    assert token.granted == {"Mail.Send"}


async def test_without_an_account_a_person_is_asked_to_connect(both: Office) -> None:
    wanted = await need(both)
    assert (wanted.kind, wanted.scopes) == ("not_linked", MAIL)
    assert "Connect" in str(wanted)


async def test_a_permission_is_asked_for_when_it_is_first_needed(one: Office) -> None:
    await one.link(MARA, "mara", scopes=("User.Read",))
    wanted = await need(one)
    assert (wanted.kind, wanted.scopes) == ("consent_required", MAIL)
    assert await is_kept(one)
    await one.link(MARA, "mara", scopes=wanted.scopes)
    assert "Mail.Send" in (await one.accounts.token(MARA, MAIL)).granted


async def test_a_permission_given_on_one_surface_counts_on_the_other_at_once(one: Office) -> None:
    """MSAL would repeat the refusal for a minute."""
    await one.link(MARA, "mara", scopes=("User.Read",))
    assert (await need(one)).kind == "consent_required"
    teams = PersonId(f"teams:{one.ms.tenant.id}/{one.ms.person('mara').oid}")
    await one.link(teams, "mara")
    assert "Mail.Send" in (await one.accounts.token(MARA, MAIL)).granted


async def test_a_withdrawn_permission_is_asked_for_again(one: Office) -> None:
    await one.link(MARA, "mara")
    one.ms.entra.consents.withdraw(one.ms.person("mara"))
    assert (await need(one)).kind == "consent_required"
    await one.link(MARA, "mara")
    assert await one.accounts.token(MARA, MAIL)


async def test_a_revoked_sign_in_is_erased(both: Office) -> None:
    await both.link(MARA, "mara")
    both.ms.revoke("mara")
    assert (await need(both)).kind == "revoked"
    assert not await is_kept(both)
    count = asked(both)
    assert (await need(both)).kind == "revoked"
    assert asked(both) == count
    await both.link(MARA, "mara")
    assert await both.accounts.token(MARA, MAIL)


async def test_somebody_who_has_left_keeps_nothing_here(one: Office) -> None:
    await one.link(MARA, "mara")
    one.ms.entra.disabled.add(one.ms.person("mara").oid)
    assert (await need(one)).kind == "revoked"
    assert not await is_kept(one)


async def test_a_further_proof_is_asked_for_with_the_claims_that_want_it(one: Office) -> None:
    await one.link(MARA, "mara")
    one.ms.entra.conditions[one.ms.person("mara").oid] = failures.MFA
    wanted = await need(one)
    assert wanted.kind == "interaction_required" and "capolids" in wanted.claims
    assert await is_kept(one)
    await one.link(MARA, "mara", scopes=wanted.scopes, claims=wanted.claims)
    assert await one.accounts.token(MARA, MAIL)


@pytest.mark.parametrize("condition", [failures.BLOCKED, failures.DEVICE])
async def test_a_condition_that_no_sign_in_meets_is_said_so(
    one: Office, condition: Failure
) -> None:
    await one.link(MARA, "mara")
    one.ms.entra.conditions[one.ms.person("mara").oid] = condition
    wanted = await need(one)
    assert wanted.kind == "interaction_required" and "administrator" in str(wanted)
    assert await is_kept(one)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=503, retry_after=0),
        Fault(status=500, retry_after=0),
        Fault(status=429, code="temporarily_unavailable", retry_after=0),
        Fault(drop=True),
        Fault(status=503, retry_after=0, when="after"),
        Fault(drop=True, when="after"),
    ],
    ids=["503", "500", "429", "cut", "503 after", "cut after"],
)
async def test_an_outage_costs_no_token(one: Office, fault: Fault) -> None:
    await one.link(MARA, "mara")
    kept = await one.accounts.token(MARA, MAIL)
    one.ms.entra.faults.add("token refresh_token", fault)
    wanted = await need(one)
    assert wanted.kind == "unavailable" and "Try again" in str(wanted)
    again = await one.accounts.token(MARA, MAIL, fresh=False)
    assert again.value == kept.value
    assert (await one.accounts.token(MARA, MAIL)).value != kept.value


async def test_a_request_that_microsoft_wants_later_is_not_repeated(one: Office) -> None:
    await one.link(MARA, "mara")
    one.ms.entra.faults.add("token refresh_token", Fault(status=503, retry_after=60))
    assert (await need(one)).kind == "unavailable"
    count = asked(one)
    assert (await need(one)).kind == "unavailable"
    assert asked(one) == count


async def test_garbage_from_the_authority_costs_no_token(
    overheard: Office, between: Between
) -> None:
    await overheard.link(MARA, "mara")
    for text in ("", "<html>", "[]", "{}", '"x"', '{"access_token": 1}'):
        between.texts["/token"] = text
        assert (await need(overheard)).kind in ("unavailable", "interaction_required")
    between.texts.clear()
    assert await overheard.accounts.token(MARA, MAIL)


async def test_a_slow_authority_does_not_hold_a_click(
    ms: MicrosoftStandIn, between: Between, sqlite: Database, clock: Clock
) -> None:
    async with office(ms, sqlite, clock, base=between.url, patience=0.3) as made:
        await made.link(MARA, "mara")
        between.seconds = 1.0
        began = time.monotonic()
        assert (await need(made)).kind == "unavailable"
        assert time.monotonic() - began < 0.9
        between.seconds = 0.0
        assert await made.accounts.token(MARA, MAIL)


async def test_a_rejected_registration_is_the_administrators_matter(one: Office) -> None:
    await one.link(MARA, "mara")
    one.ms.app.secret = "another-secret-of-the-registration"
    wanted = await need(one)
    assert wanted.kind == "unavailable" and "administrator" in str(wanted)
    assert await is_kept(one)


async def test_a_claims_challenge_reaches_microsoft(overheard: Office, between: Between) -> None:
    await overheard.link(MARA, "mara")
    challenge = '{"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}'
    await overheard.accounts.token(MARA, MAIL, fresh=False, claims=challenge)
    assert "1604106651" in between.forms[-1]["claims"]
    assert "CP1" in between.forms[-1]["claims"]


async def test_a_disconnect_elsewhere_is_not_undone_by_a_token_on_its_way(
    overheard: Office, between: Between
) -> None:
    await overheard.link(MARA, "mara")
    elsewhere = Accounts(
        overheard.database,
        RING,
        overheard.settings,
        directory=overheard.directory,
        clock=overheard.clock,
    )
    between.before["/token"] = lambda: elsewhere.disconnect(MARA)
    assert (await need(overheard)).kind == "not_linked"
    assert not await is_kept(overheard)
    await elsewhere.close()


async def test_a_revocation_does_not_erase_a_newer_sign_in(
    overheard: Office, between: Between
) -> None:
    await overheard.link(MARA, "mara")
    overheard.ms.revoke("mara")
    between.before["/token"] = lambda: overheard.link(MARA, "mara")
    assert (await need(overheard)).kind == "revoked"
    assert await overheard.accounts.token(MARA, MAIL)
