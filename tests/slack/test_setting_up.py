"""What an operator meets: settings, the manifest, the doctor, the start."""

import re
import time
from email.utils import formatdate
from pathlib import Path

import pytest
import yaml

from adapters.slack import doctor, manifest, scopes
from adapters.slack.app import build
from adapters.slack.settings import SlackSettings
from core.errors import Misconfigured
from tests.door import Door
from tests.slack.server import scripted

ROOT = Path(__file__).parents[2]
SLACK = ROOT / "adapters" / "slack"
GOOD = {"bot_token": "xoxb-1", "signing_secret": "0123456789abcdef"}


@pytest.mark.promise("I5", "adapters.slack")
@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"bot_token": ""}, "SLACK_BOT_TOKEN"),
        ({"bot_token": "Bearer xoxb-1"}, "SLACK_BOT_TOKEN"),
        ({"signing_secret": ""}, "SLACK_SIGNING_SECRET"),
        ({"signing_secret": "short"}, "SLACK_SIGNING_SECRET"),
        ({"signing_secret": "é" * 32}, "SLACK_SIGNING_SECRET"),
        ({"api_url": "http://slack.com/api/"}, "plain http"),
        ({"api_url": "http://127.0.0.1.evil.example/api/"}, "plain http"),
        ({"api_url": "https://slack.com/api"}, "/api/"),
        ({"api_url": "https://xoxb@slack.com/api/"}, "SLACK_API_URL"),
        ({"api_url": "slack.com/api/"}, "SLACK_API_URL"),
        ({"api_url": "https://[::1/api/"}, "SLACK_API_URL"),
        ({"api_url": "https://slack.com:port/api/"}, "SLACK_API_URL"),
    ],
)
def test_unsafe_settings_do_not_start(fields, word):
    with pytest.raises(Misconfigured, match=word):
        SlackSettings(**{**GOOD, **fields})


@pytest.mark.promise("S1", "adapters.slack")
def test_settings_do_not_show_their_secrets():
    shown = repr(SlackSettings(bot_token="xoxb-canary", signing_secret="canary" * 6))
    assert "canary" not in shown


@pytest.mark.parametrize("host", ["127.0.0.1:9", "localhost:9", "[::1]:9"])
def test_plain_http_is_taken_on_loopback(host):
    assert SlackSettings(**GOOD, api_url=f"http://{host}/api/").is_loopback


def test_the_manifest_in_the_repository_is_the_one_that_is_printed():
    kept = (ROOT / "manifest" / "slack" / "manifest.yaml").read_text()
    assert yaml.safe_load(kept) == yaml.safe_load(
        manifest.render("https://countersign.example.com")
    )


def test_the_manifest_is_in_order_and_points_to_the_given_address():
    made = manifest.of("https://bot.example/base/")
    assert manifest.problems(made) == []
    urls = set(re.findall(r"https://\S+", manifest.render("https://bot.example/base/")))
    assert urls == {"https://bot.example/base/slack/events"}


@pytest.mark.parametrize("url", ["http://bot.example", "bot.example", "https://", "https://x?y=1"])
def test_no_manifest_is_printed_for_an_address_that_slack_cannot_reach(url):
    with pytest.raises(Misconfigured):
        manifest.render(url)


def test_a_broken_manifest_is_told_from_a_good_one():
    for break_it in (
        lambda m: m["oauth_config"]["scopes"]["bot"].remove("chat:write"),
        lambda m: m["features"].pop("agent_view"),
        lambda m: m["features"].update(assistant_view={}),
        lambda m: m["display_information"].update(name="x" * 36),
        lambda m: m["settings"]["interactivity"].update(request_url="http://x/slack/events"),
        lambda m: m["settings"].update(socket_mode_enabled=True),
        lambda m: m["features"]["slash_commands"][0].update(command="usage"),
    ):
        made = manifest.of("https://bot.example")
        break_it(made)
        assert manifest.problems(made)


def test_every_method_that_the_adapter_calls_has_its_scopes():
    called = set()
    for source in SLACK.rglob("*.py"):
        if source.name != "scopes.py":
            called |= set(
                re.findall(
                    r'"((?:agents|assistant|auth|chat|conversations|files|usergroups|users|views|team)'
                    r'\.[a-zA-Z.]+)"',
                    source.read_text(),
                )
            )
    assert called == set(scopes.METHODS)


def test_every_scope_is_justified():
    needed = set(scopes.needed())
    explained = (ROOT / "manifest" / "slack" / "scopes.md").read_text()
    assert needed == set(scopes.REASONS)
    assert needed == set(re.findall(r"^\| `([a-z_:]+)` \|", explained, re.MULTILINE))


def test_the_way_to_a_working_bot_names_every_setting_and_address():
    steps = (ROOT / "docs" / "slack-setup.md").read_text()
    for word in (
        "SLACK_BOT_TOKEN",
        "SLACK_SIGNING_SECRET",
        "COUNTERSIGN_PUBLIC_URL",
        "/slack/events",
        "countersign manifest slack",
        "countersign doctor",
        "/invite @Countersign",
        "/countersign help",
    ):
        assert word in steps


async def test_the_doctor_finds_nothing_when_all_is_well():
    async with scripted() as server:
        server.answers["auth.test"] = {"user_id": "U1"}
        server.answers["users.conversations"] = {"channels": [{"id": "C1"}]}
        server.headers = {"X-OAuth-Scopes": ",".join(scopes.needed())}
        assert await doctor.problems(server.settings, time.time) == []


async def test_the_doctor_names_each_missing_scope_and_what_it_is_for():
    async with scripted() as server:
        server.answers["auth.test"] = {"user_id": "U1"}
        server.answers["users.conversations"] = {"channels": []}
        server.headers = {"X-OAuth-Scopes": "chat:write, channels:read"}
        found = await doctor.problems(server.settings, time.time)

    assert len(found) == len(scopes.needed()) - 2 + 1
    assert "the scope files:write (to put a file" in " ".join(found)
    assert "/invite @Countersign" in found[-1]


@pytest.mark.parametrize(("away", "words"), [(400, "ahead of Slack"), (-400, "behind Slack")])
async def test_the_doctor_sees_a_clock_that_is_wrong(away, words):
    async with scripted() as server:
        server.answers["auth.test"] = {"user_id": "U1"}
        server.answers["users.conversations"] = {"channels": [{"id": "C1"}]}
        server.headers = {"Date": formatdate(1_796_000_000, usegmt=True)}
        found = await doctor.problems(server.settings, lambda: 1_796_000_000.0 + away)
        fine = await doctor.problems(server.settings, lambda: 1_796_000_010.0)

    assert len(found) == 1 and words in found[0] and "refused" in found[0]
    assert fine == []


async def test_the_doctor_tells_a_bad_token_from_a_silent_slack():
    async with scripted() as server:
        server.answers["auth.test"] = {"ok": False, "error": "invalid_auth"}
        refused = await doctor.problems(server.settings, time.time)
        address = server.settings
    silent = await doctor.problems(address, time.time)

    assert "does not take SLACK_BOT_TOKEN (invalid_auth)" in refused[0]
    assert "does not answer" in silent[0]


async def test_a_token_that_slack_does_not_know_stops_the_start():
    async with scripted() as server:
        server.answers["auth.test"] = {"ok": False, "error": "invalid_auth"}
        adapter = build(server.settings, Door(), time.time)
        with pytest.raises(Misconfigured, match="SLACK_BOT_TOKEN"):
            await adapter.start()


async def test_a_slack_that_does_not_answer_stops_nothing():
    async with scripted() as server:
        settings = server.settings
    adapter = build(settings, Door(), time.time)
    await adapter.start()
    await adapter.close()
