"""The local workspace: the stand-ins for Slack, Teams and Microsoft 365."""

from contextlib import AsyncExitStack
from typing import Self

from bot.workspace.inside import Reader
from bot.workspace.microsoft.page import OutlookPage
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from bot.workspace.page import Page
from bot.workspace.shared import share
from bot.workspace.sights import HINTS
from bot.workspace.slack.records import App
from bot.workspace.slack_server import SlackStandIn
from bot.workspace.teams.page import TeamsPage
from bot.workspace.teams_server import TeamsStandIn
from bot.workspace.trouble import Troubles
from bot.workspace.trouble_page import TroublePage
from core.errors import Misconfigured

CALLBACKS = ("http://127.0.0.1/connect/callback", "http://localhost/connect/callback")
"""Where the bot takes people back after a sign-in; the port does not matter on loopback."""


class LocalWorkspace:
    """Start it, give its `slack.app` credentials and `slack.api_url` to the bot, then `connect`
    it to the bot's address for events. `microsoft` plays Entra ID and Graph on a port of its own;
    the mailboxes are shown beside the Slack page, and `troubles` makes both fail."""

    def __init__(self, *, port: int = 0, app: App | None = None) -> None:
        self.slack = SlackStandIn(port=port, app=app)
        self._page = Page(self.slack)
        self.microsoft = MicrosoftStandIn(redirect_uris=CALLBACKS)
        self._outlook = OutlookPage(self.microsoft)
        self.teams = TeamsStandIn(tenant=self.microsoft.tenant.id)
        self.teams.assertion = self._assertion
        self.teams.sso_resource = f"api://botid-{self.microsoft.app.client_id}"
        share(self.teams, self.microsoft)
        self.troubles = Troubles(self.slack, self.microsoft)
        self._switches = TroublePage(self.troubles)
        self._teams_page = TeamsPage(self.teams)
        pages = (self._page, self._outlook, self._switches, self._teams_page)
        self.slack.more_routes += [page.add_routes for page in pages]

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Raises `Misconfigured` when the port is taken."""
        try:
            await self.slack.start()
        except OSError as error:
            raise Misconfigured(
                f"The local workspace cannot have its port: {error.strerror}. Is Countersign"
                " running already? If not, set COUNTERSIGN_WORKSPACE_PORT to another."
            ) from error
        await self.microsoft.start()
        await self.teams.start()
        self.microsoft.tenant.page = self.slack.base

    async def stop(self) -> None:
        async with AsyncExitStack() as stopping:
            for stand_in in (self.microsoft, self.teams, self.slack):
                stopping.push_async_callback(stand_in.stop)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"{self.slack.base}/"

    @property
    def mail_url(self) -> str:
        """The address of the mailboxes."""
        return f"{self.slack.base}/outlook"

    def _assertion(self, oid: str) -> str:
        """What Entra gives Teams for a person; empty for a guest, whom it does not know."""
        account = self.microsoft.tenant.find(oid)
        return self.microsoft.entra.sso_token(account) if account else ""

    def connect(self, events_url: str, messages_url: str) -> None:
        """From now on the app is at these addresses: for Slack, for Teams."""
        self.slack.connect(events_url)
        self.teams.connect(messages_url)

    def look_inside(self, read: Reader) -> None:
        """From now on the page shows what happened inside an answer, as `read` tells it."""
        self._page.inside = read

    def greeting(self) -> str:
        """Printed once the bot is up: where the page is, and what to try."""
        tries = "\n".join(f"  @{self.slack.app.name} {hint}" for hint in HINTS)
        return (
            f"\nCountersign is up. Open the local workspace: {self.url}\n"
            f"Nothing leaves this machine. Three things to try:\n{tries}\n\nCtrl-C stops it.\n"
        )
