"""Who has agreed to what: each person for themselves, an administrator for everybody."""

from collections.abc import Iterable

from bot.workspace.microsoft.entra.scopes import ADMIN_ONLY, DEFAULT, Asked
from bot.workspace.microsoft.records import Account

EVERYBODY = ""


class Consents:
    def __init__(self) -> None:
        self._granted: dict[tuple[str, str], set[str]] = {}
        """By object id (or EVERYBODY) and resource."""
        self.is_admin_needed = False
        """The tenant lets nobody but administrators agree to anything."""
        self.admin_only = set(ADMIN_ONLY)

    def granted(self, account: Account, resource: str) -> frozenset[str]:
        own = self._granted.get((account.oid, resource), set())
        return frozenset(own | self._granted.get((EVERYBODY, resource), set()))

    def missing(self, account: Account, asked: Asked) -> dict[str, frozenset[str]]:
        """Per resource, what this person has still to agree to. `.default` asks for nothing once
        anything was granted."""
        found = {
            resource: names - self.granted(account, resource) - {DEFAULT}
            for resource, names in asked.resources.items()
        }
        return {resource: names for resource, names in found.items() if names}

    def needs_admin(self, account: Account, missing: dict[str, frozenset[str]]) -> bool:
        if account.is_admin or not missing:
            return False
        return self.is_admin_needed or any(names & self.admin_only for names in missing.values())

    def grant(self, account: Account, resource: str, names: Iterable[str]) -> None:
        self._granted.setdefault((account.oid, resource), set()).update(names)

    def grant_for_everybody(self, resource: str, names: Iterable[str]) -> None:
        self._granted.setdefault((EVERYBODY, resource), set()).update(names)

    def withdraw(self, account: Account, *names: str) -> None:
        """Take back these short names of every resource, all of them when none is given; what an
        administrator granted for everybody stays."""
        for (oid, _), granted in self._granted.items():
            if oid == account.oid:
                granted.difference_update(names or set(granted))

    def withdraw_for_everybody(self) -> None:
        for (oid, _), granted in self._granted.items():
            if oid == EVERYBODY:
                granted.clear()
