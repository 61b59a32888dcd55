"""The bot as its operator starts it: a process of its own, with its local workspace."""

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class Process:
    process: asyncio.subprocess.Process
    bot: str
    """Where the bot listens."""
    page: str
    """Where the local workspace's page is; empty without one."""
    log: list[str] = field(default_factory=list[str])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)

    async def stop(self) -> int:
        """Ask it to stop, as Ctrl-C does; its exit code."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGINT)
        async with asyncio.timeout(30):
            return await self.process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def running(
    folder: Path, *arguments: str, environment: Mapping[str, str]
) -> AsyncGenerator[Process]:
    """`countersign run …` in `folder` with nothing but this environment; up when this yields. With
    a `PYTHONPATH` in it the bot is of that source. A test that fails says what the bot said."""
    port = environment.get("COUNTERSIGN_PORT") or str(free_port())
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot.cli", "run", *arguments),
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "COUNTERSIGN_PORT": port,
            **environment,
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    log: list[str] = []
    async with asyncio.TaskGroup() as group:
        readers = [group.create_task(_read(process.stderr, log))]
        try:
            async with asyncio.timeout(60):
                page = await _greeted(process.stdout, log)
            readers.append(group.create_task(_read(process.stdout, log)))
            yield Process(process, f"http://127.0.0.1:{port}", page, log)
        except Exception as failure:
            ended = "is up" if process.returncode is None else f"ended with {process.returncode}"
            failure.add_note(f"The bot {ended}. It said last:\n" + "".join(log[-30:]))
            raise
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def _greeted(stream: asyncio.StreamReader, log: list[str]) -> str:
    while line := (await stream.readline()).decode():
        log.append(line)
        if found := re.search(r"local workspace: (\S+)", line):
            return found.group(1)
        if "Countersign is up at" in line:
            return ""
    raise AssertionError("the bot ended before it was up:\n" + "".join(log))


async def _read(stream: asyncio.StreamReader, log: list[str]) -> None:
    while line := (await stream.readline()).decode():
        log.append(line)
