"""The state of the Graph stand-in: mailboxes, drives, chats, what really happened."""

import secrets
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

from bot.workspace.faults import Faults
from bot.workspace.microsoft.graph.records import Chat, Drive, Mailbox, OutsideMail, Upload
from bot.workspace.microsoft.records import Account, Effect, EffectName, Fault, Request
from bot.workspace.microsoft.tenant import Tenant


class Graph:
    """What tests switch is public; nothing in here knows HTTP."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.mailboxes = {a.oid: Mailbox(account=a) for a in tenant.accounts.values()}
        self.drives = {
            a.oid: Drive(id=f"b!{secrets.token_urlsafe(24)}", account=a)
            for a in (*tenant.accounts.values(), tenant.service)
        }
        """The app's own is the site of the teams."""
        self.shared: dict[str, tuple[str, str]] = {}
        """By the address at which people know a file: the drive's owner and the item."""
        self.sites: dict[str, Account] = {}
        """By the id of a site: whose drive is its library."""
        self.chats: dict[str, Chat] = {}
        self.teams: dict[str, str] = {}
        """Names of teams by their ids."""
        self.uploads: dict[str, Upload] = {}
        """By the secret part of their address."""
        self.downloads: dict[str, tuple[str, str]] = {}
        """By the secret part of their address: the drive's owner and the item."""
        self.changes: dict[str, dict[str, str]] = {}
        """By the token of a list of changes: what it showed, item → version."""
        self.allows_anonymous_links = False
        """Many tenants switch off links that work for anyone."""
        self.outside: list[OutsideMail] = []
        """Mails to people of other organisations."""
        self.effects: list[Effect] = []
        self.requests: list[Request] = []
        self.faults: Faults[Fault] = Faults()
        """The name of a request is `METHOD /path` without the version."""
        self.latency = 0.0
        """Seconds that every answer takes."""
        self.send_seconds = 0.0
        """From 202 until a mail leaves the outbox."""
        self.on_revoke: Callable[[Account], None] = lambda _: None
        """Told when somebody ends all their sign-ins; Entra listens."""
        self.transaction_seconds = 86_400.0
        """How long a calendar remembers a transactionId; Microsoft does not say."""

    def mailbox(self, who: str) -> Mailbox:
        """Raises KeyError."""
        return self.mailboxes[self.tenant.account(who).oid]

    def drive(self, who: str) -> Drive:
        """Raises KeyError."""
        return self.drives[self.tenant.account(who).oid]

    def stamp(self) -> str:
        """Now, as Graph writes times."""
        return stamped(self.tenant.clock())

    def note(
        self,
        name: EffectName,
        person: Account,
        subject: str,
        item: str,
        *,
        request_id: str = "",
        client_request_id: str = "",
    ) -> None:
        """Something has changed for good."""
        self.effects.append(
            Effect(
                name=name,
                person=person.name,
                subject=subject,
                item=item,
                request_id=request_id,
                client_request_id=client_request_id,
                at=self.tenant.clock(),
            )
        )
        self.tenant.publish(name.partition(".")[0])

    def counted(self, name: EffectName) -> Counter[str]:
        """How often it happened for each `client-request-id`."""
        return Counter(e.client_request_id for e in self.effects if e.name == name)


def stamped(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
