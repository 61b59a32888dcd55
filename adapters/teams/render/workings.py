"""Draws how rows came about as a card that unfolds when somebody asks."""

from collections.abc import Sequence

from adapters import workings
from adapters.teams.render import effect, tables
from core.records import Json
from core.workings import Working

QUERY = 2_400
"""Characters of the query that a card shows."""


def card(shown: Sequence[Working]) -> Json | None:
    """None where there is nothing to show."""
    if not shown:
        return None
    return tables.card([], [_unfolding(one, len(shown) > 1) for one in shown])


def _unfolding(one: Working, is_one_of_many: bool) -> Json:
    query = one.query if len(one.query) <= QUERY else f"{one.query[:QUERY]} …"
    title = f"{workings.TITLE} [{one.number}]" if is_one_of_many else workings.TITLE
    return {
        "type": "Action.ShowCard",
        "title": title,
        "card": {
            "type": "AdaptiveCard",
            "body": [
                effect.line(effect.run(query, fontType="Monospace")),
                *(effect.small(line) for line in workings.lines(one)),
            ],
        },
    }
