"""From nothing to a working bot in Teams: settings, package, doctor."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from adapters.teams import doctor, icons, manifest
from adapters.teams.app import build
from bot import cli, settings
from core.errors import Misconfigured
from tests.door import Door
from tests.teams.conftest import Memory, settings_for

ROOT = Path(__file__).parents[2]
APP = "00000000-0000-0000-0000-000000000000"
URL = "https://countersign.example.com"
TEAMS = {
    "TEAMS_APP_ID": "5c1a7b60-2f1e-4a52-9d0f-7d9f6a1e4c11",
    "TEAMS_TENANT_ID": "8F5B9A52-6f0c-4c6e-9a57-0d1f0c6b7e21",
    "TEAMS_APP_PASSWORD": "a-secret-of-the-bot",
}


def read(environment, folder, **more):
    return settings.read(environment, folder=folder, is_workspace=more.get("is_workspace", False))


def test_teams_alone_is_enough_to_start_and_its_secret_is_never_shown(tmp_path):
    found = read(TEAMS, tmp_path)
    assert found.slack is None and found.teams is not None
    assert found.teams.tenant_id == "8f5b9a52-6f0c-4c6e-9a57-0d1f0c6b7e21"
    assert "a-secret-of-the-bot" in found.secrets()
    assert "a-secret-of-the-bot" not in repr(found)


@pytest.mark.promise("I5", "adapters.teams")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"TEAMS_TENANT_ID": ""}, "TEAMS_TENANT_ID"),
        ({"TEAMS_TENANT_ID": "common"}, "single tenant"),
        ({"TEAMS_APP_PASSWORD": ""}, "TEAMS_APP_PASSWORD"),
        ({"TEAMS_MANAGED_IDENTITY": "true"}, "exactly one"),
        ({"TEAMS_AUTHENTICATION": "off"}, "TEAMS_AUTHENTICATION"),
        ({"TEAMS_SERVICE_ORIGINS": "http://bot.example"}, "TEAMS_SERVICE_ORIGINS"),
        ({"TEAMS_LOGIN_URL": "http://login.example"}, "TEAMS_LOGIN_URL"),
    ],
)
def test_what_is_unsafe_does_not_start_and_says_why(tmp_path, change, said):
    with pytest.raises(Misconfigured, match=said):
        read(TEAMS | change, tmp_path)


@pytest.mark.promise("I5", "adapters.teams")
def test_unsigned_activities_need_the_workspace_and_a_loopback_address(tmp_path):
    off = TEAMS | {"TEAMS_AUTHENTICATION": "off", "TEAMS_SERVICE_ORIGINS": "http://127.0.0.1:56150"}
    found = read(off, tmp_path, is_workspace=True)
    assert found.teams is not None and found.teams.is_unverified
    with pytest.raises(Misconfigured):
        read(off | {"COUNTERSIGN_HOST": "0.0.0.0"}, tmp_path, is_workspace=True)


def test_the_manifest_in_the_repository_is_the_one_that_is_packed():
    kept = json.loads((ROOT / "manifest" / "teams" / "manifest.json").read_text())
    assert kept == manifest.of(URL, APP)


def test_the_package_is_in_order_and_the_same_every_time():
    content = manifest.package(URL, APP)
    assert content == manifest.package(URL, APP)
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        assert package.namelist() == ["manifest.json", "color.png", "outline.png"]
        assert json.loads(package.read("manifest.json")) == manifest.of(URL, APP)
        assert icons.size(package.read("color.png")) == (192, 192)
        assert icons.size(package.read("outline.png")) == (32, 32)


def test_the_app_asks_for_no_permission_beyond_being_spoken_to():
    made = manifest.of(URL, APP)
    assert "authorization" not in made and "webApplicationInfo" not in made


def test_a_broken_manifest_is_told_from_a_good_one():
    for break_it in (
        lambda m: m["name"].update(short="x" * 31),
        lambda m: m["description"].update(short="x" * 81),
        lambda m: m.update(manifestVersion="1.31"),
        lambda m: m.update(validDomains=["https://bot.example"]),
        lambda m: m["bots"][0].update(streaming=True),
        lambda m: m["bots"][0].update(scopes=["personal"]),
        lambda m: m["bots"][0].update(botId="11111111-1111-1111-1111-111111111111"),
        lambda m: m["bots"][0]["commandLists"][0].update(commands=[]),
        lambda m: m["developer"].update(privacyUrl="http://bot.example"),
        lambda m: m.pop("icons"),
    ):
        made = manifest.of(URL, APP)
        break_it(made)
        assert manifest.problems(made)


@pytest.mark.parametrize(
    ("url", "app"), [("http://bot.example", APP), ("https://", APP), (URL, ""), (URL, "bot")]
)
def test_no_package_is_made_for_what_teams_cannot_reach(url, app):
    with pytest.raises(Misconfigured):
        manifest.package(url, app)


def test_the_command_writes_the_package(tmp_path, capsys):
    out = tmp_path / "app.zip"
    assert cli.main(["manifest", "teams", "--url", URL, "--app-id", APP, "--out", str(out)]) == 0
    assert out.read_bytes() == manifest.package(URL, APP) and "app.zip" in capsys.readouterr().out
    assert cli.main(["manifest", "teams", "--url", URL]) == 2


def test_the_way_to_a_working_bot_names_every_setting_and_address():
    steps = (ROOT / "docs" / "teams-setup.md").read_text()
    for word in (
        *TEAMS,
        "TEAMS_APP_CERTIFICATE",
        "TEAMS_MANAGED_IDENTITY",
        "COUNTERSIGN_PUBLIC_URL",
        "/api/messages",
        "countersign manifest teams",
        "countersign doctor",
        "@Countersign help",
    ):
        assert word in steps
    known = set(re.findall(r"TEAMS_[A-Z_]+[A-Z]", (ROOT / "bot" / "given_teams.py").read_text()))
    assert known <= set(re.findall(r"TEAMS_[A-Z_]+[A-Z]", steps))


async def test_the_doctor_finds_nothing_when_all_is_well(teams):
    assert await doctor.problems(settings_for(teams)) == []


async def test_the_doctor_tells_a_bad_secret_from_keys_that_cannot_be_read(teams):
    [said] = await doctor.problems(settings_for(teams, password="another"))
    assert "secret or certificate" in said
    teams.signing.is_down = True
    [said] = await doctor.problems(settings_for(teams))
    assert "every message would be refused" in said


async def test_a_secret_that_microsoft_does_not_take_stops_the_start(teams):
    adapter = build(settings_for(teams, password="another"), Door(), Memory(), lambda: 0.0)
    with pytest.raises(Misconfigured, match="TEAMS_APP_ID"):
        await adapter.start()


async def test_a_microsoft_that_does_not_answer_stops_nothing(teams):
    adapter = build(
        settings_for(teams, login_url="http://127.0.0.1:9"), Door(), Memory(), lambda: 0.0
    )
    await adapter.start()
    await adapter.close()
