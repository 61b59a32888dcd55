"""Reads what the bot said and what the provider was asked."""

from typing import Any

from core.records import TurnId
from tests.fakes.model_script import Asked
from tests.fakes.model_server import ModelServer
from tests.house import House

MENTION = "<@U0COUNTER>"


def text_of(message: dict[str, Any]) -> str:
    """The words of an answer, without its cost line and sources."""
    return "\n".join(b["text"] for b in message["blocks"] if b["type"] == "markdown")


def cost_of(message: dict[str, Any]) -> str:
    lines = [block for block in message["blocks"] if block["type"] == "context"]
    return str(lines[-1]["elements"][0]["text"])


def chat(models: ModelServer) -> list[Asked]:
    return [asked for asked in models.asked if asked.route != "embeddings"]


async def turn_ids(bot: House) -> list[TurnId]:
    rows = await bot.bot.rooms.db.fetch("SELECT id FROM inbox ORDER BY seq")
    return [TurnId(row["id"]) for row in rows]
