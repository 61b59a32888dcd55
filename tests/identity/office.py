"""People with browsers, the bot's account link, and the stand-in for Microsoft's sign-in."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import aiohttp
from aiohttp import web

from bot import connect
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from core.errors import SourceFailed
from core.identity.accounts import Accounts
from core.identity.settings import EntraSettings
from core.identity.steps import Directory, Known, Linked
from core.identity.vault import KeyRing
from core.records import PersonId
from core.storage.database import Database

MARA = PersonId("slack:T1/UMARA")
TOM = PersonId("slack:T1/UTOM")
RING = KeyRing.parse("test:" + "A" * 43 + "=")
MAIL = ("Mail.Send",)


class Clock:
    """A clock that is set by hand. It begins at the real time, because MSAL has one of its own."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@dataclass
class Page:
    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def location(self) -> str:
        return self.headers.get("Location", "")


class Browser:
    """One person's browser, with cookies. It follows no redirect by itself."""

    def __init__(self) -> None:
        self._session = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))

    async def open(self, url: str, **headers: str) -> Page:
        async with self._session.get(url, allow_redirects=False, headers=headers) as answer:
            return Page(answer.status, await answer.text(), dict(answer.headers))

    async def ask_head(self, url: str) -> int:
        async with self._session.head(url, allow_redirects=False) as answer:
            return answer.status

    async def close(self) -> None:
        await self._session.close()


@dataclass
class Office:
    ms: MicrosoftStandIn
    accounts: Accounts
    database: Database
    clock: Clock
    known: dict[PersonId, Known]
    settings: EntraSettings
    directory: Directory
    served: str
    told: list[Linked] = field(default_factory=list[Linked])
    browsers: list[Browser] = field(default_factory=list[Browser])

    def browser(self) -> Browser:
        self.browsers.append(Browser())
        return self.browsers[-1]

    async def offer(self, person: PersonId, scopes: tuple[str, ...] = MAIL, **how: Any) -> str:
        return await self.accounts.url_for(person, scopes, {"channel": "D1"}, **how)

    async def leave(self, browser: Browser, person: PersonId, **how: Any) -> str:
        """Open the link of this person; where the browser is sent."""
        url = await self.offer(person, **how)
        page = await browser.open(url)
        if page.status == 200 and "Go on" in page.text:
            page = await browser.open(f"{url}&go=1")
        assert page.status == 302, page.text
        return page.location

    async def answer(self, location: str, who: str, **how: Any) -> dict[str, str]:
        """What Microsoft hands to the browser once this account has signed in."""
        return dict(parse_qsl(urlsplit(self.ms.sign_in(location, who, **how).url).query))

    async def back(self, browser: Browser, query: Mapping[str, str]) -> Page:
        return await browser.open(f"{self.settings.redirect_uri}?{urlencode(query)}")

    async def link(self, person: PersonId, who: str, **how: Any) -> Page:
        """The whole way in a browser of its own."""
        browser = self.browser()
        location = await self.leave(browser, person, **how)
        return await self.back(browser, await self.answer(location, who))

    async def is_linked(self, person: PersonId) -> bool:
        return await self.accounts.account(person) is not None


@asynccontextmanager
async def office(
    ms: MicrosoftStandIn, database: Database, clock: Clock, *, base: str = "", **how: Any
) -> AsyncGenerator[Office]:
    """The bot's two pages on a socket, over this database; `base` is where it finds Microsoft."""
    known = {
        MARA: Known(address=ms.person("mara").upn, name="Mara"),
        TOM: Known(address=ms.person("tomas").upn, name="Tom"),
    }

    async def directory(person: PersonId) -> Known:
        if person not in known:
            raise SourceFailed("The chat does not say who you are just now; try again.")
        return known[person]

    holder: list[Office] = []
    runner = web.AppRunner(_site(holder), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    settings = EntraSettings(
        tenant_id=ms.tenant.id,
        client_id=ms.app.client_id,
        client_secret=ms.app.secret,
        authority=f"{base or ms.entra_url}/{ms.tenant.id}",
        public_url=f"http://127.0.0.1:{runner.addresses[0][1]}",
    )
    accounts = Accounts(database, RING, settings, directory=directory, clock=clock, **how)
    made = Office(ms, accounts, database, clock, known, settings, directory, settings.public_url)
    holder.append(made)
    try:
        yield made
    finally:
        for browser in made.browsers:
            await browser.close()
        await accounts.close()
        await runner.cleanup()


def _site(holder: list[Office]) -> web.Application:
    """The routes need an address that the accounts have to know first."""

    class Later:
        async def start(self, key: str, cookies: Mapping[str, str], **how: Any) -> Any:
            return await holder[0].accounts.start(key, cookies, **how)

        async def finish(self, query: Mapping[str, str], cookies: Mapping[str, str]) -> Any:
            return await holder[0].accounts.finish(query, cookies)

    async def told(linked: Linked) -> None:
        holder[0].told.append(linked)

    site = web.Application()
    site.add_routes(connect.routes(Later(), told))
    return site
