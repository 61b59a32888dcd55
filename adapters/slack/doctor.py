"""Asks Slack what keeps the bot from working there, and says it in sentences to act on."""

from email.utils import parsedate_to_datetime

from adapters.slack import fields, quiet, scopes
from adapters.slack.api import NO_ANSWER, SlackApi
from adapters.slack.settings import SlackSettings
from adapters.slack.verify import WINDOW
from core.errors import DeliveryFailed
from core.ports import Clock
from core.records import Json

SKEW = 30.0
"""Seconds that our clock may be away from Slack's before it is worth a word."""
_ADD_IT = (
    "Add it under OAuth & Permissions in the app's settings (or paste the output of "
    "`countersign manifest slack` again) and "
)


async def problems(settings: SlackSettings, clock: Clock, *, page: str = "") -> list[str]:
    """Empty when all is well. Changes nothing in Slack and posts nothing. `page` is where the
    workspace installed the bot by itself; empty where its token stands in the settings."""
    again = f"open {page} there again." if page else "choose Reinstall to Workspace."
    async with SlackApi(settings, quiet.library_logger()) as api:
        try:
            headers = await api.introduce()
        except DeliveryFailed as error:
            return [_unreachable(settings, error, page)]
        found = [
            *_skew(headers.get("date", ""), clock()),
            *_missing_scopes(headers.get("x-oauth-scopes"), again),
        ]
        return [*found, *await _channels(api, headers.get("x-oauth-scopes"))]


def _unreachable(settings: SlackSettings, error: DeliveryFailed, page: str) -> str:
    if error.reason == NO_ANSWER:
        return (
            f"Slack's API at {settings.api_url} does not answer: check the network, the proxy "
            "variables and SLACK_API_URL."
        )
    if page:
        return f"Slack does not take the workspace's token ({error.reason}): open {page} there."
    return (
        f"Slack does not take SLACK_BOT_TOKEN ({error.reason}): install the app again and copy "
        "the Bot User OAuth Token."
    )


def _skew(date: str, now: float) -> list[str]:
    try:
        away = now - parsedate_to_datetime(date).timestamp()
    except ValueError:
        return []
    if abs(away) <= SKEW:
        return []
    direction = "ahead of" if away > 0 else "behind"
    effect = (
        "every delivery is refused as forged or stale"
        if abs(away) > WINDOW
        else f"from {WINDOW} seconds on every delivery is refused"
    )
    return [
        f"This machine's clock is {abs(away):.0f} seconds {direction} Slack's: {effect}. "
        "Set the clock by NTP."
    ]


def _missing_scopes(granted: str | None, again: str) -> list[str]:
    if granted is None:
        return []
    given = {scope.strip() for scope in granted.split(",")}
    return [
        f"The app lacks the scope {scope} (to {scopes.REASONS[scope]}). {_ADD_IT}{again}"
        for scope in scopes.needed()
        if scope not in given
    ]


async def _channels(api: SlackApi, granted: str | None) -> list[str]:
    if granted is not None and "channels:read" not in granted:
        return []
    query: Json = {"types": "public_channel", "exclude_archived": True, "limit": 1}
    try:
        answer = await api.read("users.conversations", query)
    except DeliveryFailed as error:
        return [f"Slack does not say in which channels the bot is ({error.reason})."]
    if fields.children(answer, "channels"):
        return []
    return [
        "The bot is in no public channel: write `/invite @Countersign` in one, or write to it "
        "directly."
    ]
