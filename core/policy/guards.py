"""What is refused before a question is acknowledged, with the sentence that its person reads."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.records import Question

_DIRECTIVE = r"(model|agent):(\S+)"
_LEADING = re.compile(rf"\A\s*{_DIRECTIVE}(?:\s+|\Z)", re.I)
_TRAILING = re.compile(rf"(?:\s+|\A){_DIRECTIVE}\s*\Z", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which model and agent answer where the question names none."""

    model: str
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    characters: int = 12_000
    """Of one question."""
    age: float = 600.0
    """Seconds after which a question that only now arrived is not answered unasked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A question that may become a turn: its text without directives, and who answers it."""

    text: str
    model: str
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    sentence: str


def directives(text: str) -> tuple[str, dict[str, str]]:
    """Split `model:…` and `agent:…` off the start and the end of a question.

    Returns the remaining text and the named values, lower-case keys; the first of a kind wins.
    """
    named: dict[str, str] = {}
    for pattern in (_LEADING, _TRAILING):
        while match := pattern.search(text):
            named.setdefault(match.group(1).lower(), match.group(2))
            text = text[: match.start()] + text[match.end() :]
    return text.strip(), named


def admit(
    question: Question,
    *,
    models: tuple[str, ...],
    agents: Mapping[str, str],
    default: Choice,
    limits: Limits,
    now: float,
) -> Admitted | Refused:
    """Decide whether a question becomes a turn.

    `models` are the names that may be asked for, `agents` maps an agent's name to its default model
    ("" for none); `now` is in seconds since the epoch.
    """
    text, named = directives(question.text)
    agent = named.get("agent", default.agent)
    if agent and agent not in agents:
        return Refused(sentence=_unknown("agent", agent, tuple(agents)))
    model = named.get("model") or (agents.get(agent) if "agent" in named else "") or default.model
    if model not in models:
        return Refused(sentence=_unknown("model", model, models))
    if not text and not question.files:
        return Refused(
            sentence="You mentioned me without a question. Ask me something in the same message,"
            " or write `help` to see what I can do for you here."
        )
    if len(text) > limits.characters:
        return Refused(
            sentence=f"Your question has {len(text):,} characters; I read at most"
            f" {limits.characters:,} at once. Shorten it, or attach the text as a file."
        )
    if now - question.said_at > limits.age:
        return Refused(
            sentence=f"You wrote this {_ago(now - question.said_at)} ago and it reached me only"
            " now, so I have not answered it unasked. Is it still of interest? Then send it again."
        )
    return Admitted(text=text, model=model, agent=agent)


def _unknown(kind: str, name: str, known: tuple[str, ...]) -> str:
    if not known:
        return f"There is no {kind} named “{name[:60]}”, and none is set up here."
    names = ", ".join(f"`{one}`" for one in known[:12])
    return f"There is no {kind} named “{name[:60]}” here. Write `{kind}:` with one of {names}."


def _ago(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} minutes"
    hours = round(minutes / 60)
    if hours < 48:
        return "an hour" if hours == 1 else f"{hours} hours"
    return f"{round(hours / 24)} days"
