"""A stand-in for Microsoft Entra ID and Microsoft Graph on loopback: the real client libraries run
against it, tests drive it, and the local workspace's mailbox page shows it.

How a client reaches it. MSAL refuses an authority that is not https, so the authority stays
`https://login.microsoftonline.com/<tenant>`, which is also what tokens say, and the `http_client`
that MSAL is given sends what goes to that host to `entra_url`. Only the page that a browser opens
has a loopback address in the metadata. Graph needs nothing of the kind: its base address is
`graph_url`.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from bot.workspace.loopback import Loopback
from bot.workspace.microsoft import planting, seed
from bot.workspace.microsoft.entra import authorize, scopes
from bot.workspace.microsoft.entra.authorize import Agree, Confirm, Pick, Sent
from bot.workspace.microsoft.entra.directory import LOGIN, Directory
from bot.workspace.microsoft.entra.routes import EntraRoutes
from bot.workspace.microsoft.graph import (
    calendar_routes,
    chat_routes,
    drive_routes,
    events,
    mail_routes,
    mails,
    people_routes,
    post,
)
from bot.workspace.microsoft.graph.door import Door
from bot.workspace.microsoft.graph.records import Mail
from bot.workspace.microsoft.graph.uploads import Pieces
from bot.workspace.microsoft.graph.world import Graph
from bot.workspace.microsoft.records import Account, Effect, EffectName, Json, Registration
from bot.workspace.microsoft.tenant import Tenant

BODY_LIMIT = 64 * 2**20
ROUTES = (
    *mail_routes.ROUTES,
    *calendar_routes.ROUTES,
    *drive_routes.ROUTES,
    *chat_routes.ROUTES,
    *people_routes.ROUTES,
)


class MicrosoftStandIn:
    """One tenant with one app. Use it as an async context manager, or `start` and `stop` it.

    `person` is a handle, an address or an object id throughout. With other `accounts` than the
    usual ones nothing can be planted for them. Switches: `entra` and `graph`, whose `faults` fail
    single requests and whose `latency` slows all of them.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        registration: Registration | None = None,
        redirect_uris: Iterable[str] = (),
        accounts: Iterable[Account] = seed.ACCOUNTS,
        clock: Callable[[], float] = time.time,
        is_planted: bool = True,
    ) -> None:
        self.app = registration or Registration()
        self.app.redirect_uris += redirect_uris
        self.tenant = Tenant(accounts, self.app, name=seed.COMPANY, clock=clock)
        self.entra = Directory(self.tenant)
        self.graph = Graph(self.tenant)
        self.graph.on_revoke = self.entra.revoke
        if is_planted:
            planting.plant(self.graph)
        self._loopback = Loopback(port, body_limit=BODY_LIMIT)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen on loopback; the addresses are known afterwards. Raises OSError when the port is
        taken."""
        door = Door(self.graph, self.entra, ROUTES)
        rooms = (door, Pieces(self.graph), EntraRoutes(self.entra))
        await self._loopback.listen([room.add_routes for room in rooms])
        self.tenant.base = self._loopback.base

    async def stop(self) -> None:
        await self._loopback.close()

    # What the client under test needs to know.

    @property
    def entra_url(self) -> str:
        """Where `https://login.microsoftonline.com` is to be found."""
        return self.tenant.base

    @property
    def authority(self) -> str:
        """For MSAL."""
        return f"{LOGIN}/{self.tenant.id}"

    @property
    def graph_url(self) -> str:
        """Graph's base address, with the version."""
        return f"{self.tenant.base}/v1.0"

    # What people do.

    def person(self, person: str) -> Account:
        """Raises KeyError."""
        return self.tenant.account(person)

    def sign_in(self, url: str, person: str, *, accepts: bool = True) -> Sent:
        """Go through the sign-in pages behind this authorize address as this person.

        Returns where the browser is sent with what; raises RuntimeError for a page that leads
        nowhere, such as a block by Conditional Access.
        """
        step = authorize.begin(self.entra, dict(parse_qsl(urlsplit(url).query)), "")
        while not isinstance(step, Sent):
            match step:
                case Pick(problem=""):
                    step = authorize.pick(self.entra, step.attempt, person)
                case Confirm():
                    step = authorize.confirm(self.entra, step.attempt)
                case Agree():
                    step = authorize.agree(self.entra, step.attempt, is_accepted=accepts)
                case Pick():
                    raise RuntimeError(step.problem)
                case _:
                    raise RuntimeError(step.failure.text)
        return step

    def token(self, person: str, scope: str, *, cae: bool = False) -> str:
        """An access token for Graph with these scopes, consented to on the way."""
        account, asked = self.person(person), scopes.read(scope)
        resource, names = scopes.of_one_resource(asked)
        self.entra.consents.grant(account, resource, names)
        return self.entra.access_token(account, resource, names, cae=cae).text

    def register(self, redirect_uri: str) -> None:
        """The app may be answered at this address as well."""
        self.app.redirect_uris.append(redirect_uri)

    def consent(self, person: str, scope: str) -> None:
        """This person has agreed to these scopes before."""
        for resource, names in scopes.read(scope).resources.items():
            self.entra.consents.grant(self.person(person), resource, names)

    def revoke(self, person: str) -> None:
        """An administrator ends all sign-ins of this person."""
        self.entra.revoke(self.person(person))

    # What tests look at.

    def mails(self, person: str, folder: str = "inbox") -> list[Json]:
        """The messages of a folder, the newest first, with their attachments."""
        return [self._shown(mail) for mail in self.graph.mailbox(person).folder(folder)]

    def _shown(self, mail: Mail) -> Json:
        item = mails.shown(self.graph, mail, is_immutable=True)
        return item | {"attachments": mail.attachments}

    def events(self, person: str, zone: str = "UTC") -> list[Json]:
        """The events of a calendar, the earliest first."""
        found = sorted(self.graph.mailbox(person).events.values(), key=events.start_of)
        return [events.shown(self.graph, e, is_immutable=True, zone=zone) for e in found]

    def effects(self, name: EffectName, client_request_id: str = "") -> list[Effect]:
        """What really happened, whatever the caller was told."""
        return [
            effect
            for effect in self.graph.effects
            if effect.name == name and client_request_id in ("", effect.client_request_id)
        ]

    def tick(self) -> int:
        """Let mails that are due go; how many went."""
        return post.settle(self.graph)

    async def wait_for(self, holds: Callable[[], Any], seconds: float = 5.0) -> Any:
        """The first true value of `holds`, looked at after every change. Raises TimeoutError."""
        return await self.tenant.wait_for(holds, seconds)
