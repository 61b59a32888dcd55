"""What a checkpoint promises: the turn goes on where it was cut, and nothing foreign is loaded."""

import asyncio
import base64
import json
import random
import sys
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph

from core.errors import Unreadable
from core.identity.vault import KeyRing
from core.loop.checkpoints import SealedSaver
from core.records import TurnId
from core.storage import checkpoints
from core.storage.checkpoints import Sealed
from core.storage.database import Database, open_database
from tests.loop.four_rounds import build, config
from tests.loop.four_rounds import run as run_graph

KEYS = "k:" + base64.b64encode(b"k" * 32).decode()
RING = KeyRing.parse(KEYS)


async def test_a_turn_killed_in_its_third_round_goes_on_there(database_url: str) -> None:
    """Peers' case 36."""

    async def start(hang_in: int) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.loop.four_rounds", database_url, KEYS, str(hang_in),
            stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
        )  # fmt: skip

    async with asyncio.timeout(90):
        cut = await start(hang_in=3)
        assert cut.stdout is not None
        said = [(await cut.stdout.readline()).decode().strip() for _ in range(5)]
        cut.kill()
        await cut.wait()
        assert said == ["ask 1", "call 1", "ask 2", "call 2", "ask 3"]
        after = await start(hang_in=0)
        rest, _ = await after.communicate()
    assert rest.decode().splitlines() == ["ask 3", "call 3", "ask 4", "end 4 8"]


async def finished_turn(db: Database, turn: str = "t_1") -> SealedSaver:
    await run_graph(db, KEYS, turn, 0, lambda text: None)
    return SealedSaver(db, RING)


async def interrupted_turn(db: Database, turn: str = "t_1", hang_in: int = 3) -> SealedSaver:
    reached = asyncio.Event()

    def say(text: str) -> None:
        if text == f"ask {hang_in}":
            reached.set()

    task = asyncio.create_task(run_graph(db, KEYS, turn, hang_in, say))
    async with asyncio.timeout(20):
        await reached.wait()
    task.cancel()
    await asyncio.wait([task])
    return SealedSaver(db, RING)


async def test_only_the_newest_checkpoint_is_kept(database: Database) -> None:
    await finished_turn(database)
    rows = await database.fetch("SELECT count(*) AS n FROM checkpoints")
    assert rows == [{"n": 1}]


async def test_a_turn_that_is_cut_before_its_first_node_is_over_is_begun_anew(
    database: Database,
) -> None:
    saver = await interrupted_turn(database, hang_in=1)
    assert await saver.aget_tuple(config("t_1")) is None
    said: list[str] = []
    end = await run_graph(database, KEYS, "t_1", 0, said.append)
    assert (said[0], end["rounds"]) == ("ask 1", 4)


async def test_a_deleted_turn_leaves_no_row(database: Database) -> None:
    saver = await interrupted_turn(database)
    await interrupted_turn(database, "t_2")
    await saver.adelete_thread("t_1")
    assert await database.fetch("SELECT DISTINCT turn FROM checkpoints") == [{"turn": "t_2"}]
    assert await saver.aget_tuple(config("t_1")) is None
    assert await saver.aget_tuple(config("t_2")) is not None


async def test_a_round_that_raised_can_be_resumed(database: Database) -> None:
    class Weird(Exception):
        pass

    def say(text: str) -> None:
        if text == "ask 2":
            raise Weird("with a secret in it")

    with pytest.raises(Weird):
        await run_graph(database, KEYS, "t_1", 0, say)
    said: list[str] = []
    end = await run_graph(database, KEYS, "t_1", 0, said.append)
    assert (said[0], end["rounds"]) == ("ask 2", 4)


@pytest.mark.promise("S6", "core.loop", "core.storage")
async def test_a_row_from_outside_is_never_loaded(database: Database) -> None:
    saver = await interrupted_turn(database)
    turn = TurnId("t_1")
    ours = await checkpoints.newest(database, turn, "")
    assert ours is not None
    chance = random.Random(3)
    plain = json.dumps({"checkpoint": {}, "metadata": {}}).encode()
    foreign = KeyRing.parse("k:" + base64.b64encode(b"x" * 32).decode())
    place = json.dumps(("checkpoint", turn, "", ours.id))
    flips = [
        ours.body[:at] + bytes([ours.body[at] ^ (1 << chance.randrange(8))]) + ours.body[at + 1 :]
        for at in chance.sample(range(len(ours.body)), 100)
    ]
    forged = [
        b"", plain, b"CS1", ours.body[:-1], ours.body + b"x",
        foreign.seal(plain, place),
        RING.seal(plain, json.dumps(("checkpoint", "t_2", "", ours.id))),
        RING.seal(plain, json.dumps(("write", turn, "", ours.id))),
        RING.seal(b"not json", place),
        RING.seal(b"[1, 2]", place),
        RING.seal(b"{}", place),
        *flips,
    ]  # fmt: skip
    for body in forged:
        await checkpoints.put(database, turn, "", Sealed(ours.id, body))
        with pytest.raises(Unreadable):
            await saver.aget_tuple(config(turn))
    await checkpoints.put(database, turn, "", ours)
    assert await saver.aget_tuple(config(turn)) is not None


@pytest.mark.promise("S6", "core.loop", "core.storage")
async def test_a_row_of_another_turn_is_refused(database: Database) -> None:
    saver = await interrupted_turn(database, "t_1")
    await interrupted_turn(database, "t_2")
    other = await checkpoints.newest(database, TurnId("t_2"), "")
    assert other is not None
    await checkpoints.forget(database, TurnId("t_1"))
    await checkpoints.put(database, TurnId("t_1"), "", other)
    with pytest.raises(Unreadable):
        await saver.aget_tuple(config("t_1"))


@pytest.mark.promise("S6", "core.loop")
@pytest.mark.parametrize(
    "value",
    [(1, 2), {1: 2}, {"a": b"bytes"}, [object()], {"a": {"b": {1, 2}}}, type("S", (str,), {})()],
)
async def test_state_that_is_not_plain_json_is_not_saved(sqlite: Database, value: object) -> None:
    class State(TypedDict):
        value: Any

    graph = StateGraph(State)
    graph.add_node("node", lambda state: {"value": value})
    graph.add_edge(START, "node")
    compiled = graph.compile(checkpointer=SealedSaver(sqlite, RING))
    with pytest.raises(Unreadable):
        await compiled.ainvoke({"value": 1}, config("t_1"), durability="sync")


@pytest.mark.promise("S1", "core.loop", "core.storage")
async def test_what_the_config_and_the_state_carry_is_not_readable_on_disk(
    sqlite: Database,
) -> None:
    assert sqlite.path is not None
    graph = build(SealedSaver(sqlite, RING), 0, lambda text: None)
    secretive = {
        "configurable": {"thread_id": "t_1", "token": "CANARY-config"},
        "metadata": {"token": "CANARY-metadata"},
    }
    start = {"messages": [{"text": "CANARY-state"}], "rounds": 0}
    await graph.ainvoke(start, secretive, durability="sync")
    opened = await SealedSaver(sqlite, RING).aget_tuple(config("t_1"))
    assert opened is not None
    assert "CANARY-state" in repr(opened.checkpoint)
    assert "CANARY" not in repr(opened.metadata)
    for file in sqlite.path.parent.iterdir():
        assert b"CANARY" not in file.read_bytes(), file.name


async def test_an_older_checkpoint_that_comes_late_changes_nothing(database: Database) -> None:
    turn = TurnId("t_1")
    await checkpoints.put(database, turn, "", Sealed("2", b"new"))
    await checkpoints.put(database, turn, "", Sealed("1", b"old"))
    assert await checkpoints.newest(database, turn, "") == ("2", b"new")


async def test_the_bytes_on_disk_are_readable_with_a_rotated_ring(database_url: str) -> None:
    database = await open_database(database_url)
    await interrupted_turn(database)
    rotated = KeyRing.parse("new:" + base64.b64encode(b"n" * 32).decode() + "," + KEYS)
    assert await SealedSaver(database, rotated).aget_tuple(config("t_1")) is not None
    await database.close()
