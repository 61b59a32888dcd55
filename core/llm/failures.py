"""The meaning of an exception that a provider's client raised."""

from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, cast

from core.errors import ModelFailed
from core.llm.models import KEY_VARIABLES, ModelSettings

BLOCKED_CODES = {"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"}
BLOCKED_TEXTS = ("content management policy", "content filtering policy")
OVERFLOW_CODES = {"context_length_exceeded", "exceed_context_size_error", "request_too_large"}
OVERFLOW_TEXTS = (
    "maximum context length",
    "context window",
    "prompt is too long",
    "exceed context limit",
    "available context size",
    "input tokens exceed",
    "contextwindowexceeded",
)
QUOTA_CODES = {"insufficient_quota", "billing_error", "billing_hard_limit_reached"}
# By name: LangChain, both SDKs and httpx2 each have their own, and not all of them are loaded.
TIMEOUT_CLASSES = {"ModelTimeoutError", "APITimeoutError", "TimeoutException", "TimeoutError"}
CONNECTION_CLASSES = {"ModelConnectionError", "APIConnectionError", "TransportError"}
LIMIT_CODES = {"rate_limit_exceeded", "rate_limit_error"}


@dataclass(frozen=True, slots=True)
class _Facts:
    status: int
    """HTTP status; 0 when there was no response. An error inside a stream has its 200."""
    codes: frozenset[str]
    message: str
    retry_after: float


def failure(
    error: Exception, settings: ModelSettings, *, has_begun: bool, now: float
) -> ModelFailed:
    """The failure to raise in place of `error`.

    `has_begun` says that a part of the answer had arrived; `now` (seconds since the epoch) turns
    a Retry-After date into seconds. The sentence is for an operator and never holds the key.
    """
    facts = _facts(error, now)
    kind = _kind_by_word(facts) or _kind_by_status(facts.status)
    if kind is None:
        kind = _kind_by_class(error, has_begun=has_begun, has_answer=bool(facts.codes))
    return ModelFailed(kind, _sentence(kind, facts, settings), retry_after=facts.retry_after)


def _kind_by_word(facts: _Facts) -> str | None:
    text = facts.message.casefold()
    if facts.codes & BLOCKED_CODES or any(t in text for t in BLOCKED_TEXTS):
        return "blocked"
    if facts.codes & OVERFLOW_CODES or facts.status == 413:
        return "context_overflow"
    # By its words only where the request was refused: a busy server may speak of context too.
    if facts.status in {200, 400, 422} and any(t in text for t in OVERFLOW_TEXTS):
        return "context_overflow"
    if facts.codes & QUOTA_CODES:
        return "rejected"
    if facts.codes & LIMIT_CODES:
        return "rate_limited"
    return None


def _kind_by_status(status: int) -> str | None:
    if status == 429:
        return "rate_limited"
    if status == 408:
        return "timeout"
    if status >= 500 or status == 409:
        return "server_error"
    return "rejected" if 300 <= status < 500 else None


def _kind_by_class(error: Exception, *, has_begun: bool, has_answer: bool) -> str:
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & TIMEOUT_CLASSES:
        return "timeout"
    if has_begun and (names & CONNECTION_CLASSES or isinstance(error, ValueError)):
        return "cut_stream"
    if names & CONNECTION_CLASSES:
        return "unreachable"
    return "server_error" if has_answer or has_begun else "rejected"


def _sentence(kind: str, facts: _Facts, settings: ModelSettings) -> str:
    name = f"`{settings.key}`"
    match kind:
        case "blocked":
            return f"the provider's content filter refused the request to {name}"
        case "context_overflow":
            return f"the conversation is longer than {name} can read"
        case "rate_limited":
            return f"{name} has too many requests at the moment"
        case "timeout":
            return f"{name} did not answer in time"
        case "unreachable":
            return f"no connection to {name} at {settings.base_url or 'its provider'}"
        case "cut_stream":
            return f"the answer of {name} broke off"
        case "server_error":
            return f"{name} failed on the provider's side (status {facts.status or 'unknown'})"
        case _:
            return _rejection(facts, settings, name)


def _rejection(facts: _Facts, settings: ModelSettings, name: str) -> str:
    variable = KEY_VARIABLES.get(settings.provider, "the key")
    # The provider's own words are left out here: they repeat parts of the key.
    if facts.status in {401, 403}:
        return f"the provider does not accept the key for {name}; check {variable}"
    if facts.codes & QUOTA_CODES:
        return f"the provider's account behind {name} has no credit left; check its billing"
    if facts.status == 404:
        return f"the provider does not know {name}, or not at this address; check name and base URL"
    if not facts.status:
        return f"the request to {name} could not be sent or its answer not be read"
    said = facts.message
    if settings.api_key:
        said = said.replace(settings.api_key, "…")
    return f"the provider did not take the request to {name}: {said[:200] or 'no reason given'}"


def _facts(error: Exception, now: float) -> _Facts:
    body = _object(getattr(error, "body", None))
    inner = _object(body.get("error")) or body
    deeper = _object(inner.get("innererror") or inner.get("inner_error"))
    words = (inner.get("code"), inner.get("type"), deeper.get("code"))
    headers = cast(Any, getattr(getattr(error, "response", None), "headers", None) or {})
    return _Facts(
        status=int(getattr(error, "status_code", 0) or 0),
        codes=frozenset(str(word) for word in words if word),
        message=str(inner.get("message") or getattr(error, "message", "") or error),
        retry_after=_seconds(headers, now),
    )


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _seconds(headers: Any, now: float) -> float:
    """Retry-After as seconds or as a date (RFC 9110), or Azure's milliseconds."""
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(milliseconds) / 1000)
        text = str(headers.get("retry-after") or "0")
        if text.replace(".", "", 1).isdigit():
            return float(text)
        moment = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return max(0.0, moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now)
