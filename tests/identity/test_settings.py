"""Unsafe ways to reach Microsoft's sign-in are refused before anything is sent."""

from dataclasses import replace

import pytest

from core.errors import Misconfigured
from core.identity.settings import EntraSettings

TENANT = "5e1c9d40-7b1f-4a55-9c3a-2f6d8e10b7a4"
GOOD = EntraSettings(
    tenant_id=TENANT,
    client_id="7d0c2b15-3e64-4f0a-b9c8-1a5d6e7f8091",
    client_secret="s3cr3t~value.of-the-registration",
    public_url="https://bot.larkspur.example/",
)
PEM = "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----\n"


def test_the_authority_is_microsofts_own_for_the_tenant() -> None:
    assert GOOD.base == f"https://login.microsoftonline.com/{TENANT}"
    assert GOOD.redirect_uri == "https://bot.larkspur.example/connect/callback"
    assert not GOOD.is_loopback


def test_plain_http_is_taken_on_this_machine() -> None:
    local = replace(
        GOOD, authority=f"http://127.0.0.1:8080/{TENANT}/", public_url="http://localhost:3978"
    )
    assert local.base == f"http://127.0.0.1:8080/{TENANT}"
    assert local.is_loopback
    assert replace(GOOD, authority=f"https://login.microsoftonline.us/{TENANT.upper()}")


@pytest.mark.promise("I5", "core.identity")
@pytest.mark.parametrize(
    ("change", "hint"),
    [
        ({"tenant_id": ""}, "ENTRA_TENANT_ID is missing"),
        ({"tenant_id": "common"}, "lets anybody in"),
        ({"tenant_id": "larkspur.onmicrosoft.com"}, "is not an id"),
        ({"client_id": ""}, "ENTRA_CLIENT_ID is missing"),
        ({"client_id": "app"}, "is not an id"),
        ({"client_secret": ""}, "One of them is needed"),
        ({"certificate": PEM}, "keep one"),
        ({"client_secret": TENANT}, "id of a secret"),
        ({"client_secret": "", "certificate": "nonsense"}, "as PEM"),
        ({"authority": f"http://login.microsoftonline.com/{TENANT}"}, "needs https"),
        ({"authority": f"http://10.0.0.1/{TENANT}"}, "needs https"),
        ({"authority": "https://login.microsoftonline.com/common"}, "lets anybody in"),
        ({"authority": "https://login.microsoftonline.com/organizations/"}, "lets anybody in"),
        ({"authority": "https://login.microsoftonline.com"}, "must end in the id"),
        ({"authority": f"https://login.microsoftonline.com/{TENANT}/v2.0"}, "must end in the id"),
        ({"authority": f"https://user:word@login.example/{TENANT}"}, "more than a host"),
        ({"authority": f"https://login.example/{TENANT}?p=1"}, "more than a host"),
        ({"authority": f"ftp://login.example/{TENANT}"}, "begins with https"),
        ({"authority": f"https://[::1/{TENANT}"}, "not a web address"),
        ({"public_url": ""}, "COUNTERSIGN_PUBLIC_URL is missing"),
        ({"public_url": "http://bot.larkspur.example"}, "needs https"),
        ({"public_url": "bot.larkspur.example"}, "begins with https"),
    ],
)
def test_an_unsafe_value_is_refused_with_a_sentence(change: dict[str, str], hint: str) -> None:
    with pytest.raises(Misconfigured, match=hint):
        replace(GOOD, **change)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(Misconfigured) as caught:
        EntraSettings(tenant_id="", client_id="", public_url="")
    assert len(str(caught.value).splitlines()) == 4


def test_no_secret_shows_in_the_settings_or_in_a_complaint() -> None:
    assert GOOD.client_secret not in repr(GOOD)
    with pytest.raises(Misconfigured) as caught:
        replace(GOOD, certificate=PEM, public_url="x")
    assert GOOD.client_secret not in str(caught.value)
