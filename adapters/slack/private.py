"""Tells one person something that nobody else sees, where they clicked or typed."""

import logging

from adapters.slack import direct, fields
from adapters.slack.api import SlackApi
from adapters.slack.clicks import Spot
from adapters.slack.render import cards, limits
from core.errors import DeliveryFailed
from core.parked import Verdict
from core.records import Json

log = logging.getLogger(__name__)
LINK = "link.connect"
"""A button that opens an address: Slack tells of its click as well, and nothing is to be done."""
PROVIDER = "microsoft"
CONNECT = f"auth_provider_connect_{PROVIDER}"
"""What Slack calls the button of its own block."""


async def tell(api: SlackApi, spot: Spot, said: Json) -> bool:
    """Say it beside the message, else through Slack's own address for answers, else in our direct
    messages. `said` has `text` and `blocks`. False, logged, where none of it works."""
    refused = await _beside(api, spot, said)
    if refused is None:
        return True
    heard = {"response_type": "ephemeral", "replace_original": False, **said}
    if await answer(api, spot, heard):
        return True
    # What Slack may take later is said again where it delivers again.
    return refused.is_final and await _directly(api, spot, said)


async def offer(api: SlackApi, spot: Spot, found: Verdict) -> bool:
    """As `tell`, of a verdict: an account is connected through Slack's own block for that where
    the workspace has it, and where Slack refuses it by a button."""
    said = verdict(found)
    is_native = api.has_auth_provider and found.url.startswith("https://")
    if found.kind == "connect" and is_native:
        text, button = fields.children(said, "blocks")
        native = {**said, "blocks": [text, _provider(found.url, button)]}
        if await _beside(api, spot, native) is None:
            return True
    return await tell(api, spot, said)


async def _beside(api: SlackApi, spot: Spot, said: Json) -> DeliveryFailed | None:
    """None where it was said."""
    if not spot.channel:
        return DeliveryFailed("no_channel", is_final=True)
    target: Json = {"channel": spot.channel, "user": spot.user}
    if spot.thread_ts:
        target["thread_ts"] = spot.thread_ts
    try:
        await api.write("chat.postEphemeral", {**target, **said})
    except DeliveryFailed as error:
        log.info("slack.no_ephemeral", extra={"fields": {"reason": error.reason}})
        return error
    return None


async def _directly(api: SlackApi, spot: Spot, said: Json) -> bool:
    try:
        there = await direct.address(api, spot.team, spot.user)
        await api.write("chat.postMessage", {"channel": there["channel"], **said})
    except DeliveryFailed as error:
        log.warning("slack.untold", extra={"fields": {"reason": error.reason}})
        return False
    return True


async def answer(api: SlackApi, spot: Spot, said: Json) -> bool:
    """Through Slack's address for answers: five times within thirty minutes of the click."""
    try:
        if spot.hook:
            await api.respond(spot.hook, said)
            return True
    except DeliveryFailed as error:
        log.info("slack.no_answer", extra={"fields": {"reason": error.reason}})
    return False


def sentence(said: str) -> Json:
    block: Json = {"type": "section", "text": cards.plain(said[: limits.SMALL_PRINT])}
    return {"text": cards.text(said), "blocks": [block]}


def verdict(found: Verdict) -> Json:
    """The sentence, with the link of an account for the one person that it was made for."""
    said = sentence(found.sentence)
    if found.kind != "connect" or not found.url:
        return said
    button: Json = {
        "type": "button",
        "action_id": LINK,
        "text": cards.plain("Connect account"),
        "style": "primary",
        "url": found.url,
    }
    return {**said, "blocks": [*fields.children(said, "blocks"), _row(button)]}


def _provider(url: str, otherwise: Json) -> Json:
    """Slack opens the address alone; whether somebody is connected is ours to know. `otherwise`
    is shown by clients that do not know the block."""
    return {
        "type": "auth_provider",
        "value": PROVIDER,
        "name": cards.plain("Microsoft account"),
        "is_connected": False,
        "auth_url": url,
        "fallback": [otherwise],
    }


def _row(button: Json) -> Json:
    return {"type": "actions", "elements": [button]}
