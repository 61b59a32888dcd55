"""Names that a model must never fill: credentials, and what only the host may say.

Credentials ride in headers. A tool that asks for one as an argument would put it into prompts,
evidence and logs, and a tool that asks whom to act as would let the model choose its authority.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

_WORDS = frozenset(
    (
        *("token", "password", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets"),
        *("authorization", "authentication", "auth", "bearer", "credential", "credentials"),
        *("apikey", "oauth", "jwt", "cookie", "cookies", "otp", "dsn", "pat"),
    )
)
_PAIRS = (
    *(("api", "key"), ("access", "key"), ("private", "key"), ("secret", "key"), ("auth", "key")),
    *(("signing", "key"), ("encryption", "key"), ("account", "key"), ("connection", "string")),
    *(("session", "key"), ("act", "as"), ("run", "as"), ("execute", "as"), ("as", "user")),
    *(("act", "for"), ("sudo", "user"), ("obo", "user"), ("effective", "user")),
)
_INSIDE = (
    *("password", "passwd", "passphrase", "apikey", "clientsecret", "accesstoken", "bearertoken"),
    *("refreshtoken", "authtoken", "apitoken", "idtoken", "usertoken", "sessiontoken"),
    *("authorization", "privatekey", "accesskey", "secretkey", "connectionstring"),
    *("impersonat", "onbehalf", "countersign"),
)
_HARMLESS_TOKENS = frozenset(
    (
        *("page", "next", "previous", "prev", "continuation", "continue", "sync", "skip", "delta"),
        *("cursor", "max", "min", "num", "pagination", "resume", "stop", "start", "end"),
    )
)
_NAME_KEYWORDS = (
    *("properties", "patternProperties", "required"),
    *("dependentRequired", "dependentSchemas", "dependencies"),
)
_MIRROR = "x-mcp-header"


def is_forbidden(name: str) -> bool:
    """Whether a parameter of this name is a credential or belongs to the host. `max_tokens`,
    `page_token` and `author` are neither."""
    words = _split(name)
    squashed = "".join(words)
    if any(part in squashed for part in _INSIDE):
        return True
    if any(pair in _PAIRS for pair in itertools.pairwise(words)):
        return True
    return any(
        word in _WORDS
        and not (word == "token" and index > 0 and words[index - 1] in _HARMLESS_TOKENS)
        and not (word == "token" and words[index + 1 : index + 2] in (["count"], ["limit"]))
        for index, word in enumerate(words)
    )


def refusal(schema: Mapping[str, Any]) -> str:
    """Why a tool with this schema is not taken into the catalogue; empty when nothing is wrong.

    The whole document is searched, however it is nested or referenced: what stands anywhere in it
    may be reached by a `$ref`.
    """
    for key, value, is_name in _entries(schema):
        if key.casefold() == _MIRROR:
            return f"it mirrors an argument into a header ({_MIRROR}), which is not taken"
        if is_name and is_forbidden(key):
            return f"its parameter {key!r} is a credential or is the host's to say"
        if key == "format" and value == "password":
            return "one of its parameters is a password"
    return ""


def forbidden_argument(arguments: Mapping[str, Any]) -> str:
    """The first key, at any depth, that must not be an argument; empty when there is none."""
    stack: list[Any] = [arguments]
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            for key, inner in cast("Mapping[Any, Any]", value).items():
                if is_forbidden(str(key)):
                    return str(key)
                stack.append(inner)
        elif isinstance(value, list):
            stack.extend(cast("list[Any]", value))
    return ""


def _entries(schema: Any) -> Iterator[tuple[str, Any, bool]]:
    """Every (key, value, is a parameter's name) of the document."""
    stack: list[tuple[Any, bool]] = [(schema, False)]
    while stack:
        value, holds_names = stack.pop()
        if isinstance(value, Mapping):
            for key, inner in cast("Mapping[Any, Any]", value).items():
                yield str(key), inner, holds_names
                stack.append((inner, not holds_names and key in _NAME_KEYWORDS))
        elif isinstance(value, list):
            for inner in cast("list[Any]", value):
                if holds_names and isinstance(inner, str):
                    yield inner, None, True
                stack.append((inner, False))


def _split(name: str) -> list[str]:
    """`impersonatedUserName` -> impersonated user name; `api-key` -> api key; `HTTPToken` ->
    http token."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3 \2\4", name)
    return re.findall(r"[a-z0-9]+", spaced.casefold())
