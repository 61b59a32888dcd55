"""Decides whether a `serviceUrl` leads to a place that the bot's token may be shown to."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self
from urllib.parse import urlsplit

from adapters.links import is_loopback
from core.errors import Misconfigured

MICROSOFT = (
    "https://smba.trafficmanager.net",
    "https://smba.infra.gcc.teams.microsoft.com",
    "https://smba.infra.gov.teams.microsoft.us",
    "https://smba.infra.dod.teams.microsoft.us",
)
"""Exact hosts: anybody can register another name below trafficmanager.net. Source: Microsoft's
page on proactive messages, one for each cloud."""
LONGEST = 512
_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\]")
_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Origins:
    """The origins that are allowed, as `scheme://host:port`."""

    allowed: frozenset[str]

    @classmethod
    def of(cls, origins: Iterable[str]) -> Self:
        """Raises `Misconfigured` for what is no origin, and for plain http outside of loopback."""
        found: set[str] = set()
        for one in origins:
            origin = _origin(one)
            if origin is None or urlsplit(one).path not in ("", "/"):
                raise Misconfigured(
                    f"TEAMS_SERVICE_ORIGINS: {one!r} is not an origin such as "
                    "https://smba.trafficmanager.net (plain http on loopback only)."
                )
            found.add(origin)
        return cls(frozenset(found))

    def allows(self, service_url: str) -> bool:
        origin = _origin(service_url)
        return origin is not None and origin in self.allowed


@lru_cache(maxsize=256)
def _origin(url: str) -> str | None:
    """None for everything that two parsers could read differently."""
    if len(url) > LONGEST or not url.isascii() or not url.isprintable() or " " in url:
        return None
    scheme, mark, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    if not mark or scheme not in _PORTS or _PATH.fullmatch(slash + path) is None:
        return None
    host, port = _split(authority.lower())
    if _HOST.fullmatch(host) is None or ".." in host:
        return None
    if port and not (port.isdigit() and 0 < int(port) < 65_536):
        return None
    if scheme == "http" and not is_loopback(host):
        return None
    return f"{scheme}://{host}:{int(port) if port else _PORTS[scheme]}"


def _split(authority: str) -> tuple[str, str]:
    """(host, port); a colon without a port is none."""
    if authority.endswith("]"):
        return authority, ""
    host, colon, port = authority.rpartition(":")
    if not colon:
        return authority, ""
    return (host, port) if port else ("", "")
