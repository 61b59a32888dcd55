"""Knows whether somebody belongs to the organisation, as Teams' list of members says."""

import logging
from dataclasses import dataclass

from adapters import fields
from adapters.teams import identity
from adapters.teams.connector import Connector
from core.errors import DeliveryFailed
from core.ports import Clock
from core.records import Address

log = logging.getLogger(__name__)
KEPT_SECONDS = 86_400.0
MOST = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    is_outsider: bool
    mail: str
    name: str


class Roster:
    """Kept in memory for a day. What is older still counts where Teams does not answer."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._clock = clock
        self._known: dict[str, tuple[float, Standing]] = {}

    async def of(self, address: Address) -> Standing | None:
        """Of the person whose activity had this address; None where Teams does not say."""
        key = f"{address['tenant']}/{address['oid']}"
        now = self._clock()
        read_at, known = self._known.get(key, (0.0, None))
        if known is not None and now - read_at < KEPT_SECONDS:
            return known
        try:
            member = await self._connector.member(
                address["service"], address["conversation"], address["user"]
            )
        except DeliveryFailed as error:
            log.info("teams.no_member", extra={"fields": {"reason": error.reason}})
            return known
        home = fields.text(member, "tenantId").lower()
        found = Standing(
            is_outsider=fields.text(member, "userRole").lower() == "guest"
            or bool(home and home != address["tenant"])
            or fields.text(member, "aadObjectId").lower() != address["oid"],
            mail=fields.text(member, "email").lower(),
            name=identity.name(fields.text(member, "name")),
        )
        self._known.pop(key, None)
        self._known[key] = (now, found)
        for old in list(self._known)[: max(0, len(self._known) - MOST)]:
            del self._known[old]
        return found
