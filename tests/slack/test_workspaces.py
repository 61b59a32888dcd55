"""One app in two workspaces: each has its own token, people and threads, and installs it itself."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from adapters.slack import scopes
from adapters.slack.app import build_several
from adapters.slack.settings import Distribution, SlackSettings
from adapters.slack.workspaces import Workspaces
from bot.workspace.slack.records import Team
from bot.workspace.slack_server import SlackStandIn
from core.errors import DeliveryFailed, Misconfigured
from core.identity.installations import Installations
from core.identity.vault import KeyRing
from core.records import Answer, Person, PersonId, Post, TurnId
from core.storage.database import Database, open_database
from tests.door import Door
from tests.slack.conftest import serving

ALDER, LARKSPUR, FOREIGN = "T00000002", "T00000001", "T00000009"
KEYS = KeyRing.parse("test:" + "A" * 43 + "=")


@dataclass
class Two:
    first: SlackStandIn
    second: SlackStandIn
    bot: Workspaces
    door: Door
    db: Database
    base: str
    now: list[float]

    async def install(self, slack: SlackStandIn, **changed: str) -> tuple[int, str]:
        """As an administrator's browser does it."""
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(cookie_jar=jar) as browser:
            state = await self.state(browser)
            code = f"code-{slack.world.team.id}-{len(slack.world.calls)}"
            slack.world.oauth_codes.add(code)
            return await self.back(browser, **{"code": code, "state": state, **changed})

    async def state(self, browser: aiohttp.ClientSession) -> str:
        async with browser.get(f"{self.base}/slack/install", allow_redirects=False) as response:
            query = parse_qs(urlsplit(response.headers["Location"]).query)
        assert set(query["scope"][0].split(",")) == set(scopes.needed())
        return query["state"][0]

    async def back(self, browser: aiohttp.ClientSession, **query: str) -> tuple[int, str]:
        address = f"{self.base}/slack/oauth_redirect"
        async with browser.get(address, params=query) as response:
            return response.status, await response.text()


@pytest.fixture
async def two(slack: SlackStandIn, tmp_path) -> AsyncIterator[Two]:
    now = [time.time()]
    second = await slack.add_team(Team(id=ALDER, name="Alder & Co"))
    settings = SlackSettings(
        bot_token="",
        signing_secret=slack.app.signing_secret,
        api_url=slack.api_url,
        distribution=Distribution(
            client_id=slack.app.client_id,
            client_secret=slack.app.client_secret,
            public_url="http://localhost:1",
            teams=frozenset({LARKSPUR, ALDER}),
        ),
    )
    db = await open_database(f"sqlite:///{tmp_path / 'state.db'}")
    door = Door()
    kept = Installations(db, KEYS, lambda: now[0])
    bot = build_several(settings, door, lambda: now[0], kept)
    await bot.start()
    async with serving(bot) as url:
        slack.connect(url)
        second.connect(url)
        base = url.removesuffix("/slack/events")
        yield Two(slack, second, bot, door, db, base, now)
        await slack.settled()
        await second.settled()
    await bot.close()
    await db.close()


async def test_each_workspace_installs_it_and_is_answered_with_its_own_token(two: Two):
    assert (await two.install(two.first))[0] == 200
    status, page = await two.install(two.second)
    assert status == 200 and "Alder &amp; Co" in page
    for slack in (two.first, two.second):
        await slack.say("mara", "sales", "@Countersign how many?")
        await slack.settled()
    threads = {question.thread.partition("/")[0] for question in two.door.questions}
    assert threads == {f"slack:{LARKSPUR}", f"slack:{ALDER}"}
    for question, slack in ((q, s) for q in two.door.questions for s in (two.first, two.second)):
        if question.place.tenant == slack.world.team.id:
            heard = await two.bot.listener.heard(question)
            assert heard.text == "how many?"
            await two.bot.surface.deliver(_post(question), None)
            assert slack.replies("sales", question.address["thread_ts"])
            named = await two.bot.surface.profile(Person(id=question.person.id))
            assert named.name == "Mara Lindqvist"


def _post(question) -> Post:
    return Post(
        id=f"p.{question.delivery}",
        turn=TurnId("t"),
        surface="slack",
        address=question.address,
        kind="answer",
        person=question.person.id,
        answer=Answer(text="Four."),
    )


async def test_no_token_stands_readable_in_the_database(two: Two):
    await two.install(two.second)
    [row] = await two.db.fetch("SELECT * FROM tokens")
    assert two.second.app.bot_token.encode() not in bytes(row["body"])
    assert two.second.app.bot_token not in str(row)


async def test_case_45_the_message_decides_whose_context_it_is(two: Two):
    await two.install(two.first)
    await two.install(two.second)
    ts = await two.second.say("mara", "sales", "@Countersign how many?", is_told=False)
    envelope = two.second.envelope_for("sales", ts)
    envelope |= {"enterprise_id": "E00000001", "context_enterprise_id": "E00000001"}
    envelope["authorizations"][0] |= {"team_id": LARKSPUR, "enterprise_id": "E00000001"}
    assert (await two.second.deliver(envelope)).status == 200
    assert (await two.second.deliver(envelope | {"team_id": None})).status == 200
    assert [question.place.tenant for question in two.door.questions] == [ALDER, ALDER]
    nowhere = {"team_id": None, "context_team_id": None, "authorizations": None}
    bare = {k: v for k, v in envelope["event"].items() if k != "team"}
    assert (await two.second.deliver(envelope | nowhere | {"event": bare})).status == 200
    assert len(two.door.questions) == 2


async def test_commands_and_deliveries_go_to_their_own_workspace_alone(two: Two):
    await two.install(two.second)
    delivery = await two.second.command("mara", "sales", "/countersign", "help")
    assert "I answer questions about" in delivery.body
    assert two.door.helped[0][0].id == f"slack:{ALDER}/U0MARA"
    # The other workspace has not installed it.
    await two.first.say("mara", "sales", "@Countersign how many?")
    await two.first.settled()
    assert two.door.questions == [] and two.first.deliveries[-1].status == 200
    with pytest.raises(DeliveryFailed, match="not_installed"):
        await two.bot.api_of(PersonId(f"slack:{LARKSPUR}/U0MARA"))


async def test_what_a_workspace_takes_back_is_gone(two: Two):
    await two.install(two.second)
    await two.second.command("mara", "sales", "/countersign", "help")
    gone = {"type": "event_callback", "team_id": ALDER, "event": {"type": "app_uninstalled"}}
    assert (await two.second.deliver(gone)).status == 200
    assert await two.db.fetch("SELECT * FROM tokens") == []
    await two.second.say("mara", "sales", "@Countersign how many?")
    await two.second.settled()
    assert two.door.questions == []


async def test_an_installation_needs_its_own_fresh_state_and_a_named_workspace(two: Two):
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as mine, aiohttp.ClientSession() as other:
        state = await two.state(mine)
        for browser, query in (
            (other, {"code": "c", "state": state}),
            (mine, {"code": "c", "state": state + "x"}),
            (mine, {"code": "c", "state": "x"}),
            (mine, {"code": "c"}),
        ):
            assert (await two.back(browser, **query))[0] == 400
        assert two.first.calls("oauth.v2.access") == []
        for code in ("unknown", "again"):
            assert (await two.back(mine, code=code, state=state))[0] == 400
        assert len(two.first.calls("oauth.v2.access")) == 1
        late = await two.state(mine)
        two.now[0] += 601
        assert (await two.back(mine, code="c", state=late))[0] == 400
        two.now[0] -= 601
        assert (await two.back(mine, error="access_denied", state=late))[0] == 400
    third = await two.first.add_team(Team(id=FOREIGN, name="Somebody"))
    assert (await two.install(third))[0] == 403
    assert await two.db.fetch("SELECT * FROM tokens") == []


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"public_url": "http://bot.example"}, "https"),
        ({"client_secret": ""}, "SLACK_CLIENT_SECRET"),
        ({"teams": frozenset()}, "slack.workspaces"),
    ],
)
def test_an_unsafe_distribution_does_not_start(changed, word: str):
    good = {
        "client_id": "1.1",
        "client_secret": "s",
        "public_url": "https://bot.example",
        "teams": frozenset({ALDER}),
    }
    Distribution(**good)
    with pytest.raises(Misconfigured, match=word):
        Distribution(**{**good, **changed})
