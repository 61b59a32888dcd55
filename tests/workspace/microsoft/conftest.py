"""A stand-in for Entra and Graph, and somebody who calls it."""

import io
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest

from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from tests.workspace.microsoft.msal_client import REDIRECT


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@dataclass
class Reply:
    status: int
    body: Any
    headers: Any = field(repr=False)

    @property
    def code(self) -> str:
        return self.body["error"]["code"]


class Caller:
    """Somebody with a token; the paths are those after /v1.0."""

    def __init__(self, ms: MicrosoftStandIn, session: aiohttp.ClientSession, token: str) -> None:
        self.ms, self.session, self.token = ms, session, token

    async def __call__(
        self, method: str, path: str, body: Any = None, raw: bytes | None = None, **headers: str
    ) -> Reply:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        url = path if path.startswith("http") else f"{self.ms.graph_url}{path}"
        if body is not None:
            raw = json.dumps(body).encode()
        async with self.session.request(
            method,
            url,
            data=io.BytesIO(raw) if raw else None,
            headers={"Authorization": f"Bearer {self.token}", **named},
            allow_redirects=False,
        ) as response:
            content = await response.read()
            is_json = "json" in response.content_type
            found = json.loads(content) if content and is_json else content
            return Reply(response.status, found, response.headers)


@pytest.fixture
async def ms() -> AsyncIterator[MicrosoftStandIn]:
    async with MicrosoftStandIn(redirect_uris=[REDIRECT]) as stand_in:
        yield stand_in


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def caller(ms, session):
    def of(person: str, scope: str) -> Caller:
        return Caller(ms, session, ms.token(person, scope))

    return of


def mail(*to: str, subject: str = "Figures", text: str = "Attached.", **more: Any) -> dict:
    recipients = [{"emailAddress": {"address": address}} for address in to]
    body = {"contentType": "text", "content": text}
    return {"subject": subject, "body": body, "toRecipients": recipients, **more}
