"""Which addresses the bot's token may be shown to."""

import pytest

from adapters.teams.origins import MICROSOFT, Origins
from core.errors import Misconfigured

GOOD = [
    "https://smba.trafficmanager.net/emea/",
    "https://smba.trafficmanager.net/emea",
    "https://smba.trafficmanager.net/amer/8f5b9a52-6f0c-4c6e-9a57-0d1f0c6b7e21/",
    "https://smba.trafficmanager.net",
    "https://smba.trafficmanager.net/",
    "https://smba.trafficmanager.net:443/teams/",
    "https://SMBA.trafficmanager.net/teams/",
    "https://smba.infra.gcc.teams.microsoft.com/teams",
    "https://smba.infra.gov.teams.microsoft.us/teams",
    "https://smba.infra.dod.teams.microsoft.us/teams/",
]
BAD = [
    "",
    "smba.trafficmanager.net/emea/",
    "//smba.trafficmanager.net/emea/",
    "http://smba.trafficmanager.net/emea/",
    "HTTPS://smba.trafficmanager.net/emea/",
    "ftp://smba.trafficmanager.net/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://evil.trafficmanager.net/emea/",
    "https://smba.trafficmanager.net.evil.example/emea/",
    "https://smba-trafficmanager.net/emea/",
    "https://trafficmanager.net/emea/",
    "https://xsmba.trafficmanager.net/emea/",
    "https://a.smba.trafficmanager.net/emea/",
    "https://smba.trafficmanager.net./emea/",
    "https://smba..trafficmanager.net/emea/",
    "https://.smba.trafficmanager.net/emea/",
    "https://smba.trafficmanager.net@evil.example/emea/",
    "https://user@smba.trafficmanager.net/emea/",
    "https://user:pass@smba.trafficmanager.net/emea/",
    "https://evil.example#smba.trafficmanager.net/",
    "https://evil.example?smba.trafficmanager.net/",
    "https://evil.example/smba.trafficmanager.net/",
    "https://evil.example\\@smba.trafficmanager.net/",
    "https://smba.trafficmanager.net\\.evil.example/",
    "https:\\\\smba.trafficmanager.net/",
    "https:/smba.trafficmanager.net/",
    "https:///smba.trafficmanager.net/",
    "https://smba.trafficmanager.net:444/emea/",
    "https://smba.trafficmanager.net:/emea/",
    "https://smba.trafficmanager.net:0/emea/",
    "https://smba.trafficmanager.net:99999/emea/",
    "https://smba.trafficmanager.net:44x/emea/",
    "https://smba.trafficmanager.net:443:443/emea/",
    "https://smba.trafficmanager.net/emea/?x=1",
    "https://smba.trafficmanager.net/emea/#x",
    "https://smba.trafficmanager.net/../../evil",
    "https://smba.trafficmanager.net/emea/%2e%2e/",
    "https://smba.trafficmanager.net/emea//x",
    "https://smba.trafficmanager.net/emea;x",
    "https://smba.trafficmanager.net/em ea/",
    " https://smba.trafficmanager.net/emea/",
    "https://smba.trafficmanager.net/emea/\n",
    "https://smba.trafficmanager.net\t/emea/",
    "https://smba.trafficmanager.net/emea/\x00",
    "https://smbа.trafficmanager.net/emea/",
    "https://smba。trafficmanager。net/emea/",
    "https://ſmba.trafficmanager.net/emea/",
    "https://xn--smb-8cd.trafficmanager.net/emea/",
    "https://127.0.0.1/emea/",
    "https://[::1]/emea/",
    "https://169.254.169.254/latest/meta-data/",
    "http://127.0.0.1:8080/",
    "http://localhost/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://smba.trafficmanager.net/" + "a" * 600,
]


def test_there_are_sixty_addresses_and_more():
    assert len(GOOD) + len(BAD) >= 60 and len(set(GOOD + BAD)) == len(GOOD) + len(BAD)


@pytest.mark.parametrize("address", GOOD)
def test_the_addresses_of_microsofts_connectors_are_taken(address):
    assert Origins.of(MICROSOFT).allows(address)


@pytest.mark.promise("I4", "adapters.teams")
@pytest.mark.parametrize("address", BAD)
def test_everything_that_only_looks_like_one_is_refused(address):
    assert not Origins.of(MICROSOFT).allows(address)


def test_a_stand_in_on_this_machine_is_taken_with_its_own_port_alone():
    own = Origins.of(["http://127.0.0.1:5050"])
    assert own.allows("http://127.0.0.1:5050/teams/")
    for other in ("http://127.0.0.1:5051/", "http://127.0.0.1/", "http://localhost:5050/"):
        assert not own.allows(other)


@pytest.mark.parametrize(
    "origin", ["http://bot.example", "https://bot.example/path", "bot.example", "https://*.example"]
)
def test_what_is_no_origin_is_no_setting(origin):
    with pytest.raises(Misconfigured, match="TEAMS_SERVICE_ORIGINS"):
        Origins.of([origin])
