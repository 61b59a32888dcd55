"""Answers the commands that are said to the bot, and greets in a first chat."""

import logging
from dataclasses import dataclass

from adapters.teams import identity, inbound, private
from adapters.teams.connector import Connector
from adapters.teams.deciding import Deciding
from adapters.teams.directory import Directory
from adapters.teams.render import messages, signin
from adapters.teams.uploads import Uploads
from core.ports import Accounts, FrontDoor
from core.records import Address, Answer, Json, PersonId, Question, Stop

log = logging.getLogger(__name__)
STOPS = frozenset({"stop", "cancel", "stopp", "halt", "abort"})
WORDS = frozenset({"approvals", "connect", "disconnect"}) | STOPS
STOPPED = "Stopped."
NOTHING_RUNS = "Nothing of yours is running here."
NO_ACCOUNTS = "Microsoft accounts cannot be connected here."
NO_APPROVALS = "Nothing waits for anybody here: no call needs an approval."
HERE = (
    "You asked that where only I could see it, and an answer there would be seen by all. Ask me "
    "here instead, or mention me there."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What the commands are answered from."""

    door: FrontDoor
    connector: Connector
    directory: Directory
    uploads: Uploads
    deciding: Deciding | None
    accounts: Accounts | None
    sso_resource: str = ""


def is_known(speech: Speech, question: Question) -> bool:
    return not question.files and _word(question) in WORDS


async def said_to(speech: Speech, question: Question) -> bool:
    """Answer a message that is a command, to the person alone. False, so that it is delivered
    again, where they could not be told. Repeating it is harmless. Raises `CountersignError`."""
    shown = await _said(speech, question)
    is_secret = _word(question) == "connect"
    return await private.tell(
        speech.connector, speech.directory, question.address, shown, is_secret=is_secret
    )


async def not_in_public(speech: Speech, question: Question) -> bool:
    """What was asked in private is not answered in public; otherwise as `said_to`."""
    return await private.tell(speech.connector, speech.directory, question.address, [_plain(HERE)])


async def greet(speech: Speech, activity: Json, tenant: str) -> None:
    """Raises `CountersignError`."""
    person = identity.person(activity, tenant)
    conversation = identity.conversation(activity)
    if person is None:
        return
    place = identity.place(activity, tenant)
    address = inbound.address(activity, place, conversation)
    shown = messages.render(Answer(text=await speech.door.help(person, place)))
    await private.tell(speech.connector, speech.directory, address, shown)


def _word(question: Question) -> str:
    return question.text.strip(" \t\r\n.!?/").lower()


async def _said(speech: Speech, question: Question) -> list[Json]:
    word = _word(question)
    if word in STOPS:
        return [_plain(STOPPED if await speech.door.stop(_stop(question)) else NOTHING_RUNS)]
    return await answered(
        speech, word, question.person.id, question.address, asked=question.delivery
    )


async def answered(
    speech: Speech, word: str, person: PersonId, address: Address, *, asked: str
) -> list[Json]:
    """What a word of the adapter's own leads to; `asked` names this one wish. Raises
    `CountersignError`."""
    match word:
        case "approvals":
            if speech.deciding is None:
                return [_plain(NO_APPROVALS)]
            return [_plain(await speech.deciding.show(person, asked))]
        case _ if speech.accounts is None:
            return [_plain(NO_ACCOUNTS)]
        case "connect":
            # The link is for one person: what follows the sign-in is said in their chat as well.
            there = await private.chat(speech.connector, speech.directory, address)
            link = await speech.accounts.connect(person, there)
            return [signin.verdict(link, speech.sso_resource)]
        case _:
            return [_plain(await speech.accounts.disconnect(person))]


def _stop(question: Question) -> Stop:
    """Inside a thread the word means that thread; as a first message of a channel, whatever the
    person asked for in this place."""
    conversation, message = question.address["conversation"], question.address["message"]
    is_first = question.place.kind == "public" and conversation.endswith(f"={message}")
    return Stop(
        place=question.place.id,
        person=question.person.id,
        thread=None if is_first else question.thread,
    )


def _plain(said: str) -> Json:
    return messages.message(messages.sentence(said))
