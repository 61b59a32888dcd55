"""Messages: posted once where the card says, never believed without an answer."""

from dataclasses import dataclass, field

import pytest

from bot.workspace.microsoft.records import Fault
from core.connectors.chat.slack import PostToSlack
from core.connectors.chat.teams import PostToChannel, PostToChat
from core.connectors.effects import effects
from core.connectors.outcome import Done, Failed, NeedsAccount, Unknown
from core.errors import BadArguments, DeliveryFailed
from core.errors import NeedsAccount as Missing
from core.records import Channel, PersonId, Posted

CHAT = {"chat_id": "19:mara-tomas@unq.gbl.spaces", "text": "Here <b>it</b> is, @everyone."}


def posted(ms) -> int:
    return len(ms.effects("chat.posted"))


async def test_a_chat_is_named_by_its_people_and_gets_plain_text(ms, desk):
    post = PostToChat(office=desk.office)
    call = await desk.park(post, CHAT)
    assert call.effect == "blind"
    assert "tomas@larkspur.example" in desk.shown(post, call)["Who reads it"]
    assert isinstance(await desk.perform(post, call), Done)
    message = ms.graph.chats[CHAT["chat_id"]].messages[-1]
    assert message["body"] == {"contentType": "text", "content": CHAT["text"]}
    assert message["mentions"] == []


async def test_a_channel_is_named_with_its_team(ms, desk):
    post = PostToChannel(office=desk.office)
    channel = next(c for c in ms.graph.chats.values() if c.topic == "Sales")
    given = {"team_id": channel.team, "channel_id": channel.id, "text": "Done."}
    call = await desk.park(post, given)
    shown = desk.shown(post, call)
    assert (shown["Team"], shown["Channel"]) == ("Larkspur Cycles", "Sales")
    assert isinstance(await desk.perform(post, call), Done) and posted(ms) == 1
    with pytest.raises(BadArguments, match="none of the teams and channels"):
        await desk.park(post, {**given, "channel_id": "19:elsewhere"})


@pytest.mark.parametrize(
    ("fault", "kind", "happened"),
    [
        (Fault(status=401), NeedsAccount, 0),
        (Fault(status=403), Failed, 0),
        (Fault(status=404), Failed, 0),
        (Fault(status=429), Failed, 0),
        (Fault(status=503), Unknown, 0),
        (Fault(status=504, when="after"), Unknown, 1),
        (Fault(drop=True, when="after"), Unknown, 1),
    ],
)
async def test_a_message_is_asked_for_once_whatever_happens(ms, desk, fault, kind, happened):
    fault.times = 1
    post = PostToChat(office=desk.office)
    call = await desk.park(post, CHAT)
    before = len(ms.graph.requests)
    ms.graph.faults.add("POST /chats/*/messages", fault)
    assert isinstance(await desk.carry_out(post, call), kind)
    assert len(ms.graph.requests) == before + 1 and posted(ms) == happened


async def test_a_conversation_that_cannot_be_shown_is_not_posted_to(desk):
    desk.accounts.gone.add("mara")
    with pytest.raises(Missing, match="Connect your Microsoft account first"):
        await desk.park(PostToChat(office=desk.office), CHAT)


@dataclass
class Workspace:
    """A `Poster` whose answers are lost when it is told so."""

    failures: list[Exception] = field(default_factory=list)
    is_lost: bool = False
    posts: dict[str, tuple[str, str]] = field(default_factory=dict)
    asked: int = 0

    async def channel(self, name: str, person: PersonId) -> Channel | None:
        return Channel(id="C7", name="sales", is_shared=True) if name in ("sales", "C7") else None

    async def post(self, channel: str, markdown: str, marker: str) -> Posted:
        self.asked += 1
        if self.failures:
            raise self.failures.pop()
        self.posts[marker] = (channel, markdown)
        if self.is_lost:
            raise DeliveryFailed("timeout")
        return Posted(ts="1.2", link="https://larkspur.slack.example/1")

    async def find(self, channel: str, marker: str) -> Posted | None:
        return Posted(ts="1.2") if marker in self.posts else None


async def test_a_post_to_slack_is_the_bots_and_is_found_by_its_marker(desk):
    slack = Workspace(is_lost=True)
    post = PostToSlack(poster=slack)
    call = await desk.park(post, {"channel": "#sales", "text": "Q3 is out."})
    assert desk.shown(post, call) == {"Channel": "#sales", "From": "the bot", "Text": "Q3 is out."}
    assert "another organisation" in desk.described(post, call).notices[0]
    assert post.scopes(call.effect) == ()
    assert isinstance(await post.perform(call, ""), Unknown)
    assert isinstance(await post.reconcile(call, ""), Done)
    assert slack.posts == {call.id: ("C7", "Q3 is out.")} and slack.asked == 1


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (DeliveryFailed("not_in_channel", is_final=True), Failed),
        (DeliveryFailed("ratelimited", retry_after=3.0), Failed),
        (DeliveryFailed("internal_error"), Unknown),
    ],
)
async def test_slack_says_no_or_leaves_it_in_doubt(desk, failure, kind):
    slack = Workspace(failures=[failure])
    post = PostToSlack(poster=slack)
    call = await desk.park(post, {"channel": "sales", "text": "x"})
    assert isinstance(await post.perform(call, ""), kind)
    assert await post.reconcile(call, "") is None and slack.asked == 1


async def test_a_channel_that_the_bot_is_not_in_is_refused(desk):
    with pytest.raises(BadArguments, match="there is no channel 'board'"):
        await desk.park(PostToSlack(poster=Workspace()), {"channel": "board", "text": "x"})


def test_each_effect_is_found_under_its_own_key(desk):
    everything = effects(desk.office, Workspace())
    assert len(everything) == 12
    assert all(key == effect.tool for key, effect in everything.items())
    assert list(effects(None, Workspace())) == ["office/post_to_slack"]
    assert effects(None) == {}
