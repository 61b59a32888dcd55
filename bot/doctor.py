"""Finds what keeps a configured bot from working, without changing or paying anything."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import aiohttp

from adapters.teams.settings import TeamsSettings
from bot import doctor_reach, doctor_state, installed
from bot.config import Config
from bot.settings import OFFLINE_EMBEDDER, Settings, Slack
from core.capabilities.servers import Server
from core.errors import Misconfigured
from core.llm.models import ModelSettings

if TYPE_CHECKING:
    from core.specialists.sql.source import Source

DEADLINE = 15.0
"""Seconds for each thing that is asked."""


async def problems(settings: Settings, config: Config) -> list[str]:
    """One sentence for each thing that the operator has to mend; empty when all is well."""
    asked = list(config.models.values())
    if settings.embeddings != OFFLINE_EMBEDDER:
        asked.append(settings.providers.reach(settings.embeddings))
    async with asyncio.TaskGroup() as group:
        looks = (doctor_state.problems(settings), doctor_reach.problems(settings))
        parts = [group.create_task(look) for look in looks]
        if settings.slack:
            several = settings.slack.client_id
            look = installed.problems(settings, config) if several else _slack(settings.slack)
            parts.append(group.create_task(look))
        if settings.teams:
            parts.append(group.create_task(_teams(settings.teams)))
        parts += [group.create_task(_model(model)) for model in asked if model.provider != "demo"]
        parts.append(group.create_task(_servers(config.servers)))
        parts += [group.create_task(_source(source)) for source in config.sources]
    return [problem for part in parts for problem in part.result()]


async def _slack(slack: Slack) -> list[str]:
    from adapters.slack import doctor
    from adapters.slack.settings import SlackSettings

    try:
        async with asyncio.timeout(DEADLINE):
            access = SlackSettings(
                bot_token=slack.bot_token,
                signing_secret=slack.signing_secret,
                app_token=slack.app_token,
                api_url=slack.api_url,
            )
            return await doctor.problems(access, time.time)
    except Misconfigured as error:
        return [str(error)]
    except TimeoutError:
        return [f"Slack at {slack.api_url} did not answer within {DEADLINE:.0f} s."]


async def _teams(teams: TeamsSettings) -> list[str]:
    from adapters.teams import doctor

    try:
        async with asyncio.timeout(2 * DEADLINE):
            return await doctor.problems(teams)
    except TimeoutError:
        return [f"Microsoft did not answer about Teams within {2 * DEADLINE:.0f} s."]


async def _model(model: ModelSettings) -> list[str]:
    """Ask for the provider's list of models, which costs nothing and needs the key."""
    url, headers = _list_of_models(model)
    try:
        async with (
            asyncio.timeout(DEADLINE),
            aiohttp.ClientSession(trust_env=True) as session,
            session.get(url, headers=headers, allow_redirects=False) as answer,
        ):
            if answer.status in (401, 403):
                return [f"The provider of `{model.key}` refuses the key ({answer.status})."]
            names = _names(await answer.json(content_type=None)) if answer.ok else set[str]()
    except TimeoutError:
        return [f"The provider of `{model.key}` did not answer within {DEADLINE:.0f} s."]
    except (aiohttp.ClientError, ValueError) as error:
        reason = type(error).__name__
        return [f"The provider of `{model.key}` cannot be reached at {url} ({reason})."]
    # Azure lists what could be deployed, not what is; other servers may list nothing.
    if model.provider != "azure" and names and model.name not in names:
        return [f"The provider does not list `{model.key}` among its models."]
    return []


def _list_of_models(model: ModelSettings) -> tuple[str, Mapping[str, str]]:
    """The address of the provider's list and the headers that show the key."""
    from core.llm.clients import ANTHROPIC_ADDRESS, OPENAI_ADDRESS

    base = model.base_url.rstrip("/")
    match model.provider:
        case "anthropic":
            headers = {"x-api-key": model.api_key, "anthropic-version": "2023-06-01"}
            # A page holds 20 unless more are asked for.
            return f"{base or ANTHROPIC_ADDRESS}/v1/models?limit=1000", headers
        case "azure":
            address = f"{base}/openai/models?api-version={model.api_version}"
            return address, {"api-key": model.api_key}
        case _:
            bearer = {"Authorization": f"Bearer {model.api_key}"} if model.api_key else {}
            return f"{base or OPENAI_ADDRESS}/models", bearer


def _names(listed: Any) -> set[str]:
    """The ids in `{"data": [{"id": …}, …]}`; empty for any other shape."""
    if not isinstance(listed, dict):
        return set()
    entries = cast("dict[str, Any]", listed).get("data")
    if not isinstance(entries, list):
        return set()
    each = [cast("dict[str, Any]", e) for e in cast("list[Any]", entries) if isinstance(e, dict)]
    return {str(entry.get("id", "")) for entry in each}


class _NothingPinned:
    """Keeps a look at the servers from accepting anything."""

    async def pinned(self) -> Mapping[str, str]:
        return {}

    async def accept(self, key: str, digest: str, by: str, at: float, listing: str = "") -> None:
        return None

    async def listing(self, key: str) -> str:
        return ""


async def _servers(servers: Sequence[Server]) -> list[str]:
    """What each MCP server lacks: an answer, or tools that can be offered."""
    if not servers:
        return []
    from core.capabilities.catalog import Catalog

    async with Catalog(servers, _NothingPinned(), clock=time.time) as catalog:
        found = (await catalog.discover()).problems
    return [f"{problem.sentence[:1].upper()}{problem.sentence[1:]}." for problem in found]


async def _source(source: "Source") -> list[str]:
    """Whether the database answers and is as it is described; one that only a person's own sign-in
    opens is not asked."""
    from core.specialists.sql import checking

    if checking.wants_a_person(source):
        return []
    try:
        async with asyncio.timeout(2 * DEADLINE):
            found = await checking.faults(source)
    except TimeoutError:
        return [f"Source {source.id} did not answer within {2 * DEADLINE:.0f} s."]
    return [f"Source {source.id}, {fault.rstrip('.')}." for fault in found]
