"""Clicks on cards: answered in time, whatever they take, and by those alone who may."""

import asyncio
from collections.abc import Callable

import pytest

from adapters.teams.deciding import AGAIN, LATE, OUTSIDERS
from adapters.teams.invokes import NO_CARDS
from adapters.teams.outbound import TeamsSurface
from bot.workspace.teams.records import Fault
from bot.workspace.teams_server import cards
from core.cards import CallId, Card, CardField
from core.errors import Unavailable
from core.parked import Form, FormField, Verdict
from core.records import Answer, Post, TurnId
from tests.teams.conftest import running

CARD = Card(
    call=CallId("c_1"),
    number=17,
    revision=2,
    state="parked",
    title="Send a mail",
    fields=(CardField(label="To", value="priya@x.example"),),
    buttons=("send", "edit", "cancel"),
    expires_at=1_796_000_000.0,
    approvers="Mara",
    question="mail it",
)
FORM = Form(
    call=CallId("c_1"),
    revision=2,
    title="Send a mail",
    fields=(FormField(name="to", label="To", kind="text", value="priya@x.example"),),
)


class Desk:
    """Implements `core.ports.Desk`: notes what is decided, and waits where it is told to."""

    surface: TeamsSurface

    def __init__(self) -> None:
        self.clicks = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.failure: Callable[[], Exception] | None = None
        self.verdict = Verdict(kind="refused", sentence="This is not yours to decide.")

    async def decide(self, click):
        self.clicks.append(click)
        await self.gate.wait()
        if self.failure:
            raise self.failure()
        return self.verdict

    async def form(self, click):
        await self.gate.wait()
        return FORM

    async def full(self, click):
        return CARD

    async def waiting(self, person):
        return [CARD]

    async def show(self, person, asked):
        where = {"person": person}
        post = Post(
            id=asked,
            turn=TurnId("t_1"),
            surface="teams",
            address=where,
            kind="card",
            person=person,
            answer=Answer(text="Send a mail"),
            card=CARD,
        )
        await self.surface.deliver(post, None)
        return "1 call waits."


@pytest.fixture
async def desk():
    return Desk()


@pytest.fixture
async def bot(teams, desk):
    async with running(teams, desk=desk, patience=0.2) as made:
        desk.surface = made.adapter.surface
        yield made


async def shown(bot, place="sales", person="mara"):
    """A card that stands there."""
    await bot.teams.say(person, place, "approvals")
    await bot.teams.wait_for(
        lambda: any("1 call waits." in str(one) for one in bot.teams.by_bot(f"@{person}")) or None
    )
    return next(one for one in bot.teams.by_bot(f"@{person}") if cards(one))


async def test_a_slow_decision_is_answered_in_time_and_told_afterwards(bot, teams, desk):
    card = await shown(bot)
    desk.gate.clear()
    answer = await teams.click("mara", "@mara", card["id"], "Send")
    assert (answer["http"], answer["statusCode"], answer["value"]) == (200, 200, LATE)
    assert len(desk.clicks) == 1

    before = len(teams.by_bot("@mara"))
    desk.gate.set()
    await teams.wait_for(lambda: len(teams.by_bot("@mara")) > before or None)
    assert teams.by_bot("@mara")[-1]["text"] == "This is not yours to decide."
    assert len(desk.clicks) == 1, "what was slow was not begun again"


async def test_a_form_that_comes_late_comes_to_the_persons_own_chat(bot, teams, desk):
    card = await shown(bot)
    desk.gate.clear()
    answer = await teams.click("mara", "@mara", card["id"], "Edit")
    assert answer["value"] == LATE
    before = len(teams.by_bot("@mara"))
    desk.gate.set()
    await teams.wait_for(lambda: len(teams.by_bot("@mara")) > before or None)
    [form] = cards(teams.by_bot("@mara")[-1])
    saved = await teams.click(
        "mara", "@mara", teams.by_bot("@mara")[-1]["id"], "Save", {"f0": "x@x.example"}, card=form
    )
    assert saved["http"] == 200 and desk.clicks[-1].values == {"to": "x@x.example"}


async def test_every_kind_of_answer_has_a_status_a_type_and_a_value(bot, teams, desk):
    card = await shown(bot)
    said = await teams.click("mara", "@mara", card["id"], "Send")
    form = await teams.click("mara", "@mara", card["id"], "Edit")
    desk.verdict = Verdict(kind="recorded", sentence="Recorded.")
    recorded = await teams.click("mara", "@mara", card["id"], "Send")
    for answer in (said, form, recorded):
        assert answer["http"] == answer["statusCode"] == 200 and answer["value"]
        assert answer["type"] in (
            "application/vnd.microsoft.activity.message",
            "application/vnd.microsoft.card.adaptive",
        )
    assert isinstance(said["value"], str) and form["value"]["type"] == "AdaptiveCard"


async def test_a_decision_that_could_not_be_recorded_says_so(bot, teams, desk):
    card = await shown(bot)
    desk.failure = Unavailable
    answer = await teams.click("mara", "@mara", card["id"], "Send")
    assert (answer["http"], answer["value"]) == (200, AGAIN)


@pytest.mark.promise("P2", "adapters.teams")
async def test_guests_and_outsiders_decide_nothing(bot, teams, desk):
    card = await shown(bot)
    teams.world.members["mara"].role = "guest"
    answer = await teams.click("mara", "@mara", card["id"], "Send")
    assert answer["value"] == OUTSIDERS and desk.clicks == []


async def test_where_teams_does_not_say_who_clicked_nothing_is_decided(bot, teams, desk):
    card = await shown(bot)
    teams.world.faults.append(Fault(status=404, code="MemberNotFoundInConversation"))
    answer = await teams.click("mara", "@mara", card["id"], "Send")
    assert "cannot find out who you are" in answer["value"] and desk.clicks == []


async def test_a_bot_without_approvals_says_that_there_is_nothing_to_decide(teams):
    async with running(teams) as bare:
        action = {"type": "Action.Execute", "verb": "send", "data": {"call": "c_1", "revision": 1}}
        answer = await teams.press("mara", "@mara", "1", action, {})
        assert answer["value"] == NO_CARDS and bare.door.questions == []
