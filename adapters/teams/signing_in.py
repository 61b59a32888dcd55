"""Answers Teams about a sign-in: a token of the person, the end of a browser's, or a failure."""

import logging
import re
from dataclasses import dataclass

from adapters import fields
from adapters.recent import Recent
from adapters.teams import identity, inbound, private
from adapters.teams.connector import Connector
from adapters.teams.directory import Directory
from adapters.teams.render import messages
from core.ports import Accounts
from core.records import Address, Json, PersonId

log = logging.getLogger(__name__)
EXCHANGE = "signin/tokenExchange"
VERIFY = "signin/verifyState"
FAILURE = "signin/failure"
KNOWN = frozenset({EXCHANGE, VERIFY, FAILURE})
LONGEST = 16_384
NOT_SIGNED_IN = (
    "Teams could not sign you in by itself ({code}). Nothing was connected: write **connect** for "
    "a link that takes you to the sign-in."
)
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    status: int
    body: Json


class SigningIn:
    def __init__(
        self, accounts: Accounts | None, connector: Connector, directory: Directory
    ) -> None:
        self._accounts = accounts
        self._connector = connector
        self._directory = directory
        self._recent = Recent()

    async def answer(self, name: str, activity: Json, tenant: str) -> Said:
        value = fields.child(activity, "value")
        address = inbound.address(
            activity, identity.place(activity, tenant), identity.conversation(activity)
        )
        match name:
            case "signin/tokenExchange":
                return await self._exchange(value, activity, tenant, address)
            case "signin/failure":
                await self._failed(value, address)
            case _:
                # The browser has told us itself by the time Teams says that it was closed.
                log.info("teams.sign_in_closed")
        return Said(status=200, body={})

    async def token(self, person: PersonId, token: str, address: Address) -> str:
        """Connect by a token that Teams got for the person; the sentence for them, empty where
        it did not work. Never raises."""
        if self._accounts is None or not 0 < len(token) <= LONGEST:
            return ""
        found = await self._accounts.exchange(person, token, address)
        return found.sentence if found.kind == "recorded" else ""

    async def _exchange(self, value: Json, activity: Json, tenant: str, address: Address) -> Said:
        """412 once more for every device is no loss: Teams shows the button then."""
        id = fields.text(value, "id")
        body: Json = {"id": id, "connectionName": fields.text(value, "connectionName")}

        person = identity.person(activity, tenant)

        async def exchanged() -> bool:
            token = fields.text(value, "token")
            return person is not None and bool(await self.token(person.id, token, address))

        if await self._recent.taken(f"{address['oid']}/{id}", exchanged):
            return Said(status=200, body=body)
        reason = {"failureDetail": "The token could not be exchanged: use the button."}
        return Said(status=412, body=body | reason)

    async def _failed(self, value: Json, address: Address) -> None:
        given = fields.text(value, "code")
        code = given if _CODE.fullmatch(given) else "no reason given"
        log.warning("teams.sign_in_failed", extra={"fields": {"code": code}})
        told = [messages.message(NOT_SIGNED_IN.format(code=code))]
        await private.tell(self._connector, self._directory, address, told)
