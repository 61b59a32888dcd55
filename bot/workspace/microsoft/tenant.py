"""The state that Entra and Graph share: people, time, what happened, who watches."""

import asyncio
import secrets
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from bot.workspace.microsoft.records import TENANT_ID, Account, Change, Registration

Listener = Callable[[Change], None]


class Tenant:
    """Everything in memory. One asyncio loop owns it; there are no locks because no method awaits
    between reading and writing."""

    def __init__(
        self,
        accounts: Iterable[Account],
        registration: Registration,
        *,
        name: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.id, self.name, self.clock = TENANT_ID, name, clock
        self.registration = registration
        self.accounts = {account.oid: account for account in accounts}
        self.service = Account(
            name=registration.client_id,
            upn=f"{registration.client_id}@apps",
            display_name=registration.name,
        )
        """The app itself, where it asks in nobody's name."""
        self.groups: dict[str, list[str]] = {}
        """Per group, the object ids of its members."""
        self.base = ""
        """The stand-in's own address, without a trailing slash; set when it listens."""
        self.page = ""
        """The address of the page that shows what lies here, without a trailing slash."""
        self.valid_from: dict[str, int] = {}
        """Per object id, from which number on sign-ins count: everything earlier was revoked."""
        self.listeners: list[Listener] = []
        self._numbers = 0
        self._news = asyncio.Event()

    @property
    def domains(self) -> frozenset[str]:
        """The mail domains of its people, in lower case."""
        return frozenset(one.upn.rpartition("@")[2].lower() for one in self.accounts.values())

    def account(self, who: str) -> Account:
        """By handle, object id, or address. Raises KeyError."""
        wanted = who.lower()
        for account in (*self.accounts.values(), self.service):
            if wanted in (account.name, account.oid, account.upn.lower()):
                return account
        raise KeyError(who)

    def find(self, who: str) -> Account | None:
        try:
            return self.account(who)
        except KeyError:
            return None

    def link(self, view: str, item: str) -> str:
        """Where a person can look at an item."""
        return f"{self.page or self.base}/outlook#{view}/{item}"

    def next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def publish(self, kind: str, person: str = "") -> None:
        """Tell every listener, and wake whoever waits."""
        for listener in tuple(self.listeners):
            listener(Change(kind=kind, person=person))
        self._news.set()
        self._news = asyncio.Event()

    async def wait_for(self, holds: Callable[[], Any], seconds: float = 5.0) -> Any:
        """The first true value of `holds`, looked at after every change. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not (found := holds()):
                await self._news.wait()
            return found


def new_guid() -> str:
    return str(uuid.UUID(bytes=secrets.token_bytes(16), version=4))
