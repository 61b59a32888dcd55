"""A drive is read with the person's own rights, and what they lose is lost at the next question."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.workspace.microsoft.graph import drives
from bot.workspace.microsoft.graph.records import DriveItem
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from core.connectors.graph import Graph, GraphSettings
from core.connectors.groups import own_objects
from core.errors import NeedsAccount
from core.records import PersonId
from core.specialists.documents.drive import Drive
from core.specialists.documents.library import Library
from core.specialists.documents.sync import Sync
from core.storage import documents
from core.storage.database import Database
from core.storage.documents import Source
from core.storage.index import open_index
from tests.fakes.papers import Sheet, pdf
from tests.specialists.documents.shelf import found_by, ingest_of, library_of, turn_of

MARA = "slack:T1/mara"


@dataclass
class Shared:
    ms: MicrosoftStandIn
    drive: Drive
    sync: Sync
    library: Library
    lacks: set[str]

    def put(self, owner: str, name: str, content: bytes) -> DriveItem:
        """A file in this person's drive."""
        graph = self.ms.graph
        held = next(d for d in graph.drives.values() if d.account.upn.startswith(owner))
        root = drives.root_of(held)
        return drives.write(graph, held, held.account, (root, name), content)[0]

    def drop(self, owner: str, item: DriveItem) -> None:
        held = next(d for d in self.ms.graph.drives.values() if d.account.upn.startswith(owner))
        held.items.pop(item.id)

    async def counted(self, source: Source) -> dict[str, int]:
        [fresh] = [
            one for one in await documents.sources(self.library.ingest.db) if one.id == source.id
        ]
        report = await self.sync.one(fresh)
        assert report.problem == ""
        return dict(report.counts)


@pytest.fixture
async def shared(sqlite: Database) -> AsyncIterator[Shared]:
    lacks: set[str] = set()
    async with MicrosoftStandIn() as ms:
        graph = Graph(GraphSettings(url=ms.graph_url))
        index = await open_index(sqlite, model="words")

        async def token(person: PersonId, scopes: Sequence[str]) -> str:
            if person in lacks:
                raise NeedsAccount("revoked", "Connect your account again.")
            return ms.token(person.rpartition("/")[2], *scopes)

        drive = Drive(graph, token)
        ingest = ingest_of(sqlite, index)
        for held in ms.graph.drives.values():
            held.items.clear()

        async def objects(person: PersonId) -> frozenset[str]:
            return await own_objects(graph, ms.token(person.rpartition("/")[2], "User.Read"))

        library = library_of(ingest, drive=drive, objects=objects)
        yield Shared(ms, drive, Sync(ingest, drive=drive), library, lacks)
        await index.close()
        await graph.close()


async def source_of(
    db: Database, place: str = "me/drive", owner: str = MARA, shared: tuple[str, ...] = ()
) -> Source:
    source = Source(
        id=place.replace("/", "-"),
        kind="drive",
        name=place,
        place=place,
        owner=owner,
        readers=(f"person:{owner}", *shared),
    )
    await documents.add_source(db, source)
    return source


async def test_a_drive_is_read_once_and_then_only_what_changed(
    shared: Shared, sqlite: Database
) -> None:
    many = [shared.put("mara", f"n{n}.md", f"# N{n}\n\nHotel {n}".encode()) for n in range(60)]
    shared.put("mara", "policy.pdf", pdf([Sheet(lines=["A hotel may cost 180 euros."])]))
    shared.put("mara", "film.mp4", b"\0")
    source = await source_of(sqlite)
    assert await shared.counted(source) == {"new": 61}
    assert await shared.counted(source) == {}

    shared.put("mara", "n0.md", b"# N0\n\nA hostel instead")
    shared.drop("mara", many[1])
    assert await shared.counted(source) == {"changed": 1, "gone": 1}
    names = {one.name for one in await documents.of_source(sqlite, source.id)}
    assert "policy.pdf" in names and "n1.md" not in names and len(names) == 60
    [one] = [d for d in await documents.of_source(sqlite, source.id) if d.name == "policy.pdf"]
    assert one.link.startswith("http")

    shared.ms.graph.changes.clear()
    assert await shared.counted(source) == {"same": 60}


async def test_what_is_no_longer_shared_is_not_found_at_the_next_question(
    shared: Shared, sqlite: Database
) -> None:
    item = shared.put("priya", "plan.md", b"# Plan\n\nThe hotel may cost what it costs.")
    grant = {"id": "g", "roles": ["read"], "invitation": {"email": "mara@larkspur.example"}}
    item.permissions.append(grant)
    priya = next(a for a in shared.ms.tenant.accounts.values() if a.upn.startswith("priya"))
    place = f"users/{priya.oid}/drive"
    await shared.counted(await source_of(sqlite, place))
    turn = turn_of(person=MARA)
    assert await found_by(shared.library, turn) == ["plan.md"]
    assert await found_by(shared.library, turn_of(person="slack:T1/tomas")) == []
    assert await found_by(shared.library, turn_of(person=MARA, kind="public", channel="C1")) == []

    item.permissions.clear()
    assert await found_by(shared.library, turn) == []
    assert await documents.of_source(sqlite, place.replace("/", "-")) == []


async def test_where_rights_cannot_be_asked_for_nothing_is_shown_and_nothing_forgotten(
    shared: Shared, sqlite: Database, tmp_path: Path
) -> None:
    shared.put("mara", "plan.md", b"# Plan\n\nThe hotel may cost what it costs.")
    source = await source_of(sqlite)
    await shared.counted(source)
    shared.lacks.add(MARA)
    assert await found_by(shared.library, turn_of(person=MARA)) == []
    assert len(await documents.of_source(sqlite, source.id)) == 1
    [fresh] = await documents.sources(sqlite)
    assert (await shared.sync.one(fresh)).problem == "Connect your account again."
    shared.lacks.clear()
    assert await found_by(shared.library, turn_of(person=MARA)) == ["plan.md"]


TOMAS, PRIYA = "slack:T1/tomas", "slack:T1/priya"
GROUP = "3f0a6a52-6b6e-4c53-9f43-3a2d8c1b7e10"


@pytest.mark.promise("E4", "core.specialists")
@pytest.mark.parametrize("kind", ["drives", "sites"])
async def test_members_of_a_group_read_what_is_shared_with_it_while_they_are_members(
    shared: Shared, sqlite: Database, kind: str
) -> None:
    item = shared.put("mara", "plan.md", b"# Plan\n\nThe hotel may cost what it costs.")
    shared.put("mara", "own.md", b"# Own\n\nMy own hotel costs nothing.")
    held = next(d for d in shared.ms.graph.drives.values() if item.id in d.items)
    tomas = next(a for a in shared.ms.tenant.accounts.values() if a.upn.startswith("tomas"))
    members = shared.ms.tenant.groups[GROUP] = [tomas.oid]
    item.permissions.append({"id": "g", "roles": ["read"], "grantedToV2": {"group": {"id": GROUP}}})
    shared.ms.graph.sites["larkspur,1,2"] = held.account
    place = f"drives/{held.id}" if kind == "drives" else "sites/larkspur,1,2/drive"
    source = await source_of(sqlite, place, shared=("shared",))
    await shared.counted(source)
    assert await found_by(shared.library, turn_of(person=MARA)) == ["own.md", "plan.md"]
    assert await found_by(shared.library, turn_of(person=TOMAS)) == ["plan.md"]
    assert await found_by(shared.library, turn_of(person=PRIYA)) == []
    in_public = turn_of(person=TOMAS, kind="public", channel="C1")
    assert await found_by(shared.library, in_public) == []
    assert len((await shared.library.readable(in_public)).alone) == 1

    members.clear()
    assert await found_by(shared.library, turn_of(person=TOMAS)) == []
    members.append(tomas.oid)
    item.permissions.clear()
    assert await found_by(shared.library, turn_of(person=TOMAS)) == []
    assert await found_by(shared.library, turn_of(person=MARA)) == ["own.md", "plan.md"]

    grant = {"id": "p", "roles": ["read"], "invitation": {"email": "priya@larkspur.example"}}
    item.permissions.append(grant)
    await shared.counted(source)
    assert await found_by(shared.library, turn_of(person=PRIYA)) == ["plan.md"]
