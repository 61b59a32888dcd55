"""One app in two workspaces: each has its own token, people and threads, and installs it itself."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from adapters.slack.routed import RoutedPoster
from adapters.slack.settings import Distribution
from bot.workspace.slack.records import Fault, Team
from bot.workspace.slack_server import SlackStandIn
from core.errors import DeliveryFailed, Misconfigured
from core.records import Answer, Person, PersonId, Post, TurnId
from tests.slack.several import ALDER, FOREIGN, LARKSPUR, Two, two_workspaces


@pytest.fixture
async def two(slack: SlackStandIn, tmp_path: Path) -> AsyncIterator[Two]:
    async with two_workspaces(slack, tmp_path) as made:
        yield made


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
    for team in ({}, {"team_id": None}):
        ts = await two.second.say("mara", "sales", "@Countersign how many?", is_told=False)
        envelope = two.second.envelope_for("sales", ts)
        envelope |= {"enterprise_id": "E00000001", "context_enterprise_id": "E00000001"}
        envelope["authorizations"][0] |= {"team_id": LARKSPUR, "enterprise_id": "E00000001"}
        assert (await two.second.deliver(envelope | team)).status == 200
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


@pytest.mark.parametrize("is_open", [True, False])
async def test_what_a_workspace_takes_back_is_gone(two: Two, is_open: bool):
    await two.install(two.second)
    if is_open:
        await two.second.command("mara", "sales", "/countersign", "help")
    two.second.uninstall()
    await two.second.settled()
    assert await two.db.fetch("SELECT * FROM tokens") == []
    await two.second.say("mara", "sales", "@Countersign how many?")
    await two.second.settled()
    assert two.door.questions == []


async def test_a_farewell_from_before_the_present_installation_is_not_believed(two: Two):
    await two.install(two.second)
    gone = {"type": "event_callback", "team_id": ALDER, "event": {"type": "app_uninstalled"}}
    assert (await two.second.deliver(gone)).status == 200
    assert len(await two.db.fetch("SELECT * FROM tokens")) == 1
    two.second.fail("auth.test", Fault(error="internal_error"))
    assert (await two.second.deliver(gone)).status == 503


@pytest.mark.promise("I8", "adapters.slack")
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


async def test_a_post_is_made_in_its_own_workspace_by_a_process_that_never_looked_it_up(two: Two):
    await two.install(two.first)
    await two.install(two.second)
    mara = PersonId(f"slack:{ALDER}/U0MARA")
    found = await two.bot.poster.channel("sales", mara)
    assert found is not None and found.name == "sales"
    # As after a restart: only what the parked call holds is known.
    poster = RoutedPoster(two.bot.of)
    await two.bot.close()
    posted = await poster.post(found.id, "Q3 is out.", "c_1")
    assert await poster.find(found.id, "c_1") == posted
    assert [message["text"] for message in two.second.messages("sales")] == ["Q3 is out."]
    assert two.first.messages("sales") == []
    with pytest.raises(DeliveryFailed, match="not_installed"):
        await poster.post(f"{FOREIGN}/C0SALES", "x", "c_2")
