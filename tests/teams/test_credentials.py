"""How the bot proves to Microsoft who it is: by secret, by certificate, by managed identity."""

import asyncio
import datetime
import json

import aiohttp
import jwt
import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from adapters.teams.credentials import Credentials, assertion
from core.errors import DeliveryFailed
from tests.teams.conftest import settings_for

KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
APP = "5c1a7b60-2f1e-4a52-9d0f-7d9f6a1e4c11"


def pem() -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bot")])
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(KEY.public_key())
        .serial_number(7)
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=365))
        .sign(KEY, hashes.SHA256())
    )
    private = KEY.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return (private + made.public_bytes(serialization.Encoding.PEM)).decode()


def test_a_certificate_signs_a_statement_for_this_one_address():
    said = assertion(pem(), APP, "https://login.example/t/token", 1_796_000_000.0)
    claims = jwt.decode(
        said,
        KEY.public_key(),
        algorithms=["PS256"],
        audience="https://login.example/t/token",
        options={"verify_exp": False, "verify_nbf": False},
    )
    assert claims["iss"] == claims["sub"] == APP
    assert claims["exp"] - 1_796_000_000 == 600
    assert len(jwt.get_unverified_header(said)["x5t#S256"]) == 43


async def test_many_who_want_a_token_at_once_cause_one_request(teams):
    async with aiohttp.ClientSession() as session:
        one = Credentials(settings_for(teams), session)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one.token()) for _ in range(20)]
        assert len({task.result() for task in tasks}) == 1 and teams.signing.token_reads == 1


async def test_a_token_is_renewed_before_it_ends(teams):
    now = [0.0]
    async with aiohttp.ClientSession() as session:
        one = Credentials(settings_for(teams), session, lambda: now[0])
        first = await one.token()
        now[0] = 3_200.0
        assert await one.token() == first
        now[0] = 3_301.0
        assert await one.token() != first


async def test_a_managed_identity_is_asked_where_the_host_says(teams):
    asked = []

    async def answer(request: web.Request) -> web.Response:
        asked.append((dict(request.query), request.headers.get("X-IDENTITY-HEADER")))
        return web.json_response({"access_token": "managed", "expires_in": "3599"})

    site = web.Application()
    site.router.add_get("/token", answer)
    runner = web.AppRunner(site, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    own = settings_for(
        teams,
        password="",
        is_managed_identity=True,
        identity_endpoint=f"http://127.0.0.1:{runner.addresses[0][1]}/token",
        identity_secret="header-secret",
    )
    async with aiohttp.ClientSession() as session:
        assert await Credentials(own, session).token() == "managed"
    await runner.cleanup()
    [(query, secret)] = asked
    assert query["resource"] == "https://api.botframework.com" and query["client_id"] == APP
    assert secret == "header-secret" and "header-secret" not in json.dumps(query)


@pytest.mark.parametrize("pem_text", ["", "PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n"])
async def test_a_certificate_that_is_none_fails_in_words(teams, pem_text):
    own = settings_for(teams, password="", certificate=pem_text or "x")
    async with aiohttp.ClientSession() as session:
        with pytest.raises(DeliveryFailed) as failure:
            await Credentials(own, session).token()
    assert failure.value.reason == "no_token"
