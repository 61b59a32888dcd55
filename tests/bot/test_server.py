"""What the HTTP server answers, and what it costs to be large or slow."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import aiohttp
import pytest
from aiohttp import web

from bot import server
from bot.lifecycle import Standing
from bot.server import BODY_BYTES, Server
from core.errors import Misconfigured
from tests.bot.parts import Bot, Told
from tests.telemetry.capture import captured


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the process logs, as JSON lines."""
    with captured() as out:
        yield out


@asynccontextmanager
async def served(
    bot: Bot, standing: Standing | None = None, *, arrival_seconds: float = 10.0
) -> AsyncIterator[str]:
    """The address of a server that runs the bot."""
    shell = Server(
        bot,
        standing or Standing(is_up=True),
        host="127.0.0.1",
        port=0,
        arrival_seconds=arrival_seconds,
    )
    up, stop = asyncio.Event(), asyncio.Event()
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        group.create_task(shell.run(up.set, stop))
        await up.wait()
        try:
            yield shell.address
        finally:
            stop.set()


async def get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.text()


async def post(url: str, body: bytes) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.post(url, data=body) as answer:
        return answer.status, await answer.text()


async def connect(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = address.removeprefix("http://").partition(":")
    return await asyncio.open_connection(host, int(port))


async def echo(request: web.Request) -> web.Response:
    return web.Response(body=await request.read())


async def test_the_public_learns_only_whether_the_bot_is_ready():
    bot = Bot()
    async with served(bot) as address:
        assert await get(f"{address}/readyz") == (200, "ready\n")
        assert await get(f"{address}/livez") == (200, "alive\n")
    bot.readings = replace(bot.readings, database="disk I/O error in /var/secret.db")
    async with served(bot) as address:
        assert await get(f"{address}/readyz") == (503, "not ready\n")


TROUBLE = {
    "the database is read-only": {"database": "attempt to write a readonly database"},
    "the disk is full": {"disk_free": 1024},
    "a key is missing": {"missing_keys": ("old",)},
    "a migration is pending": {"pending_migrations": 1},
    "a lane is stalled": {"lane_silence": 600.0},
}


@pytest.mark.promise("X2", "bot", "core.telemetry")
@pytest.mark.parametrize("case", TROUBLE)
async def test_readiness_is_false_while_something_is_wrong_and_liveness_stays_true(case: str):
    bot = Bot()
    bot.readings = replace(bot.readings, **TROUBLE[case])
    async with served(bot) as address:
        assert (await get(f"{address}/readyz"))[0] == 503
        assert (await get(f"{address}/livez"))[0] == 200


@pytest.mark.promise("X2", "bot")
async def test_a_part_that_is_not_working_is_not_ready():
    bot = Bot(parts=[Told("lanes", [], is_ready=False)])
    async with served(bot) as address:
        assert (await get(f"{address}/readyz"))[0] == 503


@pytest.mark.promise("X2", "bot")
async def test_what_cannot_be_measured_is_not_ready(log: io.StringIO):
    async with served(Bot(trouble=OSError("no such device"))) as address:
        assert (await get(f"{address}/readyz"))[0] == 503
    assert "readiness.failed" in log.getvalue()


@pytest.mark.promise("X2", "bot")
async def test_readiness_follows_the_lifecycle():
    standing, bot = Standing(is_up=False), Bot()
    async with served(bot, standing) as address:
        assert (await get(f"{address}/readyz"))[0] == 503 and bot.measured == 0
        standing.is_up = True
        assert (await get(f"{address}/readyz"))[0] == 200
        standing.is_up = False
        assert (await get(f"{address}/readyz"))[0] == 503


async def test_asking_often_measures_once_a_second(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server, "PROBE_AGE", 3600.0)
    bot = Bot()
    async with served(bot) as address, asyncio.TaskGroup() as group:
        asked = [group.create_task(get(f"{address}/readyz")) for _ in range(50)]
    assert {answer.result()[0] for answer in asked} == {200} and bot.measured == 1


async def test_a_change_of_readiness_is_logged_with_its_reasons(log: io.StringIO):
    bot = Bot()
    bot.readings = replace(bot.readings, missing_keys=("old",))
    async with served(bot) as address:
        await get(f"{address}/readyz")
    (line,) = [json.loads(x) for x in log.getvalue().splitlines() if "readiness.changed" in x]
    assert line["is_ready"] is False
    assert "COUNTERSIGN_KEYS lacks the keys" in line["problems"]


@pytest.mark.promise("I6", "bot")
async def test_a_body_over_the_cap_gets_413_and_is_not_read():
    async with served(Bot(routes=[web.post("/in", echo)])) as address:
        assert await post(f"{address}/in", b"x" * BODY_BYTES) == (200, "x" * BODY_BYTES)
        reader, writer = await connect(address)
        head = f"POST /in HTTP/1.1\r\nHost: bot\r\nContent-Length: {BODY_BYTES + 1}\r\n\r\n"
        writer.write(head.encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 413")
        writer.close()


@pytest.mark.promise("I6", "bot")
async def test_a_body_that_does_not_say_its_size_is_capped_too():
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(32):
            yield bytes(BODY_BYTES // 16)

    async with served(Bot(routes=[web.post("/in", echo)])) as address:
        async with aiohttp.ClientSession() as session:
            async with session.post(f"{address}/in", data=pieces()) as answer:
                assert answer.status == 413


SLOW = {
    "nothing at all": b"",
    "half a request line": b"GET /li",
    "headers without an end": b"GET /livez HTTP/1.1\r\nHost: bot\r\nX-Slow: ",
    "a body that stops": b"POST /in HTTP/1.1\r\nHost: bot\r\nContent-Length: 9\r\n\r\nhalf",
}


@pytest.mark.promise("I6", "bot")
@pytest.mark.parametrize("case", SLOW)
async def test_a_request_that_does_not_arrive_is_dropped(case: str, log: io.StringIO):
    bot = Bot(routes=[web.post("/in", echo)])
    async with served(bot, arrival_seconds=0.05) as address:
        reader, writer = await connect(address)
        writer.write(SLOW[case])
        try:
            async with asyncio.timeout(10):
                answer = await reader.read()
        except ConnectionResetError:
            answer = b""
        assert answer == b""
        writer.close()
        assert (await get(f"{address}/livez"))[0] == 200
    assert "half" not in log.getvalue()


@pytest.mark.promise("I6", "bot")
async def test_a_second_request_on_a_connection_has_a_deadline_of_its_own():
    async with served(Bot(), arrival_seconds=0.05) as address:
        reader, writer = await connect(address)
        writer.write(b"GET /livez HTTP/1.1\r\nHost: bot\r\n\r\n")
        assert (await reader.readuntil(b"alive\n")).startswith(b"HTTP/1.1 200")
        writer.write(b"GET /livez HTTP/1.1\r\n")
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            async with asyncio.timeout(10):
                await reader.readuntil(b"alive\n")
        writer.close()


async def test_a_slow_answer_is_not_a_slow_request():
    released = asyncio.Event()

    async def slow(request: web.Request) -> web.Response:
        asyncio.get_running_loop().call_later(0.2, released.set)
        await released.wait()
        return web.Response(text="done")

    async with served(Bot(routes=[web.get("/slow", slow)]), arrival_seconds=0.05) as address:
        assert await get(f"{address}/slow") == (200, "done")


@pytest.mark.promise("I6", "bot")
async def test_readiness_holds_while_500_sockets_say_nothing():
    async with served(Bot()) as address:
        slow = [await connect(address) for _ in range(500)]
        for _, writer in slow[::2]:
            writer.write(b"POST /slack/events HTTP/1.1\r\nHost: bot\r\n")
        async with asyncio.timeout(5):
            assert await get(f"{address}/readyz") == (200, "ready\n")
        for _, writer in slow:
            writer.close()


async def test_a_defect_in_a_route_shows_a_reference_and_nothing_else(log: io.StringIO):
    async def broken(request: web.Request) -> web.Response:
        raise ValueError("row 17 of /var/lib/secret.db")

    async with served(Bot(routes=[web.get("/broken", broken)])) as address:
        status, text = await get(f"{address}/broken")
    assert status == 500 and text.startswith("reference ")
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    (told,) = [line for line in lines if line["action"] == "http.broke"]
    assert told["reference"] == text.split()[1] and "row 17" in told["error"]


async def test_the_access_log_names_the_route_and_never_what_the_caller_wrote(log: io.StringIO):
    async with served(Bot(routes=[web.get("/in/{name}", echo)])) as address:
        await get(f"{address}/in/canary-path?token=canary-query")
        await get(f"{address}/canary-elsewhere")
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    told = [(line["route"], line["status"]) for line in lines if line["action"] == "http"]
    assert told == [("/in/{name}", 200), ("unknown", 404)]
    assert "canary" not in log.getvalue()


async def test_no_answer_names_the_software():
    async with served(Bot()) as address:
        for path in ("/livez", "/nothing"):
            async with aiohttp.ClientSession() as session:
                async with session.get(address + path) as answer:
                    assert "Server" not in answer.headers


async def test_a_malformed_request_is_refused_without_being_repeated(log: io.StringIO):
    async with served(Bot()) as address:
        reader, writer = await connect(address)
        writer.write(b"GET canary HTTP/9.9\r\ncanary: \x00\r\n\r\n")
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.0 400") or answer.startswith(b"HTTP/1.1 400")
        writer.close()
    assert "canary" not in log.getvalue()


async def test_a_port_that_is_taken_is_told_to_the_operator():
    async with served(Bot()) as address:
        port = int(address.rpartition(":")[2])
        second = Server(Bot(), Standing(), host="127.0.0.1", port=port)
        with pytest.raises(Misconfigured, match=f"127.0.0.1:{port} is taken by another program"):
            await second.run(lambda: None, asyncio.Event())
