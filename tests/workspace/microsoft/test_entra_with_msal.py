"""MSAL, unmodified, signs people in at the stand-in."""

import asyncio
import datetime
import hashlib
import json

import jwt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from msal.exceptions import MsalServiceError

from bot.workspace.microsoft.entra import failures
from bot.workspace.microsoft.entra.keys import SigningKeys, new_key
from bot.workspace.microsoft.records import Fault
from tests.workspace.microsoft.msal_client import REDIRECT, Client, query_of

MAIL = ("Mail.Send", "User.Read")


async def test_a_sign_in_gives_a_token_for_what_was_agreed_to(ms):
    client = Client(ms)
    url = await client.start(*MAIL, login_hint="mara@larkspur.example")
    query = query_of(url)
    assert url.startswith(f"{ms.entra_url}/{ms.tenant.id}/oauth2/v2.0/authorize?")
    assert query["code_challenge_method"] == "S256"
    sent = ms.sign_in(url, "mara")
    assert sent.url == REDIRECT
    assert sent.fields["state"] == query["state"]
    got = await client.finish(sent.fields)

    assert set(got["scope"].split()) >= set(MAIL)
    assert got["id_token_claims"]["oid"] == ms.person("mara").oid
    nonce = client.flow["nonce"]
    assert got["id_token_claims"]["nonce"] == hashlib.sha256(nonce.encode()).hexdigest()
    claims = jwt.decode(got["access_token"], options={"verify_signature": False})
    assert claims["scp"] == "Mail.Send User.Read"
    assert claims["tid"] == ms.tenant.id


async def test_the_published_keys_verify_what_was_signed_before_and_after_a_change(ms, session):
    before = await Client(ms).link("mara", *MAIL)
    ms.entra.keys.rotate()
    after = await Client(ms).link("mara", *MAIL)
    async with session.get(f"{ms.entra_url}/{ms.tenant.id}/discovery/v2.0/keys") as response:
        keys = {key.key_id: key.key for key in jwt.PyJWKSet.from_dict(await response.json()).keys}
    assert len(keys) == 2
    for got in (before, after):
        kid = jwt.get_unverified_header(got["id_token"])["kid"]
        issuer = f"https://login.microsoftonline.com/{ms.tenant.id}/v2.0"
        jwt.decode(got["id_token"], keys[kid], ["RS256"], audience=ms.app.client_id, issuer=issuer)
    withdrawn = ms.entra.keys.kid
    ms.entra.keys.rotate(keeps_old=False)
    assert [key["kid"] for key in ms.entra.keys.jwks()["keys"]] != [withdrawn]


async def test_a_code_works_once_and_for_whoever_asked_for_it_alone(ms):
    client = Client(ms)
    sent = ms.sign_in(await client.start(*MAIL), "mara")
    flow = client.flow
    client.flow = flow | {"code_verifier": "x" * 43}
    got = await client.finish(sent.fields)
    assert got["error_codes"] == [501481]
    client.flow = flow
    assert (await client.finish(sent.fields))["error_codes"] == [54005]


async def test_a_wrong_secret_is_refused_as_the_app_and_not_as_the_person(ms):
    client = Client(ms, client_credential="guess")
    got = await client.link("mara", *MAIL)
    assert (got["error"], got["error_codes"]) == ("invalid_client", [7000215])
    assert got["error_description"].startswith("AADSTS7000215: Invalid client secret")
    assert got["correlation_id"]
    assert got["trace_id"]


async def test_a_registered_certificate_stands_for_the_secret_and_another_does_not(ms):
    key, pem = certificate()
    other, _ = certificate()
    ms.app.certificates.append(pem)
    good = Client(ms, client_credential={"private_key": key, "public_certificate": pem})
    assert "access_token" in await good.link("mara", *MAIL)
    bad = Client(ms, client_credential={"private_key": other, "public_certificate": pem})
    got = await bad.link("mara", *MAIL)
    assert (got["error"], got["error_codes"]) == ("invalid_client", [700027])


def certificate() -> tuple[str, str]:
    """A private key and its certificate, both PEM."""
    key = new_key()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "countersign")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return text, made.public_bytes(Encoding.PEM).decode()


async def test_consent_grows_step_by_step_and_is_remembered(ms):
    client = Client(ms)
    await client.link("mara", "User.Read")
    got = await client.silent("Mail.Send")
    assert (got["error"], got["suberror"]) == ("invalid_grant", "consent_required")
    assert got["error_codes"] == [65001]

    await Client(ms).link("mara", "Mail.Send")
    again = Client(ms)
    sent = ms.sign_in(await again.start("User.Read", "Mail.Send"), "mara", accepts=False)
    assert "code" in sent.fields, "everything was agreed to before, so nobody is asked"
    got = await again.finish(sent.fields)
    assert set(got["scope"].split()) >= {"Mail.Send", "User.Read"}


async def test_cancel_says_so_to_the_app_and_grants_nothing(ms):
    client = Client(ms)
    sent = ms.sign_in(await client.start(*MAIL), "tomas", accepts=False)
    assert sent.fields["error"] == "access_denied"
    assert "AADSTS65004" in sent.fields["error_description"]
    assert "error" in await client.finish(sent.fields)
    assert ms.entra.refresh_tokens == {}


async def test_what_only_an_admin_may_grant_leads_back_without_it(ms):
    client = Client(ms)
    url = await client.start("ChannelMessage.Read.All")
    assert "AADSTS90094" in ms.sign_in(url, "mara").fields["error_description"]
    assert "code" in ms.sign_in(await client.start("ChannelMessage.Read.All"), "priya").fields

    ms.entra.consents.is_admin_needed = True
    refused = ms.sign_in(await client.start("User.Read"), "tomas")
    assert refused.fields["error"] == "access_denied"


async def test_a_refresh_gives_a_new_token_and_a_new_refresh_token(ms):
    client = Client(ms)
    first = await client.link("mara", *MAIL)
    second = await client.silent(*MAIL)
    assert first["access_token"] != second["access_token"]
    kept = list(client.cache.search("RefreshToken"))
    assert [token["secret"] for token in kept] == [list(ms.entra.refresh_tokens)[-1]]
    assert len(ms.entra.refresh_tokens) == 2


async def test_a_replaced_refresh_token_is_refused_only_where_that_is_switched_on(ms):
    client = Client(ms)
    await client.link("mara", *MAIL)
    before = client.cache.serialize()
    ms.entra.is_rotation_strict = True
    assert "access_token" in await client.silent(*MAIL)
    client.cache.deserialize(before)
    assert (await client.silent(*MAIL))["error_codes"] == [50173]


async def test_a_revocation_ends_all_refresh_tokens_of_that_person(ms):
    mara, tomas = Client(ms), Client(ms)
    await mara.link("mara", *MAIL)
    await tomas.link("tomas", *MAIL)
    ms.revoke("mara")
    got = await mara.silent(*MAIL)
    assert (got["error"], got["error_codes"]) == ("invalid_grant", [50173])
    assert "access_token" in await tomas.silent(*MAIL)
    fresh = Client(ms)
    await fresh.link("mara", *MAIL)
    assert "access_token" in await fresh.silent(*MAIL)


async def test_withdrawn_consent_and_a_closed_account_are_told_apart(ms):
    client = Client(ms)
    await client.link("mara", *MAIL)
    ms.entra.consents.withdraw(ms.person("mara"))
    assert (await client.silent(*MAIL))["error_codes"] == [65001]
    client.http = type(client.http)(ms.entra_url)
    ms.entra.disabled.add(ms.person("mara").oid)
    assert (await client.silent(*MAIL))["error_codes"] == [50057]


async def test_a_second_factor_is_asked_for_and_met_by_signing_in_again(ms):
    client = Client(ms)
    await client.link("mara", *MAIL)
    ms.entra.conditions[ms.person("mara").oid] = failures.MFA
    got = await client.silent(*MAIL)
    assert (got["error"], got["error_codes"]) == ("interaction_required", [50076])
    assert "capolids" in json.loads(got["claims"])["access_token"]
    again = Client(ms)
    await again.link("mara", *MAIL, claims_challenge=got["claims"])
    assert "access_token" in await again.silent(*MAIL)


async def test_a_block_by_conditional_access_cannot_be_met(ms):
    client = Client(ms)
    await client.link("mara", *MAIL)
    ms.entra.conditions[ms.person("mara").oid] = failures.BLOCKED
    assert (await client.silent(*MAIL))["error_codes"] == [53003]
    with pytest.raises(RuntimeError, match="Conditional Access"):
        ms.sign_in(await client.start(*MAIL), "mara")


async def test_a_token_is_for_one_resource(ms):
    client = Client(ms)
    await client.link("mara", "User.Read")
    power_bi = "https://analysis.windows.net/powerbi/api/Dataset.Read.All"
    assert (await client.silent(power_bi))["suberror"] == "consent_required"
    ms.consent("mara", power_bi)
    client = Client(ms)
    await client.link("mara", "User.Read")
    got = await client.silent(power_bi)
    claims = jwt.decode(got["access_token"], options={"verify_signature": False})
    assert claims["aud"] == "https://analysis.windows.net/powerbi/api"


async def test_on_behalf_of_turns_a_teams_token_into_a_graph_token(ms):
    ms.consent("mara", "Mail.Send")
    app = Client(ms).app
    assertion = ms.entra.sso_token(ms.person("mara"))

    def exchange(token):
        return asyncio.to_thread(lambda: app().acquire_token_on_behalf_of(token, ["Mail.Send"]))

    got = await exchange(assertion)
    claims = jwt.decode(got["access_token"], options={"verify_signature": False})
    assert claims["oid"] == ms.person("mara").oid
    assert (await exchange(got["access_token"]))["error_codes"] == [500131]
    forged = SigningKeys().sign(jwt.decode(assertion, options={"verify_signature": False}))
    assert (await exchange(forged))["error_codes"] == [50013]


async def test_a_busy_entra_says_when_to_come_again(ms):
    client = Client(ms)
    await client.link("mara", *MAIL)
    ms.entra.faults.add("token refresh_token", Fault(status=503, retry_after=3))
    with pytest.raises(MsalServiceError):
        await client.silent(*MAIL)
    assert ms.entra.requests[-1].status == 503


async def test_a_forged_id_token_can_be_asked_for(ms):
    ms.entra.id_token_patch = {"aud": "another-app"}
    ms.entra.id_token_keys = SigningKeys()
    got = await Client(ms).link("mara", *MAIL)
    kid = jwt.get_unverified_header(got["id_token"])["kid"]
    assert kid not in {key["kid"] for key in ms.entra.keys.jwks()["keys"]}
    assert got["id_token_claims"]["aud"] == "another-app"


async def test_no_secret_stands_in_the_record(ms):
    client = Client(ms)
    await client.link("mara", *MAIL)
    await client.silent(*MAIL)
    secrets = [ms.app.secret, *ms.entra.codes, *ms.entra.refresh_tokens]
    secrets += [token.text for token in ms.entra.access_tokens.values()]
    told = repr(ms.entra.requests)
    assert [secret for secret in secrets if secret in told] == []
    assert [request.body["grant_type"] for request in ms.entra.requests] == [
        "authorization_code",
        "refresh_token",
    ]
