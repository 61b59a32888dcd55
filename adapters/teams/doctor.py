"""Asks Microsoft what keeps the bot from working in Teams, and says it in sentences to act on."""

import time

import aiohttp

from adapters.teams.credentials import MINT_SECONDS, Credentials
from adapters.teams.openid import SigningKeys
from adapters.teams.settings import TeamsSettings
from core.errors import DeliveryFailed

_HOW = {
    "no_token_invalid_client": (
        "Microsoft does not take the bot's secret or certificate: it may have expired. Make a new "
        "one under Certificates & secrets of the app registration."
    ),
    "no_token_unauthorized_client": (
        "Microsoft does not know TEAMS_APP_ID in TEAMS_TENANT_ID: the app registration is in "
        "another tenant, or the bot is not registered as single tenant."
    ),
    "no_token_invalid_request": (
        "Microsoft does not know the tenant of TEAMS_TENANT_ID, or TEAMS_APP_ID in it."
    ),
}


async def problems(settings: TeamsSettings) -> list[str]:
    """Empty when all is well. Sends nothing to anybody."""
    found: list[str] = []
    if settings.is_unverified:
        found.append("TEAMS_AUTHENTICATION is off: nobody has to prove to be Teams.")
    else:
        found += [*await _credentials(settings), *await _keys(settings)]
    return found


async def _credentials(settings: TeamsSettings) -> list[str]:
    timeout = aiohttp.ClientTimeout(total=MINT_SECONDS)
    is_proxied = not settings.is_local
    async with aiohttp.ClientSession(timeout=timeout, trust_env=is_proxied) as session:
        try:
            await Credentials(settings, session).token()
        except DeliveryFailed as error:
            return [_HOW.get(error.reason) or _silent(settings, error.reason)]
    return []


def _silent(settings: TeamsSettings, reason: str) -> str:
    where = settings.login_url
    if settings.is_managed_identity:
        where = "the managed identity's endpoint"
    return f"The bot gets no token from {where} ({reason}): check the network and the settings."


async def _keys(settings: TeamsSettings) -> list[str]:
    async with SigningKeys(settings.openid_url, time.monotonic) as keys:
        if await keys.is_known():
            return []
    return [
        f"The keys that Teams signs with cannot be read at {settings.openid_url}: every message "
        "would be refused. Check the network, the proxy variables and TEAMS_OPENID_URL."
    ]
