"""How soon a bot acknowledges after its process was started, and what memory it holds at rest."""

import asyncio
import time
from pathlib import Path

from aiohttp import ClientSession

from bench.bots import Bot, first_acknowledged, running
from bench.slack_side import answered, mention, signed, web_api

REST_SECONDS = 4.0
"""For what a start leaves to the background."""
MODULES = {
    "countersign": ("bot.cli", "run"),
    "bolt": ("bench.peers.bolt",),
    "bolt + langchain": ("bench.peers.bolt", "agent"),
}


async def measure(subject: str, folder: Path) -> dict[str, float]:
    """Seconds and megabytes. A cold start has no byte code yet, as after an installation, and
    makes its database; a warm one is the next."""
    compiled = {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    figures: dict[str, float] = {}
    async with web_api() as api, ClientSession() as session:
        for name in ("cold", "warm"):
            made = running(*MODULES[subject], folder=folder, api=api, more=compiled)
            async with made as bot:
                figures[name] = await first_acknowledged(bot, session)
                await asyncio.sleep(REST_SECONDS)
                figures["MB at rest"] = bot.megabytes
                if name == "warm":
                    figures["first answer"] = await _first_answer(bot, session, api)
                    figures["MB after an answer"] = bot.megabytes
    return figures


async def _first_answer(bot: Bot, session: ClientSession, api: str) -> float:
    """Seconds that the first question takes, which loads what the start did not."""
    ts, body = mention(500, "how many orders came in yesterday?")
    began = time.perf_counter()
    async with session.post(bot.address, data=body, headers=signed(body)) as response:
        response.raise_for_status()
    async with asyncio.timeout(60.0):
        while not (await answered(session, api)).get(ts):
            await asyncio.sleep(0.02)
    return time.perf_counter() - began
