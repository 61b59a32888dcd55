"""Finds the workspace that something goes out to, and lets its own adapter do it."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from adapters.slack.adapter import SlackAdapter
from core.errors import CountersignError, DeliveryFailed, SourceFailed
from core.parked import Verdict
from core.ports import Poster, Showing, Step
from core.records import Address, Channel, FileRef, Person, PersonId, Post, Posted, Question
from core.said import Heard

Of = Callable[[str], Awaitable[SlackAdapter | None]]
"""The adapter of a workspace; None where the bot is not installed."""
NOT_INSTALLED = "not_installed"


class RoutedSurface:
    """`core.ports.Surface` for whichever workspace the address, the person or the file is of."""

    name = "slack"

    def __init__(self, of: Of) -> None:
        self._of = of

    async def progress(self, address: Address, text: str) -> None:
        if (adapter := await _quietly(self._of, address["team"])) is not None:
            await adapter.surface.progress(address, text)

    async def offer(self, address: Address, link: Verdict) -> bool:
        adapter = await _quietly(self._of, address["team"])
        return adapter is not None and await adapter.surface.offer(address, link)

    async def profile(self, person: Person) -> Person:
        adapter = await _quietly(self._of, _team(person.id))
        return person if adapter is None else await adapter.surface.profile(person)

    @asynccontextmanager
    async def showing(
        self, post: str, address: Address, words: Callable[[], str]
    ) -> AsyncGenerator[Showing]:
        adapter = await _quietly(self._of, address["team"])
        if adapter is None:
            yield _Unshown()
            return
        async with adapter.surface.showing(post, address, words) as shown:
            yield shown

    async def deliver(self, post: Post, content: bytes | None) -> str:
        team = post.address.get("team") or _team(post.address.get("person", post.person))
        if (adapter := await self._of(team)) is None:
            raise DeliveryFailed(NOT_INSTALLED, is_final=True)
        return await adapter.surface.deliver(post, content)

    async def fetch(self, file: FileRef, *, limit: int, person: PersonId) -> bytes:
        if (adapter := await _quietly(self._of, _team(file.id))) is None:
            raise SourceFailed(f"{file.name} belongs to a workspace that I am not installed in.")
        return await adapter.surface.fetch(file, limit=limit, person=person)


class _Unshown:
    """`core.ports.Showing` where there is nowhere to show it."""

    has_begun = False

    def more(self) -> None:
        pass

    def step(self, step: Step) -> None:
        pass


class RoutedListener:
    """`core.ports.Listener`."""

    def __init__(self, of: Of) -> None:
        self._of = of

    async def heard(self, question: Question) -> Heard:
        if (adapter := await _quietly(self._of, question.place.tenant)) is None:
            return Heard(text=question.text)
        return await adapter.listener.heard(question)


class RoutedPoster:
    """`core.ports.Poster`. A channel is named with its workspace, `T…/C…`: what was agreed to for
    one is posted there, also by a process that has never looked it up."""

    def __init__(self, of: Of) -> None:
        self._of = of

    async def channel(self, name: str, person: PersonId) -> Channel | None:
        team = _team(person)
        adapter = await self._of(team)
        found = None if adapter is None else await adapter.poster.channel(name, person)
        return None if found is None else replace(found, id=f"{team}/{found.id}")

    async def post(self, channel: str, markdown: str, marker: str) -> Posted:
        poster, own = await self._there(channel)
        return await poster.post(own, markdown, marker)

    async def find(self, channel: str, marker: str) -> Posted | None:
        poster, own = await self._there(channel)
        return await poster.find(own, marker)

    async def _there(self, channel: str) -> tuple[Poster, str]:
        """The poster of the channel's workspace, and the channel's name there."""
        team, _, own = channel.partition("/")
        adapter = await self._of(team)
        if adapter is None:
            raise DeliveryFailed(NOT_INSTALLED, is_final=True)
        return adapter.poster, own


def _team(id: str) -> str:
    """`T…` of `slack:T…/…`."""
    return id.partition(":")[2].partition("/")[0]


async def _quietly(of: Of, team: str) -> SlackAdapter | None:
    try:
        return await of(team)
    except CountersignError:
        return None
