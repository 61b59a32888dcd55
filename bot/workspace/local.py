"""The local workspace: the stand-in for Slack with its page, on one loopback port."""

from typing import Self

from bot.workspace.page import Page
from bot.workspace.sights import HINTS
from bot.workspace.slack.records import App
from bot.workspace.slack_server import SlackStandIn
from core.errors import Misconfigured


class LocalWorkspace:
    """Start it, give its `slack.app` credentials and `slack.api_url` to the bot, then `connect`
    it to the bot's address for events."""

    def __init__(self, *, port: int = 0, app: App | None = None) -> None:
        self.slack = SlackStandIn(port=port, app=app)
        self._page = Page(self.slack)
        self.slack.more_routes.append(self._page.add_routes)

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

    async def stop(self) -> None:
        await self.slack.stop()

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"{self.slack.base}/"

    def connect(self, events_url: str) -> None:
        """From now on the app is at this address."""
        self.slack.connect(events_url)

    def greeting(self) -> str:
        """Printed once the bot is up: where the page is, and what to try."""
        tries = "\n".join(f"  @{self.slack.app.name} {hint}" for hint in HINTS)
        return (
            f"\nCountersign is up. Open the local workspace: {self.url}\n"
            f"Nothing leaves this machine. Three things to try:\n{tries}\n\nCtrl-C stops it.\n"
        )
