"""How often a mail goes out that one person agreed to: clicked twice at once and late again, and \
with the bot killed when the mail had just gone."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

TAKES = 0.05
"""Seconds until the provider answers; the mail goes at once."""


@dataclass(slots=True)
class _Provider:
    """Takes mails and counts them."""

    address: str = ""
    mails: int = 0
    kills: bool = False
    """The next process that mails is killed when its mail has gone."""

    async def send(self, request: web.Request) -> web.Response:
        asked = await request.json()
        self.mails += 1
        if self.kills:
            self.kills = False
            os.kill(asked["process"], signal.SIGKILL)
        await asyncio.sleep(TAKES)
        return web.Response(text="accepted")


async def measure(subject: str, folder: Path) -> dict[str, float]:
    """Counts of mails; each scene's right number is 1."""
    figures: dict[str, float] = {}
    async with _provided() as provider:
        await _played(provider, subject, folder / "clicked", "clicks")
        figures["two clicks at once and a late third"] = provider.mails
    async with _provided() as provider:
        provider.kills = True
        await _played(provider, subject, folder / "killed", "once")
        said = await _played(provider, subject, folder / "killed", "again")
        figures["killed when it had gone, then clicked again"] = provider.mails
        figures["of these shown as “nobody knows”"] = said["unknown"]
    return figures


async def _played(provider: _Provider, subject: str, folder: Path, scene: str) -> dict[str, int]:
    """What the bot said at its end; nothing when it was killed."""
    command = ("-m", "bench.approving", subject, str(folder), provider.address, scene)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(120):
        said, _ = await process.communicate()
    if process.returncode == -signal.SIGKILL:
        return {}
    if process.returncode:
        raise RuntimeError(f"{subject} ended with {process.returncode} in {scene}")
    return json.loads(said.splitlines()[-1])


@asynccontextmanager
async def _provided() -> AsyncIterator[_Provider]:
    provider, app = _Provider(), web.Application()
    app.router.add_post("/send", provider.send)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    provider.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield provider
    finally:
        await runner.cleanup()
