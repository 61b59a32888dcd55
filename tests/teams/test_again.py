"""What comes again: deliveries that were taken, tokens that have proven their sender."""

import asyncio
import time

import pytest

from adapters.recent import Recent
from adapters.teams.openid import SigningKeys
from adapters.teams.proofs import Proofs
from adapters.teams.verify import Caller, Unproven
from tests.door import Hand
from tests.teams.conftest import running


@pytest.mark.promise("I2", "adapters.teams")
async def test_a_message_that_comes_again_is_asked_once_and_has_the_same_key(teams):
    keys = []
    for _ in range(2):
        async with running(teams) as bot:
            activity = teams.written("mara", "sales", "hello") if not keys else keys[0][0]
            for attempt in range(3):
                found = await teams.carrier.once(activity, attempt=attempt)
                assert found.status == 200
            [asked] = bot.door.questions
            keys.append((activity, asked.delivery))
    assert keys[0][1] == keys[1][1]


async def test_a_message_that_was_not_recorded_is_taken_when_it_comes_again(bot, teams):
    bot.door.outages = 1
    activity = teams.written("mara", "sales", "hello")
    found = [(await teams.carrier.once(activity)).status for _ in range(3)]
    assert found == [503, 200, 200] and len(bot.door.questions) == 1


async def test_whoever_comes_while_a_delivery_is_taken_hears_the_same():
    for outcome in (True, False):
        recent, begun, end = Recent(), 0, asyncio.Event()

        async def take(outcome=outcome, end=end):
            nonlocal begun
            begun += 1
            await end.wait()
            return outcome

        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(recent.taken("d", take)) for _ in range(5)]
            await asyncio.sleep(0)
            end.set()
        assert [one.result() for one in asked] == [outcome] * 5 and begun == 1
        assert await recent.taken("d", take) is outcome
        assert begun == (1 if outcome else 2), "what was not taken may come again"


async def test_a_take_that_breaks_leaves_nothing_behind():
    recent = Recent()

    async def broken():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await recent.taken("d", broken)

    async def good():
        return True

    assert await recent.taken("d", good)


async def test_only_so_many_deliveries_are_remembered():
    recent, taken = Recent(most=3), []

    async def take():
        taken.append(1)
        return True

    for number in (1, 2, 3, 4, 4, 2, 1):
        await recent.taken(str(number), take)
    assert len(taken) == 5, "the oldest was forgotten, the others were not taken twice"


@pytest.mark.promise("I3", "adapters.teams")
async def test_a_token_that_is_known_still_ends_and_still_needs_its_key(teams):
    clock, gap = Hand(time.time()), Hand(0.0)
    async with SigningKeys(teams.openid_url, gap, gap=30.0) as keys:
        proofs = Proofs(keys, teams.world.app_id, clock)
        token = teams.signing.token(teams.connector_url)
        assert isinstance(await proofs.caller(token), Caller)
        assert isinstance(await proofs.caller(token), Caller)
        clock.now += 3_600 + 200
        assert isinstance(await proofs.caller(token), Caller)
        clock.now += 200
        assert await proofs.caller(token) == Unproven("expired")

        clock.now -= 400
        teams.signing.rotate()
        gap.now += 31.0
        newer = teams.signing.token(teams.connector_url)
        assert isinstance(await proofs.caller(newer), Caller)
        assert await proofs.caller(token) == Unproven("unknown_key")


@pytest.mark.promise("I3", "adapters.teams")
async def test_a_known_token_is_held_against_each_body_anew(bot, teams):
    good = teams.signing.token(teams.connector_url)
    activity = teams.written("mara", "@mara", "hello")
    assert await bot.send_json(activity, token=good) == 200
    moved = {**activity, "id": "1", "serviceUrl": f"{teams.base}/other/"}
    assert await bot.send_json(moved, token=good) == 401
    assert await bot.send_json({**activity, "id": "2", "channelId": "webchat"}, token=good) == 401
    assert len(bot.door.questions) == 1


async def test_who_spoke_is_written_down_beside_the_answer_and_is_not_met_after_leaving(bot, teams):
    who = f"teams:{teams.world.tenant}/{teams.member('mara').oid}"
    await teams.carrier.once(teams.written("mara", "@mara", "hello"))
    for _ in range(50):
        await asyncio.sleep(0)
    assert f"person:{who}" in bot.memory.kept
    bot.adapter.directory.note(teams.written("priya", "@priya", "hi"), teams.world.tenant)
    await bot.adapter.directory.leave(f"teams:{teams.world.tenant}/{teams.member('priya').oid}")
    for _ in range(20):
        await asyncio.sleep(0)
    assert [key for key in bot.memory.kept if key.startswith("person:")] == [f"person:{who}"]
