"""Answers the commands, typed with a slash or said to the bot, and greets in a first direct
message."""

import logging
import re
from dataclasses import dataclass
from typing import Any, cast

from slack_bolt.async_app import AsyncAck, AsyncApp

from adapters.slack import fields, identity, private
from adapters.slack.admission import Admission
from adapters.slack.api import SlackApi
from adapters.slack.clicks import Spot
from adapters.slack.deciding import Deciding
from adapters.slack.profiles import Profiles
from adapters.slack.render import blocks
from adapters.slack.settings import Prompt
from core.errors import CountersignError
from core.ports import Accounts, FrontDoor, Surface
from core.records import Address, Answer, Json, Person, Post, Question, TurnId

log = logging.getLogger(__name__)
COMMAND = "/countersign"
APPROVALS = "/approvals"
UNKNOWN = f"I do not know that word. `{COMMAND} help` shows what I can do for you here."
NOT_NOW = "I cannot look that up right now. Nothing was lost: please try again in a moment."
NO_ACCOUNTS = "Microsoft accounts cannot be connected here."
NO_APPROVALS = "Nothing waits for anybody here: no call needs an approval."
SHOWN_PROMPTS = 4
_AROUND = " \t\r\n.!?/"
_ACCEPT = re.compile(r"accept\s+`?([a-z][a-z0-9_-]{0,31}/[^\s/`]{1,128})`?", re.IGNORECASE)
"""With the key of the tool that an admin accepts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What the commands are answered from."""

    door: FrontDoor
    api: SlackApi
    admission: Admission
    profiles: Profiles
    deciding: Deciding | None
    accounts: Accounts | None


def register(app: AsyncApp, speech: Speech, surface: Surface, prompts: tuple[Prompt, ...]) -> None:
    """Attach the listeners. They translate; what is true comes from the core."""

    async def on_command(ack: AsyncAck, command: dict[str, Any]) -> None:
        await ack(**await _answer(speech, command), response_type="ephemeral")

    async def on_home_opened(event: dict[str, Any]) -> None:
        if event.get("tab") != "messages":
            return
        try:
            await _greet(speech, surface, event, prompts)
        except CountersignError as error:
            reason = type(error).__name__
            log.warning("slack.no_greeting", extra={"fields": {"reason": reason}})

    async def on_link(ack: AsyncAck) -> None:
        await ack()

    untyped = cast(Any, app)
    untyped.action(private.LINK)(on_link)
    untyped.action(private.CONNECT)(on_link)
    untyped.command(COMMAND)(on_command)
    untyped.command(APPROVALS)(on_command)
    untyped.event("app_home_opened")(on_home_opened)


async def said_to(speech: Speech, question: Question) -> bool | None:
    """Answer a mention that is a command, privately. None where it is a question; False, so that
    Slack delivers it again, where the person could not be told. Repeating it is harmless."""
    word = question.text.strip(_AROUND).lower()
    is_known = (
        word == "usage"
        or (word == "approvals" and speech.deciding is not None)
        or (word in ("connect", "disconnect") and speech.accounts is not None)
        or _ACCEPT.fullmatch(word) is not None
    )
    if question.files or not is_known:
        return None
    said = await _said(
        speech, question.text.strip(_AROUND), question.person, dict(question.address)
    )
    return await private.tell(speech.api, spot_of(question), said)


def spot_of(question: Question) -> Spot:
    """Where the one who wrote it can be told something alone."""
    address = question.address
    is_begun = address["thread_ts"] != address["message_ts"]
    return Spot(
        user=address["user"],
        team=address["team"],
        channel=address["channel"],
        thread_ts=address["thread_ts"] if is_begun else "",
    )


async def _answer(speech: Speech, command: Json) -> Json:
    """`text` and `blocks` for the one who typed it."""
    typed = fields.text(command, "text").strip() or "help"
    typed = "approvals" if fields.text(command, "command") == APPROVALS else typed
    word = typed.split()[0].lower()
    team, channel = fields.text(command, "team_id"), fields.text(command, "channel_id")
    user = fields.text(command, "user_id")
    person = identity.person(team, user, fields.text(command, "user_name"))
    try:
        if fault := await speech.admission.fault(user):
            return _message(fault)
        if word == "help":
            place = identity.place(team, channel, name=fields.text(command, "channel_name"))
            return _message(await speech.door.help(person, place))
        spot = Spot(user=user, team=team, channel=channel)
        hook = fields.text(command, "response_url")
        return await _said(speech, typed, person, spot.address, hook)
    except CountersignError as error:
        reason = type(error).__name__
        log.warning("slack.no_answer", extra={"fields": {"word": word[:20], "reason": reason}})
        return _message(NOT_NOW)


async def _said(
    speech: Speech, typed: str, person: Person, address: Address, hook: str = ""
) -> Json:
    """Raises `CountersignError` where it cannot be looked up."""
    if accepting := _ACCEPT.fullmatch(typed):
        return _message(await speech.door.accept_tool(person, accepting[1]))
    match typed.split()[0].lower():
        case "usage":
            return _message(await speech.door.usage(await speech.profiles.fill(person)))
        case "accept":
            return _message(f"Write `{COMMAND} accept SERVER/TOOL`.")
        case "approvals":
            if speech.deciding is None:
                return _message(NO_APPROVALS)
            return await speech.deciding.listed(person.id, address["channel"], hook)
        case "connect" | "disconnect" if speech.accounts is None:
            return _message(NO_ACCOUNTS)
        case "connect" if speech.accounts is not None:
            return private.verdict(await speech.accounts.connect(person.id, address))
        case "disconnect" if speech.accounts is not None:
            return private.sentence(await speech.accounts.disconnect(person.id))
        case _:
            return _message(UNKNOWN)


def _message(shown: str) -> Json:
    message = blocks.render(Answer(text=shown)).messages[0]
    return {"text": message.text, "blocks": list(message.blocks)}


async def _greet(
    speech: Speech, surface: Surface, event: Json, prompts: tuple[Prompt, ...]
) -> None:
    """Once per person: a conversation that has a message in it has been greeted."""
    api, admission = speech.api, speech.admission
    channel, user = fields.text(event, "channel"), fields.text(event, "user")
    team = fields.text(api.own, "team_id")
    history = await api.read("conversations.history", {"channel": channel, "limit": 1})
    if not channel.startswith("D") or fields.children(history, "messages"):
        return
    if await admission.fault(user):
        return
    person, place = identity.person(team, user), identity.place(team, channel, "im")
    post = Post(
        id=f"greeting:{person.id}",
        turn=TurnId(""),
        surface="slack",
        address={"team": team, "channel": channel, "user": user, "is_dm": "true"},
        kind="private",
        person=person.id,
        answer=Answer(text=await speech.door.help(person, place)),
    )
    await surface.deliver(post, None)
    # With a thread_ts the call silently does nothing in an agent app, Slack's reference says.
    offered = [{"title": title, "message": words} for title, words in prompts[:SHOWN_PROMPTS]]
    await api.write(
        "assistant.threads.setSuggestedPrompts", {"channel_id": channel, "prompts": offered}
    )
