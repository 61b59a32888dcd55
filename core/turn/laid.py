"""Lays what admins changed in chat over what the file says: pure, from rows to a setup."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from core.ledger.budget import Limit, laid_over
from core.policy.guards import Choice
from core.policy.rules import Rule, Rules
from core.storage.acts import Act
from core.turn.setup import Setup

SWITCH, BUDGET, CHANNEL = "switch", "budget", "channel"
TOPICS = (SWITCH, BUDGET, CHANNEL)
EVERYTHING, EFFECTS = "everything", "effects"
OFF = "off"


def laid(file: Setup, acts: Sequence[Act], members: Mapping[str, Sequence[str]]) -> Setup:
    """The setup that holds: the file's, with the acts that stand and the members of groups that
    others keep (`slack:S…`, `entra:…` → person ids)."""
    return replace(
        file,
        rules=_rules(file.rules, [act for act in acts if act.topic == SWITCH], members),
        budgets=replace(
            file.budgets,
            limits=laid_over(
                file.budgets.limits,
                {act.subject: _limit(act) for act in acts if act.topic == BUDGET},
            ),
        ),
        channels={**file.channels, **_channels(acts)},
    )


def origin(act: Act) -> str:
    """Who, when and why, for the sentences of `why` and `policy`."""
    at = datetime.fromtimestamp(act.at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    why = f": {act.why}" if act.why else ""
    return f"{act.person}, {at}{why}"


def as_value(limit: Limit) -> str:
    """A limit as the value of an act."""
    amount = None if limit.amount is None else str(limit.amount)
    return json.dumps(
        {
            "whom": limit.whom,
            "is_each": limit.is_each,
            "amount": amount,
            "tokens": limit.tokens,
            "per": limit.per,
        }
    )


def _rules(file: Rules, switches: Iterable[Act], members: Mapping[str, Sequence[str]]) -> Rules:
    switched = list(switches)
    off = [act for act in switched if act.subject != EFFECTS]
    has_effects = file.has_effects and all(act.subject != EFFECTS for act in switched)
    return replace(
        file,
        rules=(*file.rules, *map(_switched_off, off)),
        groups={name: _resolved(words, members) for name, words in file.groups.items()},
        has_effects=has_effects,
    )


def _switched_off(act: Act) -> Rule:
    what = "tool:*" if act.subject == EVERYTHING else act.subject
    return Rule(number=0, verb="withhold", what=what, origin=f"a switch ({origin(act)})")


def _resolved(words: Iterable[str], members: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    found: list[str] = []
    for word in words:
        found += (
            [word]
            if word.startswith("person:")
            else (f"person:{person}" for person in members.get(word, ()))
        )
    return tuple(dict.fromkeys(found))


def _limit(act: Act) -> Limit | None:
    if act.value == OFF:
        return None
    given: Any = json.loads(act.value)
    return Limit(
        whom=given["whom"],
        is_each=given["is_each"],
        amount=None if given["amount"] is None else Decimal(given["amount"]),
        tokens=given["tokens"],
        per=given["per"],
        origin=origin(act),
    )


def _channels(acts: Iterable[Act]) -> dict[str, Choice]:
    found: dict[str, Choice] = {}
    for act in acts:
        if act.topic == CHANNEL:
            given: Any = json.loads(act.value)
            found[act.subject] = Choice(model=given["model"], agent=given["agent"])
    return found
