"""The chat platforms that are connected, and what each of them knows of its own people."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from aiohttp import web

from adapters.slack import groups
from adapters.slack.directory import address_and_name
from adapters.slack.names import channel_name
from adapters.slack.pacing import Pacing as SlackPacing
from adapters.teams import app as teams
from adapters.teams.pacing import Pacing as TeamsPacing
from adapters.teams.settings import TeamsSettings
from bot import chat_platform
from bot.config import Config
from bot.lifecycle import Part, Simple
from bot.settings import Settings
from core.errors import DeliveryFailed, SourceFailed
from core.identity.installations import Installations
from core.identity.steps import Known as Vouched
from core.identity.vault import KeyRing
from core.ports import Accounts, Clock, Desk, FrontDoor, Listener, Poster, Surface, Transcript
from core.records import Channel, Json, Person, PersonId, Posted
from core.storage import files, kept
from core.storage.database import Database

if TYPE_CHECKING:
    from bot.workspace.local import LocalWorkspace

Step = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacings:
    """What takes the place of the platforms' own paces."""

    slack: SlackPacing
    teams: TeamsPacing


class Connected(Protocol):
    """What stands behind people's own accounts."""

    @property
    def connecting(self) -> Accounts | None: ...

    @property
    def transcript(self) -> Transcript | None: ...


class Chats:
    """Filled before the first question; the platform of a person stands in their id."""

    def __init__(
        self,
        settings: Settings,
        config: Config,
        workspace: "LocalWorkspace | None" = None,
        pacings: Pacings | None = None,
    ) -> None:
        self.slack: chat_platform.Adapter | None = None
        self.teams: teams.TeamsAdapter | None = None
        self._settings = settings
        self._config = config
        self._workspace = workspace
        self._pacings = pacings
        self._places: dict[str, str] = {}
        """Channels by their id: as many as the bot was ever asked in."""

    def connect(
        self,
        db: Database,
        keys: KeyRing,
        door: FrontDoor,
        clock: Clock,
        *,
        desk: Desk,
        office: Connected,
    ) -> None:
        """Build the adapters that have credentials."""
        settings, workspace, pacings = self._settings, self._workspace, self._pacings
        if workspace is not None or settings.slack is not None:
            self.slack = chat_platform.adapter(
                chat_platform.slack_settings(settings, workspace, self._config),
                Installations(db, keys, clock),
                door,
                clock,
                desk=desk,
                accounts=office.connecting,
                pacing=pacings.slack if pacings else None,
            )
        if (reach := _teams(settings, workspace)) is not None:
            self.teams = teams.build(
                reach,
                door,
                Kept(db, "teams", clock),
                clock,
                desk=desk,
                accounts=office.connecting,
                transcript=office.transcript,
                pacing=pacings.teams if pacings else None,
                made=lambda file: files.read(db, file),
                make=lambda turn, file, content: files.keep(
                    db, turn, file, content, made_at=clock()
                ),
            )

    @property
    def surfaces(self) -> dict[str, Surface]:
        both = (self.slack, self.teams)
        return {one.surface.name: one.surface for one in both if one is not None}

    @property
    def listeners(self) -> dict[str, Listener]:
        """Who tells what stands around a question."""
        both = (self.slack, self.teams)
        return {one.surface.name: one.listener for one in both if one is not None}

    def sockets(self) -> tuple[Part, ...]:
        return () if self.slack is None else chat_platform.socket(self.slack)

    @property
    def routes(self) -> Sequence[web.AbstractRouteDef]:
        return [route for one in (self.slack, self.teams) if one for route in one.routes]

    def parts(self) -> list[Part]:
        found: list[Part] = []
        if self.slack is not None:
            found.append(Simple(name="slack", start=self.slack.start, stop=self.slack.close))
        if self.teams is not None:
            found.append(Simple(name="teams", start=self.teams.start, stop=self.teams.close))
        return found

    async def profile(self, person: Person) -> Person:
        """See `Surface.profile`; somebody of a platform that is not connected stays as they
        are."""
        surface = self.surfaces.get(person.id.partition(":")[0])
        return person if surface is None else await surface.profile(person)

    async def zone(self, person: PersonId) -> str:
        return (await self.profile(Person(id=person))).time_zone

    async def directory(self, person: PersonId) -> Vouched:
        """`core.identity.steps.Directory`. Raises `SourceFailed`. Teams signs the object id
        itself, so there is no address to compare."""
        if person.startswith("slack:") and self.slack is not None:
            address, name = await address_and_name(await self.slack.api_of(person), person)
            return Vouched(address=address, name=name)
        if person.startswith("teams:") and self.teams is not None:
            return Vouched(name=(await self.profile(Person(id=person))).name)
        raise SourceFailed("That chat platform is not connected any more.")

    async def channel(self, name: str, person: PersonId) -> Channel | None:
        """`core.ports.Poster`, as the two below: the bot posts to Slack's channels alone."""
        return None if self.slack is None else await self.slack.poster.channel(name, person)

    async def post(self, channel: str, markdown: str, marker: str) -> Posted:
        return await self._poster.post(channel, markdown, marker)

    async def find(self, channel: str, marker: str) -> Posted | None:
        return await self._poster.find(channel, marker)

    @property
    def _poster(self) -> Poster:
        if self.slack is None:
            raise DeliveryFailed("slack_is_not_connected", is_final=True)
        return self.slack.poster

    async def members(self, group: str) -> Sequence[PersonId]:
        """Who is in a user group of Slack: `S…`, or `T…/S…` where there are several workspaces.
        Raises `DeliveryFailed`."""
        if self.slack is None:
            raise DeliveryFailed("slack_is_not_connected", is_final=True)
        team, _, id = group.rpartition("/")
        return await groups.members(await self.slack.api_of(PersonId(f"slack:{team}/")), id)

    async def called(self, id: str) -> str:
        """What a person or a place is called by its platform, by their whole id; empty where it
        does not say. Raises `CountersignError`."""
        surface, _, rest = id.partition(":")
        team, _, own = rest.partition("/")
        if surface != "slack" or own[:1] in ("U", "W"):
            is_place = own.startswith("19:")
            return "" if is_place else (await self.profile(Person(id=PersonId(id)))).name
        if own.startswith("D"):
            return "direct messages"
        if id not in self._places and self.slack is not None:
            api = await self.slack.api_of(PersonId(f"slack:{team}/"))
            self._places[id] = await channel_name(api, own)
        return self._places.get(id, "")

    async def warm(self) -> None:
        """Load what the first answer and the first click in Teams need. The workspace loads it
        when somebody is there."""
        if self.teams is not None and self._workspace is None:
            await self.teams.load()


class Kept:
    """`adapters.teams.directory.Kept` in the database."""

    def __init__(self, db: Database, surface: str, clock: Clock) -> None:
        self._db, self._surface, self._clock = db, surface, clock

    async def keep(self, key: str, body: Json) -> None:
        await kept.keep(self._db, self._surface, key, body, now=self._clock())

    async def read(self, key: str) -> Json | None:
        return await kept.read(self._db, self._surface, key)

    async def forget(self, key: str) -> None:
        await kept.forget(self._db, self._surface, key)


def _teams(settings: Settings, workspace: "LocalWorkspace | None") -> TeamsSettings | None:
    """A test client that the operator named comes before the workspace's own stand-in."""
    if workspace is None or settings.teams is not None:
        return settings.teams
    played = workspace.teams
    return TeamsSettings(
        app_id=played.world.app_id,
        tenant_id=played.world.tenant,
        password=played.signing.secret,
        openid_url=played.openid_url,
        login_url=played.base,
        service_origins=(played.base,),
        sso_resource=played.sso_resource,
        is_workspace=True,
    )
