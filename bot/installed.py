"""Finds what keeps the bot from working in each of the workspaces that may install it."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from adapters.slack.settings import SlackSettings
from bot import chat_platform
from bot.addresses import sqlite_file
from bot.config import Config
from bot.settings import Settings
from core.errors import CountersignError, Misconfigured
from core.ports import Installation

DEADLINE = 15.0
"""Seconds for each workspace."""


async def problems(settings: Settings, config: Config) -> list[str]:
    """One sentence for each thing to mend. Changes nothing: a token that has expired is renewed
    by the bot when it needs it, and is not asked about here."""
    from adapters.slack.install import START

    try:
        given = chat_platform.slack_settings(settings, None, config)
    except Misconfigured as error:
        return [str(error)]
    page = settings.public_url.rstrip("/") + START
    try:
        found = await _installed(settings, config.workspaces)
    except CountersignError as error:
        return [f"The tokens of the workspaces cannot be read: {str(error).rstrip('.')}."]
    async with asyncio.TaskGroup() as group:
        looks = [
            group.create_task(_problems(given, team, found[team], page))
            for team in sorted(config.workspaces)
        ]
    return [problem for look in looks for problem in look.result()]


async def _problems(
    given: SlackSettings, team: str, installation: Installation | None, page: str
) -> list[str]:
    from adapters.slack import doctor

    if installation is None:
        return [f"The workspace {team} has not installed the bot: open {page} there."]
    if installation.refresh_token and installation.expires_at <= time.time():
        return []
    access = replace(given, bot_token=installation.bot_token, app_token="", distribution=None)
    try:
        async with asyncio.timeout(DEADLINE):
            found = await doctor.problems(access, time.time, page=page)
    except TimeoutError:
        found = [f"Slack at {given.api_url} did not answer within {DEADLINE:.0f} s."]
    return [f"{installation.name or team}: {sentence}" for sentence in found]


async def _installed(settings: Settings, teams: frozenset[str]) -> dict[str, Installation | None]:
    from core.identity.installations import Installations
    from core.identity.vault import KeyRing
    from core.storage.database import open_database

    file = sqlite_file(settings.database, Path())
    if file and not file.exists():
        return dict.fromkeys(teams)
    db = await open_database(settings.database, state=settings.state, is_shared=True)
    try:
        kept = Installations(db, KeyRing.parse(settings.keys), time.time)
        return {team: await kept.read(team) for team in teams}
    finally:
        await db.close()
