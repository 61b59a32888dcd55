"""What the Slack adapter has to be told before it starts."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from core.errors import Misconfigured

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
SHORTEST_SECRET = 16
"""Slack's signing secrets have 32 characters; anything much shorter can be guessed."""
Prompt = tuple[str, str]
"""(title, the words that are sent when it is chosen)."""
PROMPTS: tuple[Prompt, ...] = (("What can you do for me?", "help"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """What it takes to be installed in several workspaces. Raises `Misconfigured`."""

    client_id: str
    client_secret: str = field(repr=False)
    public_url: str
    teams: frozenset[str]
    """The workspaces in which it may be installed, and no others."""
    authorize_url: str = "https://slack.com/oauth/v2/authorize"
    """Slack's own page, on which an administrator allows the app."""

    def __post_init__(self) -> None:
        if not self.client_id or not self.client_secret:
            raise Misconfigured(
                "SLACK_CLIENT_ID and SLACK_CLIENT_SECRET belong together. Both stand under Basic "
                "Information, App Credentials in the app's settings."
            )
        parts = urlsplit(self.public_url)
        if parts.scheme != "https" and parts.hostname not in LOOPBACK:
            raise Misconfigured(
                "To be installed in several workspaces the bot needs COUNTERSIGN_PUBLIC_URL on "
                "https: Slack sends the installer back there with a secret code."
            )
        if not self.teams:
            raise Misconfigured(
                "SLACK_CLIENT_ID lets workspaces install the bot, and none is named: list their "
                "ids (T…) under `slack.workspaces` in countersign.yaml."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackSettings:
    """Raises `Misconfigured` with a sentence where a value would make the adapter unsafe."""

    bot_token: str = field(repr=False)
    signing_secret: str = field(default="", repr=False)
    """Empty where nothing comes in over HTTP."""
    app_token: str = field(default="", repr=False)
    """Opens the socket; empty where deliveries come in over HTTP."""
    api_url: str = "https://slack.com/api/"
    bots: frozenset[str] = frozenset()
    """Ids of other bots, apps or their users that may ask."""
    has_auth_provider: bool = False
    """Whether the workspaces have Slack's own block to connect an account with."""
    distribution: Distribution | None = None
    """None where the bot is in one workspace, by its token."""
    prompts: tuple[Prompt, ...] = PROMPTS
    """Offered in a first direct message; Slack shows at most four."""

    def __post_init__(self) -> None:
        is_installed = bool(self.bot_token) or self.distribution is None
        is_token = self.bot_token.startswith("xox") and self.bot_token.isascii()
        if is_installed and not is_token:
            raise Misconfigured(
                "SLACK_BOT_TOKEN is not a bot token. It starts with xoxb- and stands under "
                "OAuth & Permissions in the app's settings."
            )
        if self.app_token and not (self.app_token.startswith("xapp-") and self.app_token.isascii()):
            raise Misconfigured(
                "SLACK_APP_TOKEN is not an app-level token. It starts with xapp- and stands under "
                "Basic Information, App-Level Tokens in the app's settings."
            )
        if self.app_token and not self.signing_secret and self.distribution is None:
            _check_address(self.api_url)
            return
        if len(self.signing_secret) < SHORTEST_SECRET or not self.signing_secret.isascii():
            raise Misconfigured(
                "SLACK_SIGNING_SECRET is missing or too short. It stands under Basic Information, "
                "App Credentials in the app's settings."
            )
        _check_address(self.api_url)

    @property
    def is_loopback(self) -> bool:
        return (urlsplit(self.api_url).hostname or "") in LOOPBACK

    @property
    def origin(self) -> str:
        """`scheme://host[:port]` of the Web API."""
        parts = urlsplit(self.api_url)
        return f"{parts.scheme}://{parts.netloc}".lower()


def _check_address(api_url: str) -> None:
    try:
        parts = urlsplit(api_url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise Misconfigured("SLACK_API_URL is not an address.") from error
    if parts.scheme == "http" and host not in LOOPBACK:
        raise Misconfigured(
            "SLACK_API_URL is on plain http. The bot token would travel unencrypted: use https "
            "(plain http is taken on loopback only)."
        )
    if parts.scheme not in {"http", "https"} or not host or parts.username is not None:
        raise Misconfigured("SLACK_API_URL is not an https address.")
    if not parts.path.endswith("/api/"):
        raise Misconfigured("SLACK_API_URL has to end in /api/ (the slash included).")
