"""The bots that deliveries are sent to, each as a process with a port."""

import asyncio
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from aiohttp import ClientError, ClientSession

from bench.slack_side import PATH, environment, mention, signed

START_SECONDS = 60.0
STOP_SECONDS = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    address: str
    """Where events are delivered."""
    process: asyncio.subprocess.Process
    started_at: float

    @property
    def megabytes(self) -> float:
        """The memory that the process holds (RSS)."""
        return psutil.Process(self.process.pid).memory_info().rss / 1e6

    @property
    def cpu_seconds(self) -> float:
        """What the process has used of the machine so far."""
        used = psutil.Process(self.process.pid).cpu_times()
        return used.user + used.system


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@asynccontextmanager
async def running(
    *module: str, folder: Path, api: str, more: Mapping[str, str] | None = None
) -> AsyncIterator[Bot]:
    """`python -m module…` with Slack at `api`; its output goes to a file in `folder`."""
    async with serving(module, folder, PATH, {**environment(api), **(more or {})}) as bot:
        yield bot


@asynccontextmanager
async def serving(
    module: Sequence[str], folder: Path, path: str, environment: Mapping[str, str]
) -> AsyncIterator[Bot]:
    """The same with the chat that the environment names, which delivers to `path`."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    given = {
        **os.environ,
        "PYTHONPATH": str(Path.cwd()),
        "COUNTERSIGN_PORT": str(port),
        "COUNTERSIGN_DATABASE": f"sqlite:///{folder / 'state' / 'countersign.db'}",
        **environment,
    }
    with (folder / "output").open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", *module, stdout=output, stderr=output, env=given
        )
    address = f"http://127.0.0.1:{port}{path}"
    try:
        yield Bot(address=address, process=process, started_at=time.perf_counter())
    finally:
        if process.returncode is None:
            process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


async def first_acknowledged(bot: Bot, session: ClientSession) -> float:
    """Seconds from the process's start to the first 200 for a signed mention in Slack."""
    _, body = mention(0, "help")
    return await first_taken(bot, session, body, signed(body))


async def first_taken(
    bot: Bot, session: ClientSession, body: bytes, headers: Mapping[str, str]
) -> float:
    """Seconds from the process's start to the first 200 for this delivery."""
    while time.perf_counter() - bot.started_at < START_SECONDS:
        if bot.process.returncode is not None:
            raise RuntimeError(f"the bot ended with {bot.process.returncode}")
        try:
            async with session.post(bot.address, data=body, headers=headers) as response:
                if response.status == 200:
                    return time.perf_counter() - bot.started_at
        except ClientError:
            await asyncio.sleep(0.01)
    raise TimeoutError("the bot did not acknowledge anything")
