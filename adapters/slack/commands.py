"""Answers the commands, typed with a slash or said to the bot, and greets in a first direct
message."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from slack_bolt.async_app import AsyncAck, AsyncApp

from adapters.slack import direct, fields, identity, private, upload
from adapters.slack.admission import Admission
from adapters.slack.api import SlackApi
from adapters.slack.clicks import Spot
from adapters.slack.deciding import Deciding
from adapters.slack.profiles import Profiles
from adapters.slack.render import blocks
from adapters.slack.render.panels import message as shown
from adapters.slack.settings import Prompt
from core import panels
from core.errors import CountersignError
from core.panels import Order, Panel
from core.ports import Accounts, FrontDoor, Surface
from core.records import Address, Answer, Json, Post, Question, TurnId

log = logging.getLogger(__name__)
COMMAND = "/countersign"
APPROVALS = "/approvals"
USAGE = "/usage"
UNKNOWN = f"I do not know that word. `{COMMAND} help` shows what I can do for you here."
NOT_NOW = "I cannot look that up right now. Nothing was lost: please try again in a moment."
FILE = "is in our direct messages."
NO_ACCOUNTS = "Microsoft accounts cannot be connected here."
NO_APPROVALS = "Nothing waits for anybody here: no call needs an approval."
SHOWN_PROMPTS = 4
_AROUND = " \t\r\n.!?/"
OWN_WORDS = frozenset({"approvals", "connect", "disconnect"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What the commands are answered from."""

    door: FrontDoor
    api: SlackApi
    admission: Admission
    profiles: Profiles
    deciding: Deciding | None
    accounts: Accounts | None


Opened = Callable[[Speech, Json], Awaitable[None]]


def register(
    app: AsyncApp,
    speech: Speech,
    surface: Surface,
    prompts: tuple[Prompt, ...],
    home_opened: Opened,
) -> None:
    """Attach the listeners. They translate; what is true comes from the core. `home_opened` is
    called when somebody looks at the App Home."""

    async def on_command(ack: AsyncAck, command: dict[str, Any]) -> None:
        await ack(**await _answer(speech, command), response_type="ephemeral")

    async def on_home_opened(event: dict[str, Any]) -> None:
        if event.get("tab") != "messages":
            await home_opened(speech, event)
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
    untyped.command(USAGE)(on_command)
    untyped.event("app_home_opened")(on_home_opened)


async def said_to(speech: Speech, question: Question) -> bool | None:
    """Answer a mention that is a command, privately. None where it is a question; False, so that
    Slack delivers it again, where the person could not be told. Repeating it is harmless."""
    words = question.text.strip(_AROUND)
    first = words.split()[0].lower() if words else ""
    if question.files or not (words.lower() in _own_words(speech) or first in panels.WORDS):
        return None
    order = Order(person=question.person, place=question.place, words=words, thread=question.thread)
    said = await carried(speech, order, dict(question.address), asked=question.delivery)
    return None if said is None else await private.tell(speech.api, spot_of(question), said)


def _own_words(speech: Speech) -> frozenset[str]:
    """Those of the words that mean something here."""
    lacking = {"approvals"} if speech.deciding is None else set[str]()
    lacking |= {"connect", "disconnect"} if speech.accounts is None else set()
    return OWN_WORDS - lacking


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
    match fields.text(command, "command"):
        case "/approvals":
            typed = "approvals"
        case "/usage":
            typed = f"usage {fields.text(command, 'text')}".strip()
        case _:
            pass
    word = typed.split()[0].lower()
    team, channel = fields.text(command, "team_id"), fields.text(command, "channel_id")
    user = fields.text(command, "user_id")
    person = identity.person(team, user, fields.text(command, "user_name"))
    try:
        if fault := await speech.admission.fault(user):
            return _message(fault)
        place = identity.place(team, channel, name=fields.text(command, "channel_name"))
        if word == "help":
            return _message(await speech.door.help(person, place))
        spot = Spot(user=user, team=team, channel=channel)
        order = Order(person=person, place=place, words=typed, is_typed=True)
        hook = fields.text(command, "response_url")
        return await carried(speech, order, spot.address, hook) or _message(UNKNOWN)
    except CountersignError as error:
        reason = type(error).__name__
        log.warning("slack.no_answer", extra={"fields": {"word": word[:20], "reason": reason}})
        return _message(NOT_NOW)


async def carried(
    speech: Speech, order: Order, address: Address, hook: str = "", *, asked: str = ""
) -> Json | None:
    """What the one who gave the order is shown; None where its words are no order. `hook` is an
    address through which that can be changed later, `asked` names an order that has none. Raises
    `CountersignError` where it cannot be looked up."""
    person = order.person
    match order.words.split()[0].lower():
        case "approvals":
            if speech.deciding is None:
                return _message(NO_APPROVALS)
            if hook:
                return await speech.deciding.listed(person.id, address["channel"], hook)
            # Slack lets nobody change such a message afterwards, so no card may stand in it.
            return private.sentence(await speech.deciding.show(person.id, asked))
        case "connect" | "disconnect" if speech.accounts is None:
            return _message(NO_ACCOUNTS)
        case "connect" if speech.accounts is not None:
            return private.verdict(await speech.accounts.connect(person.id, address))
        case "disconnect" if speech.accounts is not None:
            return private.sentence(await speech.accounts.disconnect(person.id))
        case _:
            panel = await ordered(speech, order)
            return None if panel is None else shown(panel)


async def ordered(speech: Speech, order: Order) -> Panel | None:
    """The core's own words, with the person as Slack knows them; a file goes to their own chat
    with the bot, where nobody else sees it."""
    if order.words.split()[0].lower() not in panels.WORDS:
        return None
    person = await speech.profiles.fill(order.person)
    panel = await speech.door.order(replace(order, person=person))
    if panel is None or panel.file is None:
        return panel
    _, _, user = person.id.rpartition("/")
    there = await direct.address(speech.api, order.place.tenant, user)
    await upload.into(speech.api, there, panel.file.name, panel.file.content)
    return replace(panel, text=f"{panel.text}\n\n_`{panel.file.name}` {FILE}_")


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
