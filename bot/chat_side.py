"""Reaches the chat platform on behalf of rooms that are built before its adapter is."""

from adapters.slack.adapter import SlackAdapter
from adapters.slack.directory import address_and_name
from adapters.slack.workspaces import Workspaces
from core.identity.steps import Known
from core.records import Channel, Person, PersonId, Posted


class ChatSide:
    """The adapter joins before the first delivery; nothing is asked for earlier."""

    def __init__(self) -> None:
        self._adapter: SlackAdapter | Workspaces | None = None

    def join(self, adapter: SlackAdapter | Workspaces) -> None:
        self._adapter = adapter

    @property
    def _joined(self) -> SlackAdapter | Workspaces:
        if self._adapter is None:
            raise AssertionError("the chat platform was asked before its adapter was built")
        return self._adapter

    async def directory(self, person: PersonId) -> Known:
        """`core.identity.steps.Directory`."""
        address, name = await address_and_name(await self._joined.api_of(person), person)
        return Known(address=address, name=name)

    async def profile(self, person: Person) -> Person:
        return await self._joined.surface.profile(person)

    async def zone(self, person: PersonId) -> str:
        """The time zone of a person, as an IANA name."""
        return (await self.profile(Person(id=person))).time_zone

    async def channel(self, name: str, person: PersonId) -> Channel | None:
        """`core.ports.Poster`, as the two below."""
        return await self._joined.poster.channel(name, person)

    async def post(self, channel: str, markdown: str, marker: str) -> Posted:
        return await self._joined.poster.post(channel, markdown, marker)

    async def find(self, channel: str, marker: str) -> Posted | None:
        return await self._joined.poster.find(channel, marker)
