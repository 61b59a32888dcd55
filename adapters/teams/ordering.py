"""Takes orders that are said to the bot or typed by a button of a panel, and answers with what
they lead to."""

import asyncio
import logging
from dataclasses import replace

from adapters import fields
from adapters.teams import commands, identity, inbound, private
from adapters.teams.commands import Speech
from adapters.teams.render import panels
from core.errors import CountersignError
from core.panels import WORDS, Order, Panel
from core.records import Address, Json, PersonId, Question

log = logging.getLogger(__name__)
AGAIN = "That could not be looked up, and nothing has changed. Please try again."
UNKNOWN = "I do not know that word here any more."
FILE = "waits for your yes in our own chat."
SECONDS = 6.0
LONGEST = 2_000
OUTSIDE = frozenset({"approvals", "connect", "disconnect"})
"""Words that a button may type and that are no orders of the core."""


def may_be_one(question: Question) -> bool:
    """Whether it begins like an order; it may be a question all the same."""
    words = question.text.split()
    return bool(words) and not question.files and words[0].lower().lstrip("/") in WORDS


async def said(speech: Speech, question: Question) -> list[Json] | None:
    """What the person is shown; None where it is a question. Raises `CountersignError`."""
    order = Order(
        person=question.person,
        place=question.place,
        words=question.text.strip(" \t\r\n.!?/"),
        thread=question.thread,
    )
    panel = await _ordered(speech, order, question.address)
    return None if panel is None else [panels.message(panel)]


def is_ours(activity: Json) -> bool:
    """Whether a button of a panel was pressed."""
    return fields.text(_action(activity), "verb") == panels.VERB


async def pressed(speech: Speech, activity: Json, tenant: str) -> Json | str:
    """The card that takes the place of the one that was pressed, or a sentence. The person comes
    from the verified activity and never from what the card carries."""
    given = fields.child(_action(activity), "data")
    words = fields.text(given, "words")[:LONGEST]
    person, conversation = identity.person(activity, tenant), identity.conversation(activity)
    if person is None or not words or not identity.is_conversation(conversation):
        return UNKNOWN
    if question := fields.text(given, "confirm"):
        return panels.sure("Yes", words, question[:LONGEST])
    place = identity.place(activity, tenant)
    try:
        async with asyncio.timeout(SECONDS):
            address = inbound.address(activity, place, conversation)
            if words in OUTSIDE:
                return await _outside(speech, words, person.id, address, _id(activity))
            order = Order(person=person, place=place, words=words, is_typed=True)
            panel = await _ordered(speech, order, address)
    except (CountersignError, TimeoutError) as failure:
        log.warning("teams.no_order", extra={"fields": {"reason": type(failure).__name__}})
        return AGAIN
    return UNKNOWN if panel is None else panels.content(panel)


async def _ordered(speech: Speech, order: Order, address: Address) -> Panel | None:
    """A file waits in their own chat, where Teams lets it be handed over."""
    panel = await speech.door.order(order)
    if panel is None or panel.file is None:
        return panel
    await speech.uploads.propose(panel.file, order, address)
    return replace(panel, text=f"{panel.text}\n`{panel.file.name}` {FILE}", file=None)


async def _outside(
    speech: Speech, words: str, person: PersonId, address: Address, asked: str
) -> Json:
    """Words of the adapter's own are answered in the chat, below the card."""
    shown = await commands.answered(speech, words, person, address, asked=asked)
    await private.tell(speech.connector, speech.directory, address, shown)
    return panels.content(Panel(text="It is below, in our own chat."))


def _id(activity: Json) -> str:
    return fields.text(activity, "id")


def _action(activity: Json) -> Json:
    return fields.child(fields.child(activity, "value"), "action")
