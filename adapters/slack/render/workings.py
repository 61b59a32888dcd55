"""Draws how rows came about as blocks that are folded up under an answer."""

from collections.abc import Sequence

from adapters import workings
from adapters.slack.render import escape, limits
from core.records import Json
from core.workings import Working

QUERY = 2_400
"""Characters of the query that a message shows."""
LINE = 280


def blocks(shown: Sequence[Working]) -> list[Json]:
    return [_container(one, len(shown) > 1) for one in shown]


def words(block: Json) -> str:
    """The text of such a block, for where Slack refuses it: mrkdwn, escaped."""
    parts = block["child_blocks"][0]["elements"]
    texts = [element["text"] for part in parts for element in part["elements"]]
    return "\n".join([f"*{block['title']['text']}*", *map(escape.mrkdwn, texts)])


def _container(one: Working, is_one_of_many: bool) -> Json:
    title = f"{workings.TITLE} [{one.number}]" if is_one_of_many else workings.TITLE
    query = escape.inert(one.query)
    cut = query if len(query) <= QUERY else f"{query[:QUERY]} …"
    said = [escape.inert(line)[:LINE] for line in workings.lines(one)]
    return {
        "type": "container",
        "title": {"type": "plain_text", "text": title},
        "is_collapsible": True,
        "default_collapsed": True,
        "child_blocks": [
            {
                "type": "rich_text",
                "elements": [
                    _part("rich_text_preformatted", cut),
                    _part("rich_text_section", "\n".join(said)[: limits.RICH_TEXT]),
                ],
            }
        ],
    }


def _part(kind: str, text: str) -> Json:
    return {"type": kind, "elements": [{"type": "text", "text": text}]}
