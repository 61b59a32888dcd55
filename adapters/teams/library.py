"""The Bot Framework's own client for the connector, mended where it loses fields or would block.

Importing this takes a second or two: it is imported when it is first needed, beside the loop.
"""

import logging
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

import aiohttp
from botbuilder.schema import (
    Activity,
    Attachment,
    ChannelAccount,
    ConversationParameters,
    Entity,
)
from botframework.connector.aio import ConnectorClient
from botframework.connector.models import ErrorResponseException
from msrest.exceptions import ClientException
from msrest.pipeline import AsyncHTTPSender, AsyncPipeline, Response
from msrest.pipeline.universal import RawDeserializer
from msrest.universal_http.aiohttp import AioHttpClientResponse
from yarl import URL

from adapters import fields
from adapters.teams.reasons import NO_ANSWER, STOPPED_BY_PERSON, STREAM_OVER
from core.errors import DeliveryFailed
from core.records import Json

FINAL = frozenset({400, 401, 403, 404, 405, 413})
BUSY = frozenset({412, 429})
"""Teams says later: 412 where two of its own writes met."""
PAUSE = 2.0
"""Seconds to wait where Teams is busy and does not say for how long."""

# It warns of every key of a body that its models do not know.
for _chatty in ("msrest", "botframework", "botbuilder"):
    logging.getLogger(_chatty).setLevel(logging.ERROR)


class RawEntity(Entity):
    """An entity with all of its fields: the library's own keeps nothing but the type."""

    _attribute_map = {  # noqa: RUF012
        "additional_properties": {"key": "", "type": "{object}"},
        "type": {"key": "type", "type": "str"},
    }

    def __init__(self, shown: Json) -> None:
        rest = dict(shown)
        cast(Any, super()).__init__(type=str(rest.pop("type")))
        self.additional_properties = rest


class _Sender(AsyncHTTPSender[Any, Any]):
    """Sends through a session of ours: deadlines, no redirects, no threads."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def __aenter__(self) -> "_Sender":
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    def build_context(self) -> Any:
        return None

    async def send(self, request: Any, **_: Any) -> Any:
        http = request.http_request
        answer = await self._session.request(
            http.method,
            http.url,
            headers=dict(http.headers),
            data=http.data,
            allow_redirects=False,
        )
        response = AioHttpClientResponse(http, answer)
        await response.load_body()
        return Response(request, _Answer(response))


class _Answer:
    """The response as the library reads it; an empty body is no error."""

    def __init__(self, response: Any) -> None:
        self._response = response
        self._raw: bytes = response._body or b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._response, name)

    def body(self) -> bytes:
        return self._raw

    def text(self, encoding: str | None = None) -> str:
        return self._raw.decode(encoding or "utf-8-sig", "replace")


class Client:
    """One connector. Every call is one request; what fails comes back as `DeliveryFailed`."""

    def __init__(self, session: aiohttp.ClientSession, service: str) -> None:
        def pipeline(config: Any) -> Any:
            policies = [config.user_agent_policy, RawDeserializer()]
            return cast(Any, AsyncPipeline)(policies, _Sender(session))

        # It refuses to be made without credentials; ours travel with each call.
        made: Any = ConnectorClient(
            cast(Any, _Nobody()), base_url=service, pipeline_type=cast(Any, pipeline)
        )
        self._calls: Any = made.conversations
        self._session = session
        self._service = service.rstrip("/")

    async def send(self, conversation: str, shown: Json, headers: Mapping[str, str]) -> str:
        """The id of the new activity; empty where the channel gives none (typing)."""
        answer = await _answered(
            self._calls.send_to_conversation(
                conversation, activity(shown), custom_headers=dict(headers)
            )
        )
        return getattr(answer, "id", "") or ""

    async def whisper(
        self, conversation: str, user: str, shown: Json, headers: Mapping[str, str]
    ) -> str:
        """As `send`, for one member alone. The library knows no such call."""
        made = cast(Json, activity(shown).serialize())
        made["recipient"] = {"id": user, "isTargeted": True}
        place = quote(conversation, safe="")
        address = f"{self._service}/v3/conversations/{place}/activities?isTargetedActivity=true"
        try:
            async with self._session.post(
                URL(address, encoded=True), json=made, headers=headers, allow_redirects=False
            ) as answer:
                if answer.status >= 400:
                    raise DeliveryFailed(f"http_{answer.status}", is_final=answer.status in FINAL)
                found: Any = await answer.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise DeliveryFailed(NO_ANSWER) from error
        except ValueError as error:
            raise DeliveryFailed("unreadable_answer") from error
        return fields.text(cast(Json, found), "id") if isinstance(found, dict) else ""

    async def update(
        self, conversation: str, id: str, shown: Json, headers: Mapping[str, str]
    ) -> None:
        made = activity(shown)
        made.id = id
        await _answered(
            self._calls.update_activity(conversation, id, made, custom_headers=dict(headers))
        )

    async def team(self, id: str, headers: Mapping[str, str]) -> Json:
        """What Teams says of a team. The library asks for that on a thread of its own."""
        address = URL(f"{self._service}/v3/teams/{quote(id, safe='')}", encoded=True)
        try:
            async with self._session.get(address, headers=headers, allow_redirects=False) as answer:
                if answer.status != 200:
                    raise DeliveryFailed(f"http_{answer.status}", is_final=answer.status in FINAL)
                found: Any = await answer.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise DeliveryFailed(NO_ANSWER) from error
        return cast(Json, found) if isinstance(found, dict) else {}

    async def delete(self, conversation: str, id: str, headers: Mapping[str, str]) -> None:
        await _answered(self._calls.delete_activity(conversation, id, custom_headers=dict(headers)))

    async def create(self, tenant: str, bot: str, user: str, headers: Mapping[str, str]) -> str:
        """The one-to-one conversation with this person, new or not."""
        asked = ConversationParameters(
            is_group=False,
            bot=ChannelAccount(id=bot),
            members=[ChannelAccount(id=user)],
            tenant_id=tenant,
            channel_data={"tenant": {"id": tenant}},
        )
        answer = await _answered(
            self._calls.create_conversation(asked, custom_headers=dict(headers))
        )
        return getattr(answer, "id", "") or ""

    async def member(self, conversation: str, user: str, headers: Mapping[str, str]) -> Json:
        """What Teams says of somebody in the conversation."""
        answer = await _answered(
            self._calls.get_conversation_member(conversation, user, custom_headers=dict(headers))
        )
        known: Any = getattr(answer, "additional_properties", None) or {}
        return {
            **cast(Json, known),
            "name": getattr(answer, "name", "") or "",
            "aadObjectId": getattr(answer, "aad_object_id", "") or "",
        }


class _Nobody:
    """Credentials that add nothing."""

    def signed_session(self, session: Any = None) -> Any:
        return session


def activity(shown: Json) -> Any:
    """The library's activity of one of ours."""
    made: Any = Activity
    attached: Any = Attachment
    return made(
        type=fields.text(shown, "type"),
        text=shown.get("text"),
        text_format=shown.get("textFormat"),
        summary=shown.get("summary"),
        attachment_layout=shown.get("attachmentLayout"),
        attachments=[
            attached(
                content_type=fields.text(one, "contentType"),
                content=one.get("content"),
                content_url=one.get("contentUrl"),
                name=one.get("name"),
            )
            for one in fields.children(shown, "attachments")
        ]
        or None,
        entities=[RawEntity(one) for one in fields.children(shown, "entities")] or None,
        channel_data=shown.get("channelData"),
    )


async def _answered(call: Any) -> Any:
    try:
        return await call
    except ErrorResponseException as error:
        raise refusal(error) from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise DeliveryFailed(NO_ANSWER) from error
    except ClientException as error:
        raise DeliveryFailed("unreadable_answer") from error


def refusal(error: Any) -> DeliveryFailed:
    """The connector's own word for what went wrong, else the status."""
    response = error.response
    # What the library hands out here is the answer of the session, not its own.
    status = int(getattr(response, "status", 0) or getattr(response, "status_code", 0))
    detail = getattr(getattr(error, "error", None), "error", None)
    word = str(getattr(detail, "code", "") or "") or f"http_{status}"
    if status in BUSY:
        pause = _pause(response.headers) or PAUSE
        return DeliveryFailed("throttled", retry_after=pause)
    if status >= 500:
        return DeliveryFailed(f"http_{status}", retry_after=_pause(response.headers))
    said = str(getattr(detail, "message", "") or "").lower()
    if word == STREAM_OVER and "cancel" in said:
        word = STOPPED_BY_PERSON
    return DeliveryFailed(word[:60], is_final=status in FINAL)


def _pause(headers: Any) -> float:
    given = str(headers.get("Retry-After", ""))
    return min(float(given), 3_600.0) if given.isdecimal() else 0.0
