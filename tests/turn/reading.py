"""Reads what the bot said and what the provider was asked."""

from core.records import TurnId
from tests.fakes.model_script import Asked
from tests.fakes.model_server import ModelServer
from tests.house import House
from tests.sides import MENTION, cost_of, shown_of, text_of

__all__ = ["MENTION", "chat", "cost_of", "shown_of", "text_of", "turn_ids"]


def chat(models: ModelServer) -> list[Asked]:
    return [asked for asked in models.asked if asked.route != "embeddings"]


async def turn_ids(bot: House) -> list[TurnId]:
    rows = await bot.bot.rooms.db.fetch("SELECT id FROM inbox ORDER BY seq")
    return [TurnId(row["id"]) for row in rows]
