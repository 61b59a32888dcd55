"""How the bot starts, drains and ends."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot import lifecycle
from bot.lifecycle import Loop, Simple, Standing
from core.errors import CountersignError, Misconfigured
from tests.bot.parts import Told


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.promise("X1", "bot")
async def test_parts_stop_in_the_opposite_order_after_readiness_has_gone():
    standing, said = Standing(), list[str]()

    def note_readiness() -> None:
        said.append(f"ready: {standing.is_up}")

    parts = [Told(name, said, on_stop=note_readiness) for name in ("database", "lanes", "server")]
    code = await lifecycle.run(parts, standing, on_up=lambda: (note_readiness(), interrupt()))
    assert code == 0
    assert said == [
        *("database starts", "lanes starts", "server starts", "ready: True"),
        *("ready: False", "server stops", "ready: False", "lanes stops"),
        *("ready: False", "database stops"),
    ]


async def test_a_part_that_cannot_start_stops_those_before_it():
    said = list[str]()
    parts = [Told("database", said), Told("lanes", said, fails_at="start"), Told("server", said)]
    with pytest.raises(RuntimeError, match="lanes cannot start"):
        await lifecycle.run(parts, Standing())
    assert said == ["database starts", "lanes starts", "database stops"]


async def test_a_part_that_returns_while_starting_does_not_count_as_started():
    class Short(Told):
        async def run(self, up: Callable[[], None], stop: asyncio.Event) -> None:
            return

    with pytest.raises(CountersignError, match="lanes ended while it was starting"):
        await lifecycle.run([Short("lanes", [])], Standing())


async def test_a_part_that_never_starts_is_given_up(monkeypatch: pytest.MonkeyPatch):
    class Endless(Told):
        async def run(self, up: Callable[[], None], stop: asyncio.Event) -> None:
            await stop.wait()

    monkeypatch.setattr(lifecycle, "START_SECONDS", 0.01)
    with pytest.raises(Misconfigured, match="lanes has not started within"):
        await lifecycle.run([Endless("lanes", [])], Standing())


async def test_a_part_that_ends_by_itself_brings_the_bot_down_with_an_error():
    standing, said = Standing(), list[str]()
    lanes = Told("lanes", said)
    parts = [Told("database", said), lanes, Told("server", said)]
    code = await lifecycle.run(parts, standing, on_up=lanes.end.set)
    assert code == 1 and not standing.is_up
    assert said[-3:] == ["lanes stops", "server stops", "database stops"]


@pytest.mark.promise("X1", "bot")
async def test_a_part_that_does_not_drain_is_cut_after_its_grace():
    said = list[str]()
    parts = [Told("database", said), Told("lanes", said, grace=0.01, fails_at="stop")]
    code = await lifecycle.run(parts, Standing(), on_up=interrupt)
    assert code == 1
    assert said == ["database starts", "lanes starts", "lanes stops", "database stops"]


@pytest.mark.promise("X1", "bot")
async def test_all_parts_together_never_take_longer_than_the_whole_drain_may(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(lifecycle, "WHOLE_DRAIN_SECONDS", 0.05)
    said = list[str]()
    parts = [Told(f"part {n}", said, grace=3600.0, fails_at="stop") for n in range(20)]
    assert await lifecycle.run(parts, Standing(), on_up=interrupt) == 1
    assert len(said) == 40


@pytest.mark.promise("X1", "bot")
async def test_a_signal_during_the_start_drains_what_has_started():
    said = list[str]()

    class Slow(Told):
        async def run(self, up: Callable[[], None], stop: asyncio.Event) -> None:
            interrupt()
            await stop.wait()
            self.said.append("lanes stops")

    parts = [Told("database", said), Slow("lanes", said), Told("server", said)]
    assert await lifecycle.run(parts, Standing()) == 0
    assert said == ["database starts", "lanes stops", "database stops"]


@pytest.mark.parametrize("is_crash", [False, True])
async def test_no_task_is_left_behind(is_crash: bool):
    parts = [Told(name, []) for name in ("database", "lanes")]
    await lifecycle.run(parts, Standing(), on_up=parts[0].end.set if is_crash else interrupt)
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_loop_drains_when_it_is_told_and_not_before():
    drained = asyncio.Event()
    said = list[str]()

    async def work() -> None:
        await drained.wait()
        said.append("returned")

    async def drain() -> None:
        said.append("draining")
        drained.set()

    loop = Loop(name="lanes", work=work, drain=drain)
    assert await lifecycle.run([loop], Standing(), on_up=interrupt) == 0
    assert said == ["draining", "returned"] and not loop.ready()


async def test_a_loop_that_breaks_brings_the_bot_down():
    async def work() -> None:
        raise RuntimeError("the lanes fell over")

    async def drain() -> None:
        pass

    assert await lifecycle.run([Loop(name="lanes", work=work, drain=drain)], Standing()) == 1


async def test_a_simple_part_is_ready_between_its_two_calls():
    seen = list[bool]()

    async def look() -> None:
        seen.append(part.ready())

    part = Simple(name="vault", start=look, stop=look)
    await lifecycle.run([part], Standing(), on_up=lambda: (seen.append(part.ready()), interrupt()))
    assert seen == [False, True, False]


STUBBORN = """
import asyncio, sys
from bot import lifecycle

class Stubborn:
    name, grace = "lanes", 60.0
    async def run(self, up, stop):
        up()
        await stop.wait()
        print("draining", flush=True)
        await asyncio.Event().wait()
    def ready(self):
        return True

up = lambda: print("up", flush=True)
sys.exit(asyncio.run(lifecycle.run([Stubborn()], lifecycle.Standing(), on_up=up)))
"""


def test_a_second_ctrl_c_ends_the_process_at_once():
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", STUBBORN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "draining\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
