"""The `servers` section: which MCP servers there are, how each is reached and how far it is
trusted."""

import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from core.errors import Misconfigured

Accept = Literal["none", "first", "all"]
AsgiApp = Callable[
    [
        MutableMapping[str, Any],
        Callable[[], Awaitable[MutableMapping[str, Any]]],
        Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ],
    Awaitable[None],
]

HOST = "host"
"""The name under which the host's own tools are known; no server may have it."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_SECRET = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_KEYS = ("url", "command", "headers", "env", "accept")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One MCP server. Exactly one of `app`, `url` and `command` is set."""

    name: str
    app: AsgiApp | None = field(default=None, repr=False)
    """Our own server, in this process: trusted, and told for whom it works."""
    url: str = ""
    """Streamable HTTP; plain http on loopback only."""
    command: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Our own credentials for the server, with every request, also the listing."""
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """For a command, besides PATH, HOME and the like."""
    accept: Accept = "none"
    """`none`: an admin accepts each tool; `first`: what the first contact shows is accepted;
    `all`: whatever it shows stands, for servers of our own."""

    @property
    def is_ours(self) -> bool:
        return self.app is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Times in seconds, sizes in bytes."""

    deadline: float = 60.0
    """Of a call that names none of its own."""
    open_within: float = 25.0
    """To connect, shake hands and list. The SDK waits 10 s for an old server that does not answer
    the first question of the new protocol, before it asks the old one."""
    first_look: float = 5.0
    """How long the first discovery waits for a server; the others go on without it."""
    own_first_look: float = 30.0
    """The same for a server of this process: it cannot be down, only still be loaded, and a
    question that came right after the start is not to be answered without it."""
    fresh_for: float = 60.0
    """How long a listing is served without asking again."""
    retry_after: float = 5.0
    """How long a server that failed is left alone."""
    progress_after: float = 5.0
    """Of silence, until a call says that it is still at work."""
    progress_every: float = 1.0
    """The shortest time between two progress texts of a call."""
    result_bytes: int = 20 * 1024 * 1024


def read_servers(section: Any, secrets: Mapping[str, str]) -> tuple[Server, ...]:
    """The servers of a parsed `servers` section; `${NAME}` in a header or an env value becomes
    `secrets[NAME]`. Raises Misconfigured with one sentence per mistake."""
    if section is None:
        return ()
    if not isinstance(section, Mapping):
        raise Misconfigured("servers: must map a name to a server")
    mistakes: list[str] = []
    servers = [
        _server(str(name), given, secrets, mistakes)
        for name, given in cast("Mapping[Any, Any]", section).items()
    ]
    if mistakes:
        raise Misconfigured("\n".join(mistakes))
    return tuple(servers)


def _server(name: str, given: Any, secrets: Mapping[str, str], mistakes: list[str]) -> Server:
    def wrong(sentence: str) -> None:
        mistakes.append(f"servers.{name}: {sentence}")

    if not _NAME.fullmatch(name) or name == HOST:
        wrong("a name is 1 to 32 of a-z 0-9 _ -, begins with a letter and is not 'host'")
    if not isinstance(given, Mapping):
        wrong("must be a mapping with a url or a command")
        return Server(name=name)
    entry = cast("Mapping[str, Any]", given)
    for key in entry:
        if key not in _KEYS:
            wrong(f"{key} is not known here; known are {', '.join(_KEYS)}")
    if ("url" in entry) == ("command" in entry):
        wrong("needs either a url or a command")
    accept = entry.get("accept", "none")
    if accept not in ("none", "first"):
        wrong("accept is none or first")
    return Server(
        name=name,
        url=_url(entry.get("url", ""), wrong),
        command=_command(entry.get("command", []), wrong),
        headers=_filled("headers", entry.get("headers", {}), secrets, wrong),
        env=_filled("env", entry.get("env", {}), secrets, wrong),
        accept=accept,
    )


def _url(given: Any, wrong: Callable[[str], None]) -> str:
    if given == "":
        return ""
    parts = urlsplit(given) if isinstance(given, str) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        wrong("url must be an http or https address")
        return ""
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        wrong("url must be https: plain http is taken on loopback only")
    if parts.username or parts.password:
        wrong("url must not hold a password; put it under headers")
    return str(given)


def _command(given: Any, wrong: Callable[[str], None]) -> tuple[str, ...]:
    listed = cast("list[Any]", given) if isinstance(given, list) else [""]
    if not all(isinstance(part, str) and part for part in listed):
        wrong('command must be a list of words, like ["python", "-m", "my_server"]')
        return ()
    return tuple(listed)


def _filled(
    key: str, given: Any, secrets: Mapping[str, str], wrong: Callable[[str], None]
) -> dict[str, str]:
    if not isinstance(given, Mapping):
        wrong(f"{key} must be a mapping of words")
        return {}
    filled: dict[str, str] = {}
    for name, value in cast("Mapping[Any, Any]", given).items():
        for secret in _SECRET.findall(str(value)):
            if secret not in secrets:
                wrong(f"{key}.{name} names {secret}, which is not set")
        filled[str(name)] = _SECRET.sub(lambda m: secrets.get(m[1], ""), str(value))
        if not filled[str(name)].isascii() or not filled[str(name)].isprintable():
            wrong(f"{key}.{name} must be printable ASCII")
    return filled
