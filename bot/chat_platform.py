"""Makes the adapter of the chat platform from the settings: for one workspace or for several."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from adapters.slack import app as slack
from adapters.slack.adapter import SlackAdapter
from adapters.slack.settings import Distribution, SlackSettings
from adapters.slack.workspaces import Workspaces
from bot.config import Config
from bot.lifecycle import Loop, Part
from bot.settings import Settings
from core.identity.installations import Installations
from core.ports import Clock, FrontDoor

if TYPE_CHECKING:
    from bot.workspace.local import LocalWorkspace

Adapter = SlackAdapter | Workspaces
AUTHORIZE = "/oauth/v2/authorize"
"""Beside the Web API, on the same host."""


def adapter(
    given: SlackSettings, installations: Installations, door: FrontDoor, clock: Clock, **more: Any
) -> Adapter:
    if given.distribution is None:
        return slack.build(given, door, clock, **more)
    return slack.build_several(given, door, clock, installations, **more)


def socket(adapter: Adapter) -> tuple[Part, ...]:
    if adapter.socket is None:
        return ()
    return (Loop(name="socket", work=adapter.socket.run, drain=adapter.socket.drain, grace=8.0),)


def slack_settings(
    settings: Settings, workspace: "LocalWorkspace | None", config: Config
) -> SlackSettings:
    if workspace is not None:
        app = workspace.slack.app
        return SlackSettings(
            bot_token=app.bot_token,
            signing_secret=app.signing_secret,
            api_url=workspace.slack.api_url,
            bots=config.bots,
        )
    if (given := settings.slack) is None:
        raise AssertionError("settings without a surface do not pass the settings' own checks")
    distribution = None
    if given.client_id:
        distribution = Distribution(
            client_id=given.client_id,
            client_secret=given.client_secret,
            public_url=settings.public_url,
            teams=config.workspaces,
            authorize_url=urljoin(given.api_url, AUTHORIZE),
        )
    return SlackSettings(
        bot_token=given.bot_token,
        signing_secret=given.signing_secret,
        app_token=given.app_token,
        distribution=distribution,
        bots=config.bots,
        has_auth_provider=config.has_auth_provider,
        api_url=given.api_url,
    )
