"""Teams' own sign-in: tried where Teams allows it, told to one person, never in public."""

import json

import pytest

from adapters.teams.deciding import TOLD
from bot.workspace.teams_server import cards
from core.parked import Verdict
from tests.teams.conftest import running, settings_for
from tests.teams.test_clicks import Desk, shown

RESOURCE = "api://botid-5c1a7b60-2f1e-4a52-9d0f-7d9f6a1e4c11"
LINK = "https://bot.example/connect/start?key=secret-of-mara"


class Accounts:
    """Implements `core.ports.Accounts`; takes the tokens that it knows."""

    def __init__(self) -> None:
        self.good: set[str] = set()
        self.asked: list[tuple[str, str]] = []

    async def connect(self, person, address):
        return Verdict(kind="connect", sentence="Connect your account.", url=LINK)

    async def exchange(self, person, assertion, address):
        self.asked.append((person, assertion))
        is_good = assertion in self.good
        kind = "recorded" if is_good else "refused"
        return Verdict(kind=kind, sentence="You are connected." if is_good else "No.")

    async def disconnect(self, person):
        return "Gone."


@pytest.fixture
async def accounts():
    return Accounts()


@pytest.fixture
async def desk():
    made = Desk()
    made.verdict = Verdict(kind="connect", sentence="Connect your account.", url=LINK)
    return made


@pytest.fixture
async def bot(teams, desk, accounts):
    given = settings_for(teams, sso_resource=RESOURCE)
    async with running(teams, desk=desk, accounts=accounts, settings=given) as made:
        teams.assertion = lambda oid: f"token of {oid}"
        desk.surface = made.adapter.surface
        yield made


def token_of(teams, person):
    return f"token of {teams.member(person).oid}"


def links_in(teams, *places):
    return [place for place in places if LINK in json.dumps(teams.by_bot(place))]


async def test_in_a_chat_of_two_teams_signs_in_before_anything_is_shown(bot, teams, accounts):
    accounts.good.add(token_of(teams, "mara"))
    await teams.say("mara", "@mara", "connect")
    await teams.wait_for(lambda: accounts.asked or None)
    [(person, _)] = accounts.asked
    assert person.endswith(f"/{teams.member('mara').oid}")
    await teams.wait_for(lambda: not teams.by_bot("@mara") or None)


async def test_where_that_fails_the_button_stays_and_is_for_one_person(bot, teams, accounts):
    await teams.say("mara", "sales", "connect")
    await teams.wait_for(lambda: accounts.asked or None)
    [card] = teams.by_bot("@mara")
    [attachment] = card["attachments"]
    content = attachment["content"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.oauth"
    assert content["tokenExchangeResource"]["uri"] == RESOURCE
    assert [button["value"] for button in content["buttons"]] == [LINK]
    assert links_in(teams, "sales", "planning", "@tomas") == []
    answer = next(d for d in teams.deliveries if d.activity.get("name") == "signin/tokenExchange")
    assert answer.status == 412 and answer.body["id"] == content["tokenExchangeResource"]["id"]


async def test_one_exchange_from_several_devices_is_made_once(bot, teams, accounts):
    accounts.good.add("t")
    value = {"id": "one", "connectionName": "countersign", "token": "t"}
    for _ in range(3):
        found = await teams.happen(
            "mara", "@mara", "invoke", name="signin/tokenExchange", value=value
        )
        assert (found.status, found.body["id"]) == (200, "one")
    assert len(accounts.asked) == 1
    # The same name from somebody else is another exchange.
    await teams.happen("tomas", "@tomas", "invoke", name="signin/tokenExchange", value=value)
    assert len(accounts.asked) == 2


@pytest.mark.parametrize("place", ["@mara", "planning"])
async def test_a_click_in_a_chat_connects_silently(bot, teams, desk, accounts, place):
    card = await shown(bot)
    accounts.good.add(token_of(teams, "mara"))
    content = cards(card)[0]
    action = {**content["actions"][0], "verb": "connect"}
    answer = await teams.press("mara", place, card["id"], action, {})
    assert (answer["statusCode"], answer["value"]) == (200, "You are connected.")
    assert links_in(teams, "planning", "sales", "@tomas") == []


async def test_a_click_that_teams_cannot_sign_in_for_shows_a_button_to_the_one(bot, teams, desk):
    card = await shown(bot)
    action = {**cards(card)[0]["actions"][0], "verb": "connect"}
    answer = await teams.press("mara", "planning", card["id"], action, {})
    assert answer["statusCode"] == 401
    assert answer["type"] == "application/vnd.microsoft.activity.loginRequest"
    assert answer["value"]["buttons"][0]["value"] == LINK
    assert links_in(teams, "planning", "@mara") == [], "it is in the answer to the click alone"
    second = teams.deliveries[-1].body
    assert second["statusCode"] == 412
    assert second["type"] == "application/vnd.microsoft.error.preconditionFailed"


async def test_in_a_channel_nobody_is_signed_in_silently(bot, teams, desk, accounts):
    card = await shown(bot)
    action = {**cards(card)[0]["actions"][0], "verb": "connect"}
    answer = await teams.press("mara", "sales", card["id"], action, {})
    assert (answer["statusCode"], answer["value"]) == (200, TOLD)
    assert accounts.asked == [] and links_in(teams, "sales", "@mara") == ["@mara"]
    [told] = [one for one in teams.by_bot("@mara") if LINK in json.dumps(one)]
    assert "tokenExchangeResource" not in json.dumps(told)


async def test_a_failed_sign_in_is_told_to_the_person_and_logged_by_its_code(bot, teams, caplog):
    value = {"code": "resourcematchfailed", "message": "App resource defined in manifest"}
    found = await teams.happen("mara", "planning", "invoke", name="signin/failure", value=value)
    assert found.status == 200
    [told] = teams.by_bot("@mara")
    assert "resourcematchfailed" in told["text"] and "**connect**" in told["text"]
    assert teams.by_bot("planning") == []
    [line] = [record for record in caplog.records if record.msg == "teams.sign_in_failed"]
    assert line.fields == {"code": "resourcematchfailed"}


async def test_a_code_that_is_no_code_is_neither_told_nor_logged(bot, teams, caplog):
    value = {"code": "<at>Dana</at> [x](https://evil.example)"}
    await teams.happen("mara", "@mara", "invoke", name="signin/failure", value=value)
    assert "evil" not in json.dumps(teams.by_bot("@mara")) and "evil" not in caplog.text


async def test_a_sign_in_window_that_was_closed_changes_nothing(bot, teams, accounts):
    for state in ("CancelledByUser", "123456"):
        found = await teams.happen(
            "mara", "@mara", "invoke", name="signin/verifyState", value={"state": state}
        )
        assert found.status == 200
    assert accounts.asked == [] and teams.by_bot("@mara") == []
