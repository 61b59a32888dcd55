"""Socket Mode: the same inbox as over HTTP, and a connection that is silent is not kept."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from adapters.slack import manifest, quiet
from adapters.slack.adapter import SlackAdapter
from adapters.slack.app import build
from adapters.slack.pacing import Pacing
from adapters.slack.settings import SlackSettings
from adapters.slack.socket import Socket
from bot.workspace.slack_server import SlackStandIn
from core.errors import Misconfigured
from tests.door import Door, Hand
from tests.slack.conftest import settings_for

PING = 0.1


@dataclass
class Joined:
    slack: SlackStandIn
    door: Door
    adapter: SlackAdapter

    async def told(self, count: int) -> list[str]:
        await self.slack.wait_for(lambda: len(self.door.questions) >= count, 10)
        return [question.text for question in self.door.questions]


def only_a_socket(slack: SlackStandIn) -> SlackSettings:
    return replace(settings_for(slack), signing_secret="", app_token=slack.app.app_token)


@asynccontextmanager
async def joined(slack: SlackStandIn) -> AsyncIterator[Joined]:
    door, hand = Door(), Hand()
    adapter = build(only_a_socket(slack), door, time.time, pacing=Pacing(hand, hand.sleep))
    assert adapter.routes == () and adapter.socket is not None
    adapter.socket = Socket(
        only_a_socket(slack), adapter.deliveries.take, quiet.library_logger(), ping_seconds=PING
    )
    await adapter.start()
    async with asyncio.TaskGroup() as group:
        group.create_task(adapter.socket.run())
        await slack.wait_for(lambda: slack.sockets.is_connected)
        yield Joined(slack, door, adapter)
        await adapter.socket.drain()
    await adapter.close()


async def test_mentions_commands_and_retries_come_in_over_a_socket(slack):
    async with joined(slack) as bot:
        await slack.say("mara", "sales", "@Countersign how many?")
        assert set(await bot.told(1)) == {"how many?"}
        await slack.settled()
        assert {d.status for d in slack.deliveries} == {200}
        delivery = await slack.command("mara", "sales", "/countersign", "help")
        assert delivery.status == 200 and "I answer questions about" in delivery.body


@pytest.mark.parametrize("text", ["payload-service last week", "payload", "x payload=1&y=2"])
async def test_case_7_the_word_payload_in_a_command_over_a_socket(slack, text: str):
    async with joined(slack):
        delivery = await slack.command("mara", "sales", "/countersign", f"help {text}")
        assert delivery.status == 200 and "I answer questions about" in delivery.body


async def test_an_envelope_is_acknowledged_only_when_it_is_committed(slack):
    async with joined(slack) as bot:
        bot.door.outages = 1
        slack.carrier._patience = 0.3
        ts = await slack.say("mara", "sales", "@Countersign how many?", is_told=False)
        envelope = slack.envelope_for("sales", ts)
        assert (await slack.deliver(envelope)).status == 0
        assert bot.door.questions == []
        assert (await slack.deliver(envelope, retry=1)).status == 200
        assert len(bot.door.questions) == 1


async def test_an_envelope_waits_for_its_acknowledgement_until_it_is_committed(slack):
    held, began = asyncio.Event(), asyncio.Event()

    class Slow(Door):
        async def accept(self, question: Any) -> Any:
            began.set()
            await held.wait()
            return await super().accept(question)

    async with joined(slack) as bot:
        bot.adapter.deliveries._door = Slow()
        ts = await slack.say("mara", "sales", "@Countersign how many?", is_told=False)
        async with asyncio.TaskGroup() as group:
            sent = group.create_task(slack.deliver(slack.envelope_for("sales", ts)))
            await began.wait()
            # Whatever was on its way over the socket has come through.
            await slack.command("mara", "sales", "/countersign", "help")
            assert not sent.done()
            held.set()
        assert sent.result().status == 200


async def test_case_44_a_socket_that_falls_silent_is_replaced(slack):
    async with joined(slack) as bot:
        slack.carrier._patience = 0.3
        opened = len(slack.calls("apps.connections.open"))
        slack.sockets.fall_silent()
        ts = await slack.say("mara", "sales", "@Countersign how many?", is_told=False)
        envelope = slack.envelope_for("sales", ts)
        assert (await slack.deliver(envelope)).status == 0
        await slack.wait_for(lambda: len(slack.calls("apps.connections.open")) > opened, 10)
        await slack.wait_for(lambda: slack.sockets.can_hear, 10)
        assert (await slack.deliver(envelope, retry=1)).status == 200
        assert await bot.told(1) == ["how many?"]


async def test_case_44_a_refresh_with_an_envelope_in_flight_loses_nothing(slack):
    held = asyncio.Event()

    class Slow(Door):
        async def accept(self, question: Any) -> Any:
            await held.wait()
            return await super().accept(question)

    async with joined(slack) as bot:
        slow = Slow()
        bot.adapter.deliveries._door = slow
        slack.carrier._patience = 1.0
        ts = await slack.say("mara", "sales", "@Countersign how many?", is_told=False)
        envelope = slack.envelope_for("sales", ts)
        async with asyncio.TaskGroup() as group:
            first = group.create_task(slack.deliver(envelope))
            await slack.wait_for(lambda: slack.calls("users.info"))
            opened = len(slack.calls("apps.connections.open"))
            await slack.sockets.refresh()
            await slack.wait_for(lambda: len(slack.calls("apps.connections.open")) > opened)
            held.set()
        # Whether the answer still got through or not: it is delivered until it does, and kept once.
        if first.result().status != 200:
            await slack.wait_for(lambda: slack.sockets.can_hear, 10)
            assert (await slack.deliver(envelope, retry=1)).status == 200
        assert {question.delivery for question in slow.questions} == {
            f"slack:T00000001/C0SALES/{ts}"
        }


async def test_a_token_that_slack_does_not_know_does_not_start(slack):
    settings = replace(only_a_socket(slack), app_token="xapp-of-somebody-else")
    adapter = build(settings, Door(), time.time)
    with pytest.raises(Misconfigured, match="SLACK_APP_TOKEN"):
        await adapter.start()
    await adapter.close()


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"app_token": "xoxb-wrong-kind"}, "SLACK_APP_TOKEN"),
        ({"app_token": "", "signing_secret": ""}, "SLACK_SIGNING_SECRET"),
    ],
)
def test_neither_a_wrong_token_nor_no_way_in_starts(fields: dict[str, str], word: str):
    with pytest.raises(Misconfigured, match=word):
        SlackSettings(**{"bot_token": "xoxb-x", **fields})  # pyright: ignore[reportArgumentType]


def test_the_manifest_for_a_socket_names_no_address():
    printed = manifest.render("")
    assert "https://" not in printed and "socket_mode_enabled: true" in printed
