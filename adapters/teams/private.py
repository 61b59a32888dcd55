"""Tells one person something that nobody else sees: in their own chat with the bot, or, where
Teams allows it, among the others."""

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
    connector: Connector,
    directory: Directory,
    address: Address,
    shown: list[Json],
    *,
    is_secret: bool = False,
) -> bool:
    """False, logged, where the person cannot be reached alone: it is never said in public.
    `is_secret`: in their own chat and nowhere else."""
    try:
        if not is_secret and await whispered(connector, address, shown):
            return True
        there = await chat(connector, directory, address)
        for one in shown:
            await connector.send(there["service"], there["conversation"], one)
    except DeliveryFailed as error:
        log.info("teams.untold", extra={"fields": {"reason": error.reason}})
        return False
    return True


async def whispered(connector: Connector, address: Address, shown: list[Json]) -> str:
    """The id of the first, where they could be shown to the person alone among the others; empty
    where Teams does not take that. Raises `DeliveryFailed` where it might later."""
    if not connector.is_targeting or address.get("kind", "dm") == "dm":
        return ""
    first = ""
    for one in shown:
        try:
            id = await connector.whisper(
                address["service"], address["conversation"], address["user"], one
            )
        except DeliveryFailed as failure:
            if first or not failure.is_final:
                raise
            log.info("teams.not_targeted", extra={"fields": {"reason": failure.reason}})
            return ""
        first = first or id
    return first
