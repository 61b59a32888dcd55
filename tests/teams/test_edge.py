"""What the way in answers, over real sockets."""

import asyncio
import json
import logging
import time

import jwt
import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa

from adapters.teams import edge
from adapters.teams.deliveries import Reply
from adapters.teams.openid import SigningKeys
from core.errors import Misconfigured
from tests.teams.conftest import running, settings_for

STRANGER = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
CANARY = "canary-4711"
TENANT = "8f5b9a52-6f0c-4c6e-9a57-0d1f0c6b7e21"
"""The stand-in's."""


def hello(teams, **more):
    return teams.written("mara", "@mara", f"hello {CANARY}", **more)


def claims(teams, **more):
    found = {**teams.signing.claims(teams.connector_url), **more}
    return {name: value for name, value in found.items() if value is not None}


def signed(teams, said, *, key=None, algorithm="RS256", kid=None, **headers):
    named = {"kid": teams.signing.kid if kid is None else kid, **headers}
    raw = json.dumps(said).encode()
    return jwt.PyJWS().encode(raw, key or teams.signing.key, algorithm, headers=named)


def bad_tokens(teams):
    """Name → a token that proves nothing."""
    now, good = time.time(), claims(teams)
    real = signed(teams, good)
    head, body, mark = real.split(".")

    def one(**more):
        return signed(teams, claims(teams, **more))

    return {
        "empty": "",
        "garbage": "abc",
        "two parts": f"{head}.{body}",
        "four parts": f"{real}.x",
        "no signature": f"{head}.{body}.",
        "signature cut": f"{head}.{body}.{mark[:-8]}",
        "signature of another": f"{head}.{body}.{signed(teams, claims(teams, x=1)).split('.')[2]}",
        "body of another": f"{head}.{signed(teams, claims(teams, x=1)).split('.')[1]}.{mark}",
        "another key": signed(teams, good, key=STRANGER),
        "unknown key id": signed(teams, good, kid="nobody"),
        "empty key id": signed(teams, good, kid=""),
        "long key id": signed(teams, good, kid="k" * 300),
        "key id is a path": signed(teams, good, kid="../../keys"),
        "none": jwt.encode(good, None, "none", headers={"kid": teams.signing.kid}),
        "HS256": jwt.encode(good, "k" * 32, "HS256", headers={"kid": teams.signing.kid}),
        "HS256 with the public key": jwt.encode(
            good, teams.signing.kid * 8, "HS256", headers={"kid": teams.signing.kid}
        ),
        "RS512": signed(teams, good, algorithm="RS512"),
        "PS256": signed(teams, good, algorithm="PS256"),
        "key in the token": signed(teams, good, key=STRANGER, jwk={"kty": "RSA"}),
        "key elsewhere": signed(teams, good, key=STRANGER, jku="http://127.0.0.1:9/keys"),
        "critical header": signed(teams, good, crit=["exp"]),
        "no issuer": one(iss=None),
        "issuer of a tenant": one(iss=f"https://sts.windows.net/{teams.world.tenant}/"),
        "issuer of the login": one(
            iss=f"https://login.microsoftonline.com/{teams.world.tenant}/v2.0"
        ),
        "issuer with a slash": one(iss="https://api.botframework.com/"),
        "issuer as a list": one(iss=["https://api.botframework.com"]),
        "no audience": one(aud=None),
        "another audience": one(aud="11111111-1111-1111-1111-111111111111"),
        "audience as a list": one(aud=[teams.world.app_id, "other"]),
        "audience in capitals": one(aud=teams.world.app_id.upper()),
        "audience with a prefix": one(aud=f"api://{teams.world.app_id}"),
        "no end": one(exp=None),
        "ended": one(exp=int(now) - 400),
        "ended long ago": one(exp=0),
        "end as a text": one(exp="tomorrow"),
        "end as a yes": one(exp=True),
        "end beyond all": one(exp=10**15),
        "not yet": one(nbf=int(now) + 4_000),
        "begin as a text": one(nbf="now"),
        "no service url": one(serviceurl=None),
        "another service url": one(serviceurl="https://evil.example/"),
        "service url as a list": one(serviceurl=[teams.connector_url]),
    }


@pytest.mark.promise("I3", "adapters.teams")
@pytest.mark.promise("S1", "adapters.teams")
async def test_forty_tokens_that_prove_nothing_are_401_and_leave_no_trace(bot, teams, caplog):
    caplog.set_level(logging.DEBUG)
    cases = bad_tokens(teams)
    body = json.dumps(hello(teams)).encode()

    found = {name: await bot.send(body, token=token) for name, token in cases.items()}

    assert len(cases) >= 40 and found == dict.fromkeys(cases, 401)
    assert bot.door.questions == []
    assert CANARY not in caplog.text and not any(t in caplog.text for t in cases.values() if t)
    assert await bot.send(body) == 200


async def test_a_token_is_good_for_five_minutes_beside_its_times(bot, teams):
    now = int(time.time())
    for said in (claims(teams, exp=now - 200), claims(teams, nbf=now + 200)):
        assert await bot.send_json(hello(teams), token=signed(teams, said)) == 200


@pytest.mark.promise("I3", "adapters.teams")
@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer a.b.c d"},
        {"Authorization": "Bearer " + "a" * 5_000},
    ],
)
async def test_headers_that_carry_no_token_are_401(bot, teams, headers):
    assert await bot.send_json(hello(teams), headers=headers) == 401


async def test_a_body_that_its_token_was_not_made_for_is_401(bot, teams):
    moved = {**hello(teams), "serviceUrl": f"{teams.base}/other/"}
    assert await bot.send_json(moved) == 401
    assert await bot.send_json({**hello(teams), "channelId": "webchat"}) == 401
    assert bot.door.questions == []


@pytest.mark.promise("I3", "adapters.teams")
@pytest.mark.parametrize("endorsed", [["webchat"], [], None, "msteams", [["msteams"]]])
async def test_a_key_that_may_not_speak_for_teams_proves_nothing(teams, endorsed):
    teams.signing.endorsements = endorsed
    async with running(teams) as bot:
        assert await bot.send_json(hello(teams)) == 401
        assert bot.door.questions == []
        # The same key, once it may.
        bot.adapter._keys._gap = 0.0
        teams.signing.endorsements = ["webchat", "msteams"]
        teams.signing.rotate()
        assert await bot.send_json(hello(teams)) == 200


@pytest.mark.promise("I4", "adapters.teams")
async def test_a_service_url_off_the_list_is_refused_before_any_token_is_minted(bot, teams):
    minted = teams.signing.token_reads
    for host in ("https://evil.trafficmanager.net/emea/", "http://127.0.0.1:9/", "https://[::1]/"):
        said = signed(teams, claims(teams, serviceurl=host))
        assert await bot.send_json({**hello(teams), "serviceUrl": host}, token=said) == 403
    assert bot.door.questions == [] and teams.signing.token_reads == minted


async def test_another_tenant_is_403_also_where_only_one_place_names_it(bot, teams):
    other = {"id": "11111111-1111-1111-1111-111111111111"}
    for activity in (hello(teams), hello(teams), hello(teams)):
        activity["channelData"]["tenant"] = other
        assert await bot.send_json(activity) == 403
        activity["conversation"]["tenantId"] = other["id"]
        assert await bot.send_json(activity) == 403
        activity["channelData"] = {}
        assert await bot.send_json(activity) == 403
        activity["conversation"].pop("tenantId")
        assert await bot.send_json(activity) == 403
    assert bot.door.questions == []


@pytest.mark.parametrize(
    ("body", "media_type", "status"),
    [
        (b"{", "application/json", 400),
        (b"", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"null", "application/json", 400),
        (b'"x"', "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b'{"text":"x"}', "application/json", 400),
        (b'{"type":7}', "application/json", 400),
        (b'{"type":"x","a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b"{}", "application/x-www-form-urlencoded", 415),
    ],
)
async def test_what_is_no_activity_is_refused_and_never_500(bot, body, media_type, status):
    assert await bot.send(body, media_type=media_type) == status
    assert await bot.send(body, media_type=media_type, token="x.y.z") == 401
    assert bot.door.questions == []


@pytest.mark.parametrize(
    ("change", "status", "asked"),
    [
        ({"from": None}, 200, 0),
        ({"from": []}, 200, 0),
        ({"from": {"id": 7}}, 200, 0),
        ({"recipient": "x"}, 200, 0),
        ({"conversation": {"id": "a/b", "tenantId": TENANT}}, 200, 0),
        ({"conversation": None}, 200, 0),
        ({"channelData": None}, 200, 1),
        ({"entities": {"a": 1}}, 200, 1),
        ({"entities": [None, 1, {"type": None}, {"type": "mention"}]}, 200, 1),
        ({"entities": [{"type": "mention", "mentioned": None, "text": None}]}, 200, 1),
        ({"attachments": "x"}, 200, 1),
        ({"attachments": [None, {"contentType": 1, "content": []}]}, 200, 1),
        ({"text": None}, 200, 0),
        ({"text": {"a": 1}}, 200, 0),
        ({"timestamp": "yesterday"}, 200, 1),
        ({"localTimezone": 4}, 200, 1),
        ({"type": "event"}, 200, 0),
        ({"type": "conversationUpdate", "membersAdded": "x"}, 200, 0),
        ({"type": "messageReaction"}, 200, 0),
        ({"type": "invoke"}, 501, 0),
        ({"type": "invoke", "name": 4}, 501, 0),
        ({"type": "invoke", "name": "composeExtension/query"}, 501, 0),
        ({"type": "invoke", "name": "adaptiveCard/action", "value": None}, 400, 0),
        ({"type": "invoke", "name": "adaptiveCard/action", "value": {"action": "x"}}, 400, 0),
        ({"type": "invoke", "name": "message/submitAction", "value": 5}, 200, 0),
        ({"type": "invoke", "name": "fileConsent/invoke", "value": []}, 200, 0),
        ({"type": "invoke", "name": "signin/tokenExchange", "value": None}, 412, 0),
        ({"type": "invoke", "name": "signin/verifyState"}, 200, 0),
        ({"type": "installationUpdate", "action": {}}, 200, 0),
    ],
)
async def test_activities_of_any_shape_are_answered_without_an_error(
    bot, teams, change, status, asked
):
    assert await bot.send_json({**hello(teams), **change}) == status
    assert len(bot.door.questions) == asked


async def test_a_delivery_that_could_not_be_recorded_is_503_and_comes_again(bot, teams):
    bot.door.outages = 1
    await teams.say("mara", "@mara", "hello")
    asked = await teams.wait_for(lambda: bot.door.questions or None)
    assert [found.status for found in teams.deliveries] == [503, 200] and len(asked) == 1


async def test_a_defect_is_503_and_not_500(bot, teams):
    bot.door.defects = 1
    assert await bot.send_json(hello(teams)) == 503


@pytest.mark.promise("I3", "adapters.teams")
async def test_keys_are_read_once_and_again_only_where_another_one_signs(teams):
    now = [0.0]
    async with SigningKeys(teams.openid_url, lambda: now[0], gap=30.0) as keys:
        first = teams.signing.kid
        assert await keys.of(first) is not None
        for _ in range(20):
            assert await keys.of(first) is not None
            assert await keys.of("nobody") is None
        assert teams.signing.key_reads == 1

        teams.signing.rotate()
        now[0] += 31.0
        assert await keys.of(teams.signing.kid) is not None
        assert await keys.of(first) is None, "a key that was taken back proves nothing"
        assert teams.signing.key_reads == 2


async def test_keys_are_kept_while_they_cannot_be_read(teams):
    now = [0.0]
    async with SigningKeys(teams.openid_url, lambda: now[0]) as keys:
        assert await keys.of(teams.signing.kid) is not None
        teams.signing.is_down = True
        now[0] += 100.0
        assert await keys.of("nobody") is None
        assert await keys.of(teams.signing.kid) is not None
        assert teams.signing.key_reads == 2


async def test_a_roll_over_is_noticed_at_the_first_delivery(teams):
    async with running(teams) as bot:
        assert await bot.send_json(hello(teams)) == 200
        bot.adapter._keys._gap = 0.0
        teams.signing.rotate()
        assert await bot.send_json(hello(teams)) == 200
    assert len(bot.door.questions) == 2


@pytest.mark.promise("I6", "adapters.teams")
async def test_a_slow_body_is_408_and_a_large_one_413(teams):
    async def take(_):
        return Reply(status=200)

    async def answered(head: str) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", runner.addresses[0][1])
        writer.write(f"POST {edge.PATH} HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n{{".encode())
        status = int((await reader.readline()).split()[1])
        writer.close()
        return status

    async with SigningKeys(teams.openid_url, time.monotonic) as keys:
        door = edge.Edge(settings_for(teams), keys, time.time, take, body_seconds=0.05)
        site = web.Application()
        site.router.add_post(edge.PATH, door.respond)
        runner = web.AppRunner(site, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        token = teams.signing.token(teams.connector_url)
        head = f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        assert await answered(f"{head}Content-Length: 50") == 408
        assert await answered(f"{head}Content-Length: 2000000") == 413
        await runner.cleanup()


BAD_SETTINGS = {
    "no app": {"app_id": ""},
    "no app id": {"app_id": "countersign"},
    "no tenant": {"tenant_id": ""},
    "common tenant": {"tenant_id": "common"},
    "another tenant's name": {"also_tenants": ("contoso.example",)},
    "no credential": {"password": ""},
    "two credentials": {"certificate": "PEM"},
    "keys on plain http": {"openid_url": "http://login.example/openid"},
    "login on plain http": {"login_url": "http://login.example"},
    "login with a password": {"login_url": "https://a:b@login.example"},
    "origin with a path": {"service_origins": ("https://bot.example/x",)},
    "origin on plain http": {"service_origins": ("http://bot.example",)},
    "unsigned without the workspace": {"is_unverified": True},
    "unsigned on all addresses": {
        "is_unverified": True,
        "is_workspace": True,
        "host": "0.0.0.0",
    },
    "unsigned on the network": {"is_unverified": True, "is_workspace": True, "host": "10.0.0.5"},
}


@pytest.mark.promise("I3", "adapters.teams")
@pytest.mark.parametrize("name", BAD_SETTINGS)
async def test_unsafe_settings_refuse_to_start(teams, name):
    with pytest.raises(Misconfigured):
        settings_for(teams, **BAD_SETTINGS[name])


async def test_unsigned_activities_are_taken_in_the_workspace_on_loopback_alone(teams):
    open_door = settings_for(
        teams, is_unverified=True, is_workspace=True, host="127.0.0.1", password=""
    )
    assert open_door.is_unverified
