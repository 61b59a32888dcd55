"""MSAL pointed at the stand-in, the way the product does it."""

import asyncio
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msal
import requests

from bot.workspace.microsoft.entra.directory import LOGIN
from bot.workspace.microsoft.stand_in import MicrosoftStandIn

REDIRECT = "http://localhost:9/microsoft/callback"


class Loopback:
    """MSAL's `http_client`: what goes to Microsoft's sign-in host goes to loopback."""

    def __init__(self, address: str) -> None:
        self._address, self._session = address, requests.Session()
        self._session.trust_env = False

    def get(self, url: str, **how: Any) -> requests.Response:
        return self._session.get(self._mapped(url), **how)

    def post(self, url: str, **how: Any) -> requests.Response:
        return self._session.post(self._mapped(url), **how)

    def close(self) -> None:
        self._session.close()

    def _mapped(self, url: str) -> str:
        assert url.startswith(f"{LOGIN}/"), url
        return self._address + url.removeprefix(LOGIN)


class Client:
    """One confidential client with one person's cache; MSAL is synchronous, so it works in a
    thread while the stand-in answers."""

    def __init__(self, ms: MicrosoftStandIn, **how: Any) -> None:
        self.ms = ms
        self.http = Loopback(ms.entra_url)
        self.cache = msal.SerializableTokenCache()
        self.how = how
        self.flow: dict[str, Any] = {}

    def app(self) -> msal.ConfidentialClientApplication:
        given = {"client_credential": self.ms.app.secret} | self.how
        return msal.ConfidentialClientApplication(
            self.ms.app.client_id,
            authority=self.ms.authority,
            token_cache=self.cache,
            http_client=self.http,
            instance_discovery=False,
            **given,
        )

    async def start(self, *scopes: str, **how: Any) -> str:
        """The address that the person opens."""
        how.setdefault("response_mode", "form_post")

        def begin() -> dict[str, Any]:
            return self.app().initiate_auth_code_flow(list(scopes), redirect_uri=REDIRECT, **how)

        self.flow = await asyncio.to_thread(begin)
        return self.flow["auth_uri"]

    async def finish(self, fields: dict[str, str]) -> dict[str, Any]:
        return await asyncio.to_thread(
            lambda: self.app().acquire_token_by_auth_code_flow(self.flow, fields)
        )

    async def link(self, person: str, *scopes: str, **how: Any) -> dict[str, Any]:
        """The whole sign-in of this person, with Accept."""
        url = await self.start(*scopes, **how)
        return await self.finish(self.ms.sign_in(url, person).fields)

    async def silent(self, *scopes: str, **how: Any) -> dict[str, Any] | None:
        def refresh() -> dict[str, Any] | None:
            app = self.app()
            account = app.get_accounts()[0]
            how.setdefault("force_refresh", True)
            return app.acquire_token_silent_with_error(list(scopes), account, **how)

        return await asyncio.to_thread(refresh)


def query_of(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))
