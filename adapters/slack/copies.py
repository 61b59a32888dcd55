"""Shows a card where it belongs and changes it there: first a message of its own, later the same
message anew, whatever became of it."""

import logging
from collections.abc import Mapping

from adapters.slack import fields, marker
from adapters.slack.api import SlackApi
from adapters.slack.paced import Paced
from adapters.slack.render import cards
from core.cards import Card
from core.errors import DeliveryFailed
from core.records import Json, Post

log = logging.getLogger(__name__)
REFUSED_BLOCKS = frozenset(
    {"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"}
)
_GONE = frozenset({"cant_update_message", "edit_window_closed", "message_not_found"})


async def show(api: SlackApi, paced: Paced, post: Post, card: Card, spot: Mapping[str, str]) -> str:
    """The timestamp of the message that shows the card now. Raises `DeliveryFailed`.

    Repeatable: changing a message twice changes nothing, and before one is posted that may be
    there already, it is looked for by the call that it shows.
    """
    if post.replaces:
        try:
            return await _write(paced, "chat.update", _there(spot, post.replaces), post, card)
        except DeliveryFailed as error:
            if error.reason not in _GONE:
                raise
            log.info("slack.card_gone", extra={"fields": {"reason": error.reason}})
    known = await marker.card(api, spot, card.call) if post.attempt or post.replaces else ""
    if known and known != post.replaces:
        return await _write(paced, "chat.update", _there(spot, known), post, card)
    arguments: Json = {
        "channel": spot["channel"],
        "unfurl_links": False,
        "unfurl_media": False,
        "metadata": marker.metadata(post.id, "1", card=card.call),
    }
    if spot["thread_ts"]:
        arguments["thread_ts"] = spot["thread_ts"]
    return await _write(paced, "chat.postMessage", arguments, post, card)


async def _write(paced: Paced, method: str, arguments: Json, post: Post, card: Card) -> str:
    """In words and without buttons where Slack refuses the blocks: a state that is not shown
    invites a second click."""
    said = cards.text(post.answer.text)
    try:
        shown = {"text": said, "blocks": cards.blocks(card)}
        return fields.text(await paced.write(method, arguments | shown, is_urgent=True), "ts")
    except DeliveryFailed as error:
        if error.reason not in REFUSED_BLOCKS:
            raise
        log.warning("slack.plain_card", extra={"fields": {"reason": error.reason}})
    words = cards.text(post.answer.text, is_whole=not card.buttons)
    plain: Json = {"text": words, "blocks": []}
    return fields.text(await paced.write(method, arguments | plain, is_urgent=True), "ts")


def _there(spot: Mapping[str, str], ts: str) -> Json:
    return {"channel": spot["channel"], "ts": ts}
