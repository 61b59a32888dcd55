"""What somebody may not read, or their place may not hear, is not retrieved."""

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.policy.audience import readable
from core.policy.rules import EVERYTHING, Rules
from core.records import Chunk, PlaceKind, TurnId
from core.specialists.documents.sync import Sync
from core.storage import documents, index_file
from core.storage.database import Database
from core.storage.documents import Source
from core.storage.index import Index, open_index
from tests.specialists.documents.shelf import (
    EVERYONE,
    found_by,
    ingest_of,
    library_of,
    turn_of,
    vector,
)

RULES = Rules(rules=EVERYTHING.rules, groups={"finance": ("person:U2",)})


@pytest.fixture
async def index(database: Database) -> AsyncIterator[Index]:
    opened = await open_index(database, model="words")
    yield opened
    await opened.close()


async def shelved(db: Database, index: Index, root: Path) -> Sync:
    """Papers for everybody, for finance, for one person, and for one channel."""
    for folder, readers in (("all", ""), ("fin", "group:finance"), ("own", "person:slack:T1/U1"),
                            ("room", "place:slack:T1/C9")):  # fmt: skip
        (root / folder).mkdir(parents=True)
        (root / folder / f"{folder}.md").write_text(f"# {folder}\n\nA hotel may cost 100 euros.")
        if readers:
            (root / folder / ".readers").write_text(f"# who\n{readers}\n")
    sync = Sync(ingest_of(db, index))
    await documents.add_source(
        db, Source(id="s", kind="folder", name="p", place=str(root), readers=EVERYONE)
    )
    [source] = await documents.sources(db)
    await sync.one(source)
    return sync


async def test_the_asker_and_the_place_bound_what_is_found(
    database: Database, index: Index, tmp_path: Path
) -> None:
    await shelved(database, index, tmp_path / "p")
    library = library_of(ingest_of(database, index), RULES)
    dm = turn_of()
    assert await found_by(library, dm) == ["all.md", "own.md"]
    assert await found_by(library, turn_of(person="slack:T1/U2")) == ["all.md", "fin.md"]
    public = turn_of(kind="public", channel="C1")
    assert await found_by(library, public) == ["all.md"]
    assert await found_by(library, turn_of(kind="private", channel="C9")) == ["all.md", "room.md"]
    outside = turn_of(kind="public", channel="C1", is_shared=True)
    assert await found_by(library, outside) == []
    alone = (await library.readable(public)).alone
    assert len(alone) == 1


async def test_who_is_barred_without_any_change_of_the_file_finds_nothing_at_the_next_question(
    database: Database, index: Index, tmp_path: Path
) -> None:
    """Peers' case 47."""
    root = tmp_path / "p"
    await shelved(database, index, root)
    library = library_of(ingest_of(database, index), RULES)
    assert "own.md" in await found_by(library, turn_of())
    (root / "own" / ".readers").write_text("group:finance\n")
    assert "own.md" not in await found_by(library, turn_of())
    assert "own.md" in await found_by(library, turn_of(person="slack:T1/U2"))
    (root / "all" / ".readers").write_bytes(b"\xff\xfe\xff")
    assert "all.md" not in await found_by(library, turn_of())


async def test_a_file_that_was_deleted_is_not_found_at_the_next_question(
    database: Database, index: Index, tmp_path: Path
) -> None:
    root = tmp_path / "p"
    await shelved(database, index, root)
    library = library_of(ingest_of(database, index), RULES)
    (root / "all" / "all.md").unlink()
    assert await found_by(library, turn_of()) == ["own.md"]
    assert await documents.at(database, "s", "all/all.md") is None


async def test_readers_change_without_anything_being_read_again(
    database: Database, index: Index, tmp_path: Path
) -> None:
    sync = await shelved(database, index, tmp_path / "p")
    before = {row["id"] for row in await database.fetch("SELECT id FROM embeddings")}
    await documents.change_readers(database, "s", ["group:finance"])
    [source] = await documents.sources(database)
    report = await sync.one(source)
    assert report.counts == {"same": 4}
    assert {row["id"] for row in await database.fetch("SELECT id FROM embeddings")} == before
    library = library_of(ingest_of(database, index), RULES)
    assert await found_by(library, turn_of()) == ["own.md"]


async def test_an_answer_that_was_made_of_an_answer_rests_on_the_same_paper(
    database: Database, index: Index, tmp_path: Path
) -> None:
    root = tmp_path / "p"
    await shelved(database, index, root)
    library = library_of(ingest_of(database, index), RULES)
    turns = [replace(turn_of(), id=TurnId(f"t{number}")) for number in range(5)]
    asked = turns[0].question.text
    hits = await index.search(await library.scopes(turns[0]), vector(asked), asked)
    cited = await library.proven(turns[0], hits, vector(asked))
    await library.used(turns[0], [one for one in cited if one.label.startswith("own")])
    assert await library.hidden(turns[1]) == frozenset()
    (root / "own" / ".readers").write_text("group:finance\n")
    assert await library.hidden(turns[2]) == {"t0", "t1"}
    assert await library.hidden(turns[3]) == {"t0", "t1"}, "t2 was shown neither of them"
    other = turn_of(person="slack:T1/U2")
    assert await library.hidden(replace(other, id=TurnId("t4"))) == frozenset()


KINDS: tuple[PlaceKind, ...] = ("dm", "group", "private", "public")


@pytest.mark.promise("E4", "core.specialists")
@pytest.mark.promise("I7", "core.specialists")
async def test_ten_thousand_retrievals_leak_nothing(sqlite: Database) -> None:
    chance = random.Random(9)
    people = [f"slack:T{team}/U{n}" for team in (1, 2) for n in range(12)]
    channels = [f"slack:T{team}/C{n}" for team in (1, 2) for n in range(4)]
    groups = [f"group:g{n}" for n in range(5)]
    # The same ids stand in both tenants: a reader's id names its tenant.
    pool = [*groups, *(f"person:{one}" for one in people), *(f"place:{one}" for one in channels)]
    pool += ["tenant:slack:T1", "tenant:slack:T2"] * 4
    index = await open_index(sqlite, model="words")
    allowed: dict[str, tuple[str, ...]] = {}
    for number in range(120):
        readers = EVERYONE if number % 12 == 0 else tuple(chance.sample(pool, chance.randint(1, 3)))
        scope = await documents.know_readers(sqlite, readers)
        text = f"A hotel night may cost {number} euros."
        chunk = Chunk(
            id=f"c{number}", scope=scope, source=f"document:{number}", title="", text=text
        )
        await index.add([chunk], [vector(text)])
        allowed[chunk.id] = readers
    await index.close()
    assert sqlite.path is not None
    file = index_file.open_file(sqlite.path.with_suffix(".index.db"))
    sets, asking = await documents.reader_sets(sqlite), vector("hotel night")
    leaks, found = 0, 0
    for _ in range(10_000):
        person = chance.choice(people)
        kind = chance.choice(KINDS)
        channel = chance.choice(channels).rpartition("/")[2]
        member = tuple(f"g{n}" for n in range(5) if chance.random() < 0.3)
        tenant = person.partition("/")[0].removeprefix("slack:")
        turn = turn_of(tenant=tenant, person=person, groups=member, kind=kind, channel=channel,
                       is_shared=kind != "dm" and chance.random() < 0.1)  # fmt: skip
        asked = turn.question
        scopes = readable(sets, asked.person, asked.place, RULES).here
        by_meaning = index_file.by_meaning(file, scopes, "words", asking)
        for hit in [*by_meaning, *index_file.by_words(file, scopes, "hotel euros")]:
            found += 1
            leaks += not _may(allowed[hit.id], turn)
    file.close()
    assert found > 10_000 and leaks == 0


def _may(readers: tuple[str, ...], turn) -> bool:
    """The rule once more, in other words than the code's."""
    person, place = turn.question.person, turn.question.place
    is_asker = any(
        reader == "group:everyone"
        or reader == f"person:{person.id}"
        or reader in {f"group:{group}" for group in person.groups}
        or reader == f"place:{place.id}"
        or reader == f"tenant:slack:{person.id[6:8]}"
        for reader in readers
    )
    if place.kind == "dm":
        return is_asker
    all_here = {"group:everyone", f"tenant:slack:{place.tenant}"}
    is_open = bool(all_here & set(readers)) and not place.is_shared
    return is_asker and (is_open or f"place:{place.id}" in readers)
