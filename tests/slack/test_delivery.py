"""Everything that waits for one channel arrives there in order, at the pace that Slack allows."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.slack.app import build
from adapters.slack.paced import WORKSPACE_GAP
from adapters.slack.pacing import Budget, Pacing
from adapters.slack.stream import Manner
from bot.workspace.slack.records import Fault
from bot.workspace.slack_server import SlackStandIn
from core.cards import CallId, Card
from core.records import Answer, PersonId, Post, TurnId
from core.storage import outbox
from core.storage.database import Database
from core.turn.deliver import Courier, Patience
from tests.door import Door, Hand
from tests.slack.conftest import at_once, settings_for
from tests.slack.streaming import WORD, markdown, prose

QUICK_STREAMS = Manner(long=50, every=0.0, closing=5.0)
QUICK = Patience(first_pause=0.01, longest_pause=0.02, poll=0.02)


def post(number: int, ts: str, channel: str = "C0SALES", **fields) -> Post:
    address = {
        "team": "T00000001",
        "channel": channel,
        "thread_ts": ts,
        "message_ts": ts,
        "user": "U0MARA",
        "is_dm": "false",
    }
    return Post(
        **{
            "id": f"t{number}.answer",
            "turn": TurnId(f"t{number}"),
            "surface": "slack",
            "address": address,
            "kind": "answer",
            "person": PersonId("slack:T00000001/U0MARA"),
            "answer": Answer(text=f"answer {number}"),
            **fields,
        }
    )


@asynccontextmanager
async def delivering(db: Database, slack: SlackStandIn, hand: Hand) -> AsyncIterator[None]:
    adapter = build(settings_for(slack), Door(), hand, pacing=Pacing(hand, hand.sleep))
    await adapter.start()
    courier = Courier(db, adapter.surface, clock=hand, chance=lambda: 0.5, patience=QUICK)
    try:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(courier.run())
            yield
            await courier.drain(5.0)
            running.cancel()
    finally:
        await adapter.close()


@pytest.fixture
async def strict() -> AsyncIterator[tuple[SlackStandIn, Hand]]:
    """A Slack that counts calls by a clock that only waiting moves."""
    hand = Hand()
    hand.now = 1_000_000.0
    async with SlackStandIn(sleep=at_once, clock=hand, rate_limits=True) as slack:
        yield slack, hand


async def test_case_51_thirty_answers_at_once_arrive_in_order_at_the_pace(
    database: Database, strict: tuple[SlackStandIn, Hand]
) -> None:
    slack, hand = strict
    asked = [await slack.say("mara", "sales", f"question {n}", is_told=False) for n in range(30)]
    for number, ts in enumerate(asked):
        await outbox.put(database, post(number, ts))
    began = hand.now

    async with delivering(database, slack, hand):
        await slack.wait_for(lambda: len(slack.calls("chat.postMessage")) >= 30, 30)

    calls = slack.calls("chat.postMessage")
    assert [call.args["text"] for call in calls] == [f"answer {n}" for n in range(30)]
    assert {call.status for call in calls} == {200}
    gaps = [later.at - one.at for one, later in itertools.pairwise(calls)]
    assert min(gaps) >= 1.0 and hand.now - began < 40.0
    assert all(len(slack.replies("sales", ts)) == 1 for ts in asked)


async def test_streams_stay_within_every_rate_and_limit(
    strict: tuple[SlackStandIn, Hand],
) -> None:
    slack, hand = strict
    pacing = Pacing(hand, hand.sleep)
    adapter = build(settings_for(slack), Door(), hand, pacing=pacing, manner=QUICK_STREAMS)
    await adapter.start()
    for number in range(12):
        ts = await slack.say("mara", "sales", "question", is_told=False)
        lines = [f"{line}\n\n" for line in prose(14, number * 14).split("\n\n")]
        said, told = post(number, ts, answer=Answer(text="".join(lines).rstrip("\n"))), [""]

        def stands(ts: str = ts, told: list[str] = told) -> bool:
            shown = "\n".join(map(markdown, slack.replies("sales", ts)))
            return WORD.findall(shown) == WORD.findall(told[0])

        def words(told: list[str] = told) -> str:
            return told[0].rstrip("\n")

        async with adapter.surface.showing(said.id, said.address, words) as shown:
            for line in lines:
                told[0] = (told[0] + line).rstrip("\n") + "\n\n"
                shown.more()
                await slack.wait_for(stands, 10)
        await adapter.surface.deliver(said, None)
    await adapter.close()

    assert len(slack.calls("chat.appendStream")) > 100
    refused = [call for call in slack.world.calls if not call.answer["ok"]]
    assert [(call.method, call.answer["error"]) for call in refused] == []


@pytest.mark.promise("L5", "adapters.slack")
async def test_slacks_later_is_obeyed_and_nothing_overtakes(
    database: Database, strict: tuple[SlackStandIn, Hand]
) -> None:
    slack, hand = strict
    asked = [await slack.say("mara", "sales", f"question {n}", is_told=False) for n in range(5)]
    for number, ts in enumerate(asked):
        await outbox.put(database, post(number, ts))
    slack.fail("chat.postMessage", Fault(status=429, retry_after=30))

    async with delivering(database, slack, hand):
        await slack.wait_for(
            lambda: len([c for c in slack.calls("chat.postMessage") if c.answer["ok"]]) >= 5, 30
        )
    first, *rest = slack.calls("chat.postMessage")
    assert first.status == 429 and min(call.at for call in rest) >= first.at + 30
    assert all(len(slack.replies("sales", ts)) == 1 for ts in asked)


async def test_a_card_goes_before_answers_that_wait_for_the_same_channel(slack) -> None:
    gate = asyncio.Event()

    async def sleep(_: float) -> None:
        await gate.wait()

    adapter = build(settings_for(slack), Door(), lambda: 0.0, pacing=Pacing(lambda: 5.0, sleep))
    await adapter.start()
    ts = await slack.say("mara", "sales", "question", is_told=False)
    card = Card(
        call=CallId("c_1"),
        number=1,
        revision=1,
        state="parked",
        title="Send a mail",
        fields=(),
        expires_at=9.0,
    )
    said = Answer(text="A mail waits.")
    async with asyncio.TaskGroup() as group:
        for number in range(4):
            group.create_task(adapter.surface.deliver(post(number, ts), None))
        await slack.wait_for(lambda: slack.calls("chat.postMessage"))
        waits = post(9, ts, kind="card", card=card, answer=said)
        group.create_task(adapter.surface.deliver(waits, None))
        await asyncio.sleep(0)
        gate.set()
    await adapter.close()
    texts = [call.args["text"] for call in slack.calls("chat.postMessage")]
    assert texts[:1] == ["answer 0"] and texts.index("A mail waits.") <= 2


async def test_a_whole_workspace_is_not_flooded_either(slack) -> None:
    hand = Hand()
    adapter = build(settings_for(slack), Door(), hand, pacing=Pacing(hand, hand.sleep))
    await adapter.start()
    for channel in ("sales", "finance", "general"):
        if channel in {found.name for found in slack.world.channels.values()}:
            continue
        slack.add_channel(channel, ["mara", "U0COUNTER"])
    places = [found for found in slack.world.channels.values() if "U0COUNTER" in found.members]
    for number, place in enumerate(places):
        ts = await slack.say(place.members[0], place.id, "x", is_told=False)
        await adapter.surface.deliver(post(number, ts, channel=place.id), None)
    await adapter.close()
    assert hand.now == pytest.approx(WORKSPACE_GAP * (len(places) - 1))


async def test_a_budget_is_renewed_as_time_goes_by() -> None:
    hand = Hand()
    budget = Budget(hand, calls=2, seconds=60.0)
    assert [await budget.take() for _ in range(3)] == [True, True, False]
    hand.now = 60.0
    assert await budget.take()


async def test_who_gives_up_waiting_lets_the_others_pass() -> None:
    hand, passed = Hand(), []
    pacing = Pacing(hand, hand.sleep)

    async def go(name: str) -> None:
        async with pacing.turn("C"):
            passed.append(name)

    async with pacing.turn("C"):
        waiting = [asyncio.create_task(go(name)) for name in "abc"]
        await asyncio.sleep(0)
        waiting[0].cancel()
    await asyncio.wait(waiting)
    assert passed == ["b", "c"]
