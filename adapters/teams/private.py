"""Tells one person something that nobody else sees: in their own chat with the bot."""

import logging

from adapters.teams.connector import Connector
from adapters.teams.directory import Directory
from adapters.teams.render import messages, tables
from adapters.teams.render.effect import line, run
from core.errors import DeliveryFailed
from core.parked import Verdict
from core.records import Address, Json, PersonId

log = logging.getLogger(__name__)


async def chat(connector: Connector, directory: Directory, address: Address) -> Address:
    """The address of the one-to-one chat with the person whose address this is. Raises
    `DeliveryFailed`, final where the person has not got the bot."""
    if address["kind"] == "dm":
        return address
    who = PersonId(f"teams:{address['tenant']}/{address['oid']}")
    known = await directory.of(who)
    conversation = known.conversation if known else ""
    if not conversation:
        conversation = await connector.create(
            address["service"], address["tenant"], address["bot"], address["user"]
        )
        await directory.chat(who, conversation)
    return {**address, "conversation": conversation, "message": "", "kind": "dm"}


async def tell(
    connector: Connector, directory: Directory, address: Address, shown: list[Json]
) -> bool:
    """False, logged, where the person cannot be reached alone: it is never said in public."""
    try:
        there = await chat(connector, directory, address)
        for one in shown:
            await connector.send(there["service"], there["conversation"], one)
    except DeliveryFailed as error:
        log.info("teams.untold", extra={"fields": {"reason": error.reason}})
        return False
    return True


def verdict(found: Verdict) -> Json:
    """The sentence, with the link of an account for the one person that it was made for."""
    if found.kind != "connect" or not found.url:
        return messages.message(messages.sentence(found.sentence))
    # On loopback a sign-in is on plain http.
    button: Json = {"type": "Action.OpenUrl", "title": "Connect account", "url": found.url}
    card = tables.card([line(run(found.sentence))], [button])
    return {"type": "message", "attachments": [tables.attachment(card)]}
