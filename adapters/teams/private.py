"""Tells one person something that nobody else sees: in their own chat with the bot."""

import logging

from adapters.teams.connector import Connector
from adapters.teams.directory import Directory
from core.errors import DeliveryFailed
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
