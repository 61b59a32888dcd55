"""Asks Slack for the token of an installation: in exchange for a code, or for a refresh token."""

from typing import Any, cast

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack import api, fields
from adapters.slack.settings import Distribution, SlackSettings
from core.errors import DeliveryFailed
from core.ports import Installation
from core.records import Json

METHOD = "oauth.v2.access"


async def access(settings: SlackSettings, distribution: Distribution, form: Json) -> Json:
    """One attempt. Raises `DeliveryFailed` with Slack's own word."""
    client = AsyncWebClient(base_url=settings.api_url, retry_handlers=[])
    client.proxy = None if settings.is_loopback else client.proxy
    # In the body: the SDK's own method builds a header in a way that aiohttp gives up.
    secrets = {"client_id": distribution.client_id, "client_secret": distribution.client_secret}
    try:
        answer = await cast(Any, client).api_call(METHOD, data={**secrets, **form})
    except SlackApiError as error:
        raise api.refusal(error) from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise DeliveryFailed(api.NO_ANSWER) from error
    return cast(Json, answer.data)


def installation(answer: Json, now: float) -> Installation:
    """What the answer says. A token without `expires_in` does not expire: the app's settings
    decide about that, under Token Rotation."""
    team, lasts = fields.child(answer, "team"), fields.number(answer, "expires_in")
    return Installation(
        team=fields.text(team, "id"),
        name=fields.text(team, "name"),
        bot_token=fields.text(answer, "access_token"),
        refresh_token=fields.text(answer, "refresh_token"),
        expires_at=now + lasts if lasts else 0.0,
        enterprise=fields.text(fields.child(answer, "enterprise"), "id"),
        installed_by=fields.text(fields.child(answer, "authed_user"), "id"),
    )


def is_bot_token(answer: Json) -> bool:
    given = fields.text(answer, "access_token")
    return fields.text(answer, "token_type") == "bot" and given.startswith("xox")
