"""Finds which of the addresses in the settings do not answer, and which credential ends soon."""

import asyncio
import time
from collections.abc import Iterable
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import aiohttp

from adapters.links import is_loopback
from bot.settings import Microsoft, Settings
from core.ports import Clock

DEADLINE = 15.0
"""Seconds for each address."""
SKEW = 240.0
"""Seconds: Microsoft's tokens and ours are judged with five minutes of grace."""
SOON = 30
"""Days before its end that a certificate is worth a word."""


async def problems(settings: Settings) -> list[str]:
    """One sentence for each thing to mend. Nothing is sent but a question for a page."""
    looks = [_public(settings.public_url), _collector(settings.observing.collector)]
    if settings.microsoft:
        looks.append(microsoft(settings.microsoft, time.time))
    async with asyncio.TaskGroup() as group:
        parts = [group.create_task(look) for look in looks]
    found = [problem for part in parts for problem in part.result()]
    return [*found, *ending(_certificates(settings), time.time())]


async def microsoft(given: Microsoft, clock: Clock) -> list[str]:
    """Whether people can sign in and Graph can be asked, and whether our clock fits theirs."""
    found: list[str] = []
    page = f"{given.entra.base}/v2.0/.well-known/openid-configuration"
    status, date = await _asked(page)
    if status in (400, 404):
        found.append(
            f"Microsoft knows no tenant at {given.entra.base}: check ENTRA_TENANT_ID, or "
            "ENTRA_AUTHORITY in a national cloud."
        )
    elif status != 200:
        found.append(
            f"Nobody can connect an account: {page} {_said(status)}. Check the network, the proxy "
            "variables and ENTRA_AUTHORITY."
        )
    found += _skewed(date, clock())
    # Without a token Graph answers 401, which is an answer.
    status, _ = await _asked(f"{given.graph_url}/me")
    if status not in (200, 401):
        found.append(
            f"Microsoft Graph at {given.graph_url} {_said(status)}: mail, calendar, files "
            "and chats stay out of reach. Check the network, the proxy variables and GRAPH_API_URL."
        )
    return found


def ending(certificates: Iterable[tuple[str, str]], now: float) -> list[str]:
    """What to do about each certificate (name of its setting, PEM) that ends soon or has ended."""
    from cryptography import x509

    found: list[str] = []
    for name, pem in certificates:
        start = pem.find("-----BEGIN CERTIFICATE-----")
        try:
            end = x509.load_pem_x509_certificate(pem[max(start, 0) :].encode()).not_valid_after_utc
        except ValueError:
            found.append(f"{name} holds no certificate that can be read; write it as PEM.")
            continue
        if (days := (end.timestamp() - now) / 86_400) < SOON:
            found.append(f"{name} {_ends(days, end)}: upload a new one to the app registration.")
    return found


def _ends(days: float, end: datetime) -> str:
    return f"ended on {end:%Y-%m-%d}" if days < 0 else f"ends in {days:.0f} days, on {end:%Y-%m-%d}"


def _certificates(settings: Settings) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if settings.microsoft and settings.microsoft.entra.certificate:
        found.append(("ENTRA_CLIENT_CERTIFICATE", settings.microsoft.entra.certificate))
    if settings.teams and settings.teams.certificate:
        found.append(("TEAMS_APP_CERTIFICATE", settings.teams.certificate))
    return found


async def _public(url: str) -> list[str]:
    """Whether anything answers where people's browsers and the chat platforms are sent. The bot
    itself may not be running yet: what stands in front of it has to."""
    if not url or is_loopback(urlsplit(url).hostname or ""):
        return []
    status, _ = await _asked(url)
    if status:
        return []
    return [
        f"Nothing answers at COUNTERSIGN_PUBLIC_URL ({url}) from here: check its name in the DNS, "
        "its certificate, and the proxy in front of the bot."
    ]


async def _collector(url: str) -> list[str]:
    if not url or (await _asked(url))[0]:
        return []
    return [
        f"The collector at OTEL_EXPORTER_OTLP_ENDPOINT ({url}) does not answer: traces are lost "
        "until it does."
    ]


async def _asked(url: str) -> tuple[int, str]:
    """The status and the date of the answer; 0 and nothing where there is none."""
    try:
        async with (
            asyncio.timeout(DEADLINE),
            aiohttp.ClientSession(trust_env=True) as session,
            session.get(url, allow_redirects=False) as answer,
        ):
            return answer.status, answer.headers.get("Date", "")
    except (aiohttp.ClientError, TimeoutError):
        return 0, ""


def _said(status: int) -> str:
    return f"answers {status}" if status else "does not answer"


def _skewed(date: str, now: float) -> list[str]:
    try:
        away = now - parsedate_to_datetime(date).timestamp()
    except ValueError:
        return []
    if abs(away) <= SKEW:
        return []
    side = "ahead of" if away > 0 else "behind"
    return [
        f"This machine's clock is {abs(away):.0f} seconds {side} Microsoft's, so that sign-ins and "
        "tokens are refused. Set the clock by NTP."
    ]
