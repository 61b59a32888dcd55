"""The one way to the Bot Connector: the address is judged before the token is shown to it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Self, TypeVar

import aiohttp

from adapters.teams.credentials import Credentials
from adapters.teams.pacing import Pacing
from adapters.teams.settings import TeamsSettings
from core.errors import DeliveryFailed
from core.records import Json

if TYPE_CHECKING:
    from adapters.teams.library import Client

log = logging.getLogger(__name__)
CALL_SECONDS = 30.0
MOST_CLIENTS = 20
Answered = TypeVar("Answered")
Headers = Mapping[str, str]


class Connector:
    """Enter it before the first call. Everything raises `DeliveryFailed`."""

    def __init__(self, settings: TeamsSettings, pacing: Pacing) -> None:
        self._settings = settings
        self._origins = settings.origins
        self._pacing = pacing
        self._session: aiohttp.ClientSession | None = None
        self._credentials: Credentials | None = None
        self._clients: dict[str, Client] = {}
        self._loading = asyncio.Lock()

    async def __aenter__(self) -> Self:
        timeout = aiohttp.ClientTimeout(total=CALL_SECONDS)
        self._session = aiohttp.ClientSession(
            timeout=timeout, trust_env=not self._settings.is_local
        )
        self._credentials = Credentials(self._settings, self._session)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def load(self) -> None:
        """Import the library beside the loop."""
        async with self._loading:
            await asyncio.to_thread(_load)

    async def send(self, service: str, conversation: str, shown: Json) -> str:
        """The id of the new activity."""
        await self._pacing.turn(conversation)
        return await self._called(
            service,
            conversation,
            lambda client, headers: client.send(conversation, shown, headers),
        )

    async def hint(self, service: str, conversation: str, shown: Json) -> None:
        """What may be left out when there is no room for it: it takes nobody's turn."""
        if not self._pacing.is_held(conversation):
            await self.hinted(service, conversation, shown)

    async def hinted(self, service: str, conversation: str, shown: Json) -> str:
        """What its sender paces: it takes nobody's turn. The id that it was given, if any."""
        return await self._called(
            service,
            conversation,
            lambda client, headers: client.send(conversation, shown, headers),
        )

    @property
    def is_targeting(self) -> bool:
        """Whether one member of a channel or a group chat can be told something alone there."""
        return self._settings.is_targeting

    async def whisper(self, service: str, conversation: str, user: str, shown: Json) -> str:
        """Shown to this member alone, for a day; where the tenant does not allow that it fails,
        and nothing is shown."""
        await self._pacing.turn(conversation)
        return await self._called(
            service,
            conversation,
            lambda client, headers: client.whisper(conversation, user, shown, headers),
        )

    async def update(self, service: str, conversation: str, id: str, shown: Json) -> None:
        await self._pacing.turn(conversation)
        await self._called(
            service,
            conversation,
            lambda client, headers: client.update(conversation, id, shown, headers),
        )

    async def delete(self, service: str, conversation: str, id: str) -> None:
        await self._called(
            service,
            conversation,
            lambda client, headers: client.delete(conversation, id, headers),
        )

    async def create(self, service: str, tenant: str, bot: str, user: str) -> str:
        return await self._called(
            service, user, lambda client, headers: client.create(tenant, bot, user, headers)
        )

    async def member(self, service: str, conversation: str, user: str) -> Json:
        return await self._called(
            service,
            conversation,
            lambda client, headers: client.member(conversation, user, headers),
        )

    async def team(self, service: str, id: str) -> Json:
        return await self._called(service, id, lambda client, headers: client.team(id, headers))

    async def introduce(self) -> None:
        """Mint a token: whether Microsoft knows us."""
        if self._credentials is not None and not self._settings.is_unverified:
            await self._credentials.token()

    async def _called(
        self,
        service: str,
        line: str,
        call: Callable[["Client", Headers], Awaitable[Answered]],
    ) -> Answered:
        client = await self._client(service)
        try:
            return await call(client, await self._headers(fresh=False))
        except DeliveryFailed as failure:
            if failure.retry_after:
                self._pacing.hold(line, failure.retry_after)
            if "Unauthorized" not in failure.reason and failure.reason != "http_401":
                raise
        # The token may have been withdrawn before its time.
        return await call(client, await self._headers(fresh=True))

    async def _headers(self, *, fresh: bool) -> Headers:
        if self._settings.is_unverified or self._credentials is None:
            return {}
        return {"Authorization": f"Bearer {await self._credentials.token(fresh=fresh)}"}

    async def _client(self, service: str) -> "Client":
        """Raises `DeliveryFailed` for an address that is not on the list."""
        if not self._origins.allows(service):
            raise DeliveryFailed("service_refused", is_final=True)
        if self._session is None:
            raise RuntimeError("the connector was used before it was entered")
        if (known := self._clients.get(service)) is not None:
            return known
        await self.load()
        from adapters.teams.library import Client

        if len(self._clients) >= MOST_CLIENTS:
            self._clients.clear()
        self._clients[service] = Client(self._session, service)
        return self._clients[service]


def _load() -> None:
    import adapters.teams.library

    _ = adapters.teams.library
