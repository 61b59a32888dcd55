"""Requests go to the authority and to no other host."""

import pytest

from core.errors import NotAllowed
from core.identity.wire import Wire

LOCAL = "http://127.0.0.1:8080"
REAL = "https://login.microsoftonline.com"


def test_microsofts_own_name_means_a_loopback_authority() -> None:
    wire = Wire(f"{LOCAL}/tenant")
    assert wire.authority == f"{REAL}/tenant"
    assert wire.real(f"{REAL}/tenant/keys?x=1") == f"{LOCAL}/tenant/keys?x=1"
    assert wire.real(f"{LOCAL}/tenant/keys") == f"{LOCAL}/tenant/keys"
    wire.close()


def test_a_real_authority_is_told_as_it_is() -> None:
    wire = Wire("https://login.microsoftonline.us/tenant")
    assert wire.authority == "https://login.microsoftonline.us/tenant"
    with pytest.raises(NotAllowed):
        wire.real(f"{REAL}/tenant/keys")
    wire.close()


@pytest.mark.promise("S5", "core.identity")
@pytest.mark.parametrize(
    "url",
    [
        "https://login.evil.example/tenant/token",
        "http://login.microsoftonline.com/tenant/token",
        "https://login.microsoftonline.com.evil.example/token",
        "https://login.microsoftonline.com@evil.example/token",
        "https://evil.example/https://login.microsoftonline.com/",
        "https://login.microsoftonline.com:8443/token",
        "http://127.0.0.1:8081/token",
        "http://169.254.169.254/metadata",
        "//evil.example/token",
        "file:///etc/passwd",
        "",
    ],
)
def test_no_other_host_is_asked(url: str) -> None:
    for authority in (f"{LOCAL}/tenant", f"{REAL}/tenant"):
        wire = Wire(authority)
        with pytest.raises(NotAllowed):
            wire.post(url, data={"code": "x"})
        wire.close()
