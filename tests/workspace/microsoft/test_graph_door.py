"""Who gets into Graph, and how it says no."""

import base64
import json

import pytest

from bot.workspace.microsoft.entra.keys import SigningKeys
from bot.workspace.microsoft.records import Fault
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from tests.workspace.microsoft.conftest import Caller, Clock, mail


async def test_without_a_token_and_with_a_forged_one_nobody_gets_in(ms, session):
    empty = await Caller(ms, session, "")("GET", "/me")
    assert (empty.status, empty.code) == (401, "InvalidAuthenticationToken")
    assert empty.headers["WWW-Authenticate"].startswith("Bearer")
    genuine = ms.entra.access_tokens
    ms.token("mara", "User.Read")
    claims = next(iter(genuine.values())).claims
    for token in (
        SigningKeys().sign(claims),
        ms.entra.keys.sign(claims | {"aud": "https://management.azure.com"}),
        ms.entra.keys.sign(claims | {"uti": "never given out"}),
        "x.y.z",
    ):
        assert (await Caller(ms, session, token)("GET", "/me")).status == 401


async def test_an_old_token_is_refused(session):
    clock = Clock(1_790_000_000.0)
    async with MicrosoftStandIn(clock=clock) as ms:
        mara = Caller(ms, session, ms.token("mara", "User.Read"))
        assert (await mara("GET", "/me")).body["userPrincipalName"] == "mara@larkspur.example"
        clock.now += 3_601
        assert (await mara("GET", "/me")).status == 401


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("POST", "/me/sendMail", "ErrorAccessDenied"),
        ("GET", "/me/messages", "ErrorAccessDenied"),
        ("GET", "/me/people", "Authorization_RequestDenied"),
        ("GET", "/users", "Authorization_RequestDenied"),
    ],
)
async def test_a_missing_scope_is_403_in_the_words_of_that_part(caller, method, path, code):
    reply = await caller("mara", "User.Read")(method, path, {})
    assert (reply.status, reply.code) == (403, code)


async def test_a_revocation_reaches_a_token_of_a_client_that_can_handle_it(ms, session):
    quick = Caller(ms, session, ms.token("mara", "User.Read", cae=True))
    plain = Caller(ms, session, ms.token("mara", "User.Read"))
    ms.revoke("mara")
    refused = await quick("GET", "/me")
    told = refused.headers["WWW-Authenticate"]
    assert 'error="insufficient_claims"' in told
    claims = json.loads(base64.b64decode(told.rpartition('claims="')[2].rstrip('"')))
    assert claims["access_token"]["nbf"]["essential"]
    assert (await plain("GET", "/me")).status == 200
    fresh = Caller(ms, session, ms.token("mara", "User.Read", cae=True))
    assert (await fresh("GET", "/me")).status == 200


async def test_each_fault_meets_one_request(ms, caller):
    mara = caller("mara", "User.Read Mail.Read")
    ms.graph.faults.add("GET /me", Fault(status=429, retry_after=7), Fault(status=503))
    ms.graph.faults.add("* /me/mess*", Fault(claims='{"access_token":{}}'))
    first = await mara("GET", "/me")
    assert (first.status, first.headers["Retry-After"]) == (429, "7")
    assert (await mara("GET", "/me")).status == 503
    assert (await mara("GET", "/me")).status == 200
    assert 'claims="' in (await mara("GET", "/me/messages")).headers["WWW-Authenticate"]
    assert (await mara("GET", "/me/messages")).status == 200


async def test_the_record_holds_what_was_asked_and_no_token(ms, caller):
    mara = caller("mara", "Mail.Send")
    body = {"message": mail("tomas@larkspur.example")}
    await mara("POST", "/me/sendMail", body, client_request_id="c-1")
    request = ms.graph.requests[-1]
    assert (request.method, request.path, request.status) == ("POST", "/me/sendMail", 202)
    assert (request.person, request.client_request_id) == ("mara", "c-1")
    assert request.body == body
    assert request.token in ms.entra.access_tokens
    assert mara.token not in repr(ms.graph.requests)


async def test_what_does_not_exist_is_said_to_be_so(caller):
    mara = caller("mara", "User.Read Mail.Read")
    assert (await mara("GET", "/me/nothing")).status == 400
    assert (await mara("GET", "/users/nobody@larkspur.example")).status == 404
    assert (await mara("DELETE", "/me/mailFolders/inbox")).status == 405


async def test_a_page_under_another_name_is_turned_away(ms, session):
    async with session.get(ms.entra_url, headers={"Host": "evil.example"}) as response:
        assert response.status == 421


async def test_people_are_found_by_the_beginning_of_a_name(caller):
    mara = caller("mara", "User.ReadBasic.All People.Read")
    headers = {"ConsistencyLevel": "eventual"}
    found = await mara("GET", '/users?$search="displayName:lena"', **headers)
    assert sorted(one["displayName"] for one in found.body["value"]) == [
        "Lena Haraldsen",
        "Lena Hoffmann",
    ]
    assert (await mara("GET", '/users?$search="displayName:lena"')).status == 400
    people = await mara("GET", '/me/people?$search="tom"')
    assert [one["scoredEmailAddresses"][0]["address"] for one in people.body["value"]] == [
        "tomas@larkspur.example"
    ]
