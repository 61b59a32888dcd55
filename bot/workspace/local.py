"""The local workspace as the bot starts it: the stand-in, its page, and what to try first."""

from types import TracebackType

from bot.settings import Slack
from bot.workspace.slack_server import SlackStandIn

TRY = (
    "@Countersign what did we sell per region in Q3?",
    "@Countersign which orders did Brightwater Rentals place?",
    "@Countersign put the sales per product into a spreadsheet",
)


class LocalWorkspace:
    """Use it as an async context manager; `connect` tells it where the bot listens."""

    def __init__(self, *, port: int) -> None:
        self._slack = SlackStandIn(port=port)

    async def __aenter__(self) -> "LocalWorkspace":
        await self._slack.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._slack.stop()

    @property
    def stand_in(self) -> SlackStandIn:
        return self._slack

    @property
    def slack(self) -> Slack:
        """What the Slack adapter needs to reach the stand-in instead of Slack."""
        app = self._slack.app
        return Slack(
            bot_token=app.bot_token,
            signing_secret=app.signing_secret,
            api_url=self._slack.api_url,
        )

    def connect(self, bot: str) -> None:
        """Send events to the bot at this address from now on."""
        self._slack.connect(f"{bot}/slack/events")

    def greeting(self) -> str:
        """Printed once the bot is up."""
        tries = "\n".join(f"  {text}" for text in TRY)
        return (
            f"\nCountersign is up. Open the local workspace: {self._slack.base}/\n"
            f"Nothing leaves this machine. Three things to try:\n{tries}\n\nCtrl-C stops it.\n"
        )
