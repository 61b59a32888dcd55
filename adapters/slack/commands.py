"""What the bot says about itself: the slash command and the first direct message."""

import logging
from typing import Any, cast

from slack_bolt.async_app import AsyncAck, AsyncApp

from adapters.slack import fields, identity
from adapters.slack.api import SlackApi
from adapters.slack.render import blocks
from adapters.slack.settings import Prompt
from core.errors import CountersignError
from core.ports import FrontDoor, Surface
from core.records import Answer, Json, Post, TurnId

log = logging.getLogger(__name__)
COMMAND = "/countersign"
UNKNOWN = f"I do not know that word. `{COMMAND} help` shows what I can do for you here."
NOT_NOW = "I cannot look that up right now. Nothing was lost: please try again in a moment."
SHOWN_PROMPTS = 4


def register(
    app: AsyncApp, door: FrontDoor, surface: Surface, api: SlackApi, prompts: tuple[Prompt, ...]
) -> None:
    """Attach the listeners. They translate; what is true comes from the front door."""

    async def on_command(ack: AsyncAck, command: dict[str, Any]) -> None:
        shown = await _answer(door, command)
        message = blocks.render(Answer(text=shown)).messages[0]
        await ack(text=message.text, blocks=list(message.blocks), response_type="ephemeral")

    async def on_home_opened(event: dict[str, Any]) -> None:
        if event.get("tab") != "messages":
            return
        try:
            await _greet(door, surface, api, event, prompts)
        except CountersignError as error:
            reason = type(error).__name__
            log.warning("slack.no_greeting", extra={"fields": {"reason": reason}})

    untyped = cast(Any, app)
    untyped.command(COMMAND)(on_command)
    untyped.event("app_home_opened")(on_home_opened)


async def _answer(door: FrontDoor, command: Json) -> str:
    words = fields.text(command, "text").split()
    if words and words[0].lower() != "help":
        return UNKNOWN
    team = fields.text(command, "team_id")
    person = identity.person(
        team, fields.text(command, "user_id"), fields.text(command, "user_name")
    )
    place = identity.place(
        team, fields.text(command, "channel_id"), name=fields.text(command, "channel_name")
    )
    try:
        return await door.help(person, place)
    except CountersignError as error:
        reason = type(error).__name__
        log.warning("slack.no_help", extra={"fields": {"reason": reason}})
        return NOT_NOW


async def _greet(
    door: FrontDoor, surface: Surface, api: SlackApi, event: Json, prompts: tuple[Prompt, ...]
) -> None:
    """Once per person: a conversation that has a message in it has been greeted."""
    channel, user = fields.text(event, "channel"), fields.text(event, "user")
    team = fields.text(api.own, "team_id")
    history = await api.read("conversations.history", {"channel": channel, "limit": 1})
    if not channel.startswith("D") or fields.children(history, "messages"):
        return
    person, place = identity.person(team, user), identity.place(team, channel, "im")
    post = Post(
        id=f"greeting:{person.id}",
        turn=TurnId(""),
        surface="slack",
        address={"team": team, "channel": channel, "user": user, "is_dm": "true"},
        kind="private",
        person=person.id,
        answer=Answer(text=await door.help(person, place)),
    )
    await surface.deliver(post, None)
    # With a thread_ts the call silently does nothing in an agent app, Slack's reference says.
    offered = [{"title": title, "message": words} for title, words in prompts[:SHOWN_PROMPTS]]
    await api.write(
        "assistant.threads.setSuggestedPrompts", {"channel_id": channel, "prompts": offered}
    )
