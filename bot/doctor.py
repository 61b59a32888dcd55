"""Finds what keeps a configured bot from working, without changing or paying anything."""

from bot.config import Config
from bot.settings import Settings


async def problems(settings: Settings, config: Config) -> list[str]:
    """One sentence for each thing that the operator has to mend; empty when all is well."""
    return []
