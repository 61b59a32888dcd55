"""A folder's documents are as the folder has them: nothing twice, nothing left behind."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.specialists.documents.sync import Report, Sync
from core.storage import documents, embeddings
from core.storage.database import Database
from core.storage.documents import Source
from core.storage.index import Index, open_index
from tests.fakes.papers import Sheet, pdf
from tests.specialists.documents.shelf import EVERYONE, Embedder, Killed, ingest_of, vector


@pytest.fixture
async def index(database: Database) -> AsyncIterator[Index]:
    opened = await open_index(database, model="words")
    yield opened
    await opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "papers"
    (root / "hr").mkdir(parents=True)
    (root / "travel.md").write_text("# Travel\n\nA hotel in Paris may cost 180 euros.")
    (root / "hr" / "leave.md").write_text("# Leave\n\nThere are thirty days of vacation.")
    (root / ".hidden.md").write_text("secret")
    (root / "program.exe").write_bytes(b"MZ")
    (root / "outside.md").symlink_to("/etc/hostname")
    return root


async def source_of(db: Database, folder: Path) -> Source:
    source = Source(
        id="s", kind="folder", name="papers", place=str(folder), readers=EVERYONE, added_at=1.0
    )
    await documents.add_source(db, source)
    return source


async def counted(sync: Sync, source: Source) -> dict[str, int]:
    report = await sync.one(source)
    assert report.problem == ""
    return dict(report.counts)


async def words_found(db: Database, index: Index, text: str) -> list[str]:
    scopes = list(await documents.reader_sets(db))
    return [one.title for one in await index.search(scopes, vector(text), text)]


async def test_what_is_new_changed_moved_and_deleted_is_followed(
    database: Database, index: Index, folder: Path
) -> None:
    embed = Embedder()
    sync, source = Sync(ingest_of(database, index, embed)), await source_of(database, folder)
    assert await counted(sync, source) == {"new": 2}
    assert {one.path for one in await documents.of_source(database, "s")} == {
        "travel.md",
        "hr/leave.md",
    }
    assert (await words_found(database, index, "hotel Paris"))[0] == "travel.md › Travel"
    read = len(embed.texts)

    assert await counted(sync, source) == {"same": 2}
    (folder / "travel.md").rename(folder / "hr" / "travel.md")
    assert await counted(sync, source) == {"moved": 1, "same": 1}
    os.utime(folder / "hr" / "leave.md", (5, 5))
    assert await counted(sync, source) == {"changed": 1, "same": 1}
    assert len(embed.texts) == read, "nothing is embedded again that is the same"

    (folder / "hr" / "leave.md").write_text("# Leave\n\nNow it is forty days of vacation.")
    assert await counted(sync, source) == {"changed": 1, "same": 1}
    assert len(embed.texts) == read + 1
    rows = await database.fetch("SELECT body FROM embeddings")
    assert sorted("thirty" in row["body"] for row in rows) == [False, False]

    (folder / "hr" / "travel.md").unlink()
    assert await counted(sync, source) == {"same": 1, "gone": 1}
    assert await words_found(database, index, "hotel Paris 180") in ([], ["leave.md › Leave"])


async def test_a_pass_that_was_killed_goes_on_and_does_nothing_twice(
    database: Database, index: Index, folder: Path
) -> None:
    sheets = [
        Sheet(
            lines=[f"Page {n} line {i} tells of wheel {n * i}, gear and chain." for i in range(30)]
        )
        for n in range(40)
    ]
    (folder / "book.pdf").write_bytes(pdf(sheets))
    source = await source_of(database, folder)
    first = Embedder(breaks_after=3)
    with pytest.raises(Killed):
        await Sync(ingest_of(database, index, first), by="killed").one(source)
    half = {row["id"] for row in await database.fetch("SELECT id FROM embeddings")}
    assert half

    second = Embedder()
    sync = Sync(ingest_of(database, index, second), by="killed")
    await counted(sync, source)
    assert not set(first.texts) & set(second.texts)
    rows = await database.fetch("SELECT id, body FROM embeddings")
    assert half <= {row["id"] for row in rows}
    assert max(Counter(row["body"] for row in rows).values()) == 1
    book = await documents.at(database, "s", "book.pdf")
    assert book is not None and (book.state, book.pages) == ("ready", 40)
    assert await counted(sync, source) == {"same": 3}


async def test_one_bad_file_costs_the_others_nothing(
    database: Database, index: Index, folder: Path
) -> None:
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 nothing more")
    sync, source = Sync(ingest_of(database, index)), await source_of(database, folder)
    assert await counted(sync, source) == {"new": 2, "failed": 1}
    bad = await documents.at(database, "s", "bad.pdf")
    assert bad is not None and "damaged or cut off" in bad.problem
    assert await counted(sync, source) == {"same": 3}
    (folder / "bad.pdf").write_bytes(pdf([Sheet(lines=["It was mended and says something."])]))
    assert await counted(sync, source) == {"same": 2, "changed": 1}


async def test_a_folder_that_is_out_of_reach_or_empty_forgets_nothing(
    database: Database, index: Index, folder: Path
) -> None:
    sync, source = Sync(ingest_of(database, index)), await source_of(database, folder)
    await sync.one(source)
    await asyncio.to_thread(folder.rename, folder.with_name("away"))
    assert "is not there" in (await sync.one(source)).problem
    await asyncio.to_thread(folder.mkdir)
    assert "only out of reach" in (await sync.one(source)).problem
    assert len(await documents.of_source(database, "s")) == 2


async def test_two_do_not_work_on_one_source_at_once(
    database: Database, index: Index, folder: Path
) -> None:
    source = await source_of(database, folder)
    assert await documents.hold(database, "s", "other", now=1_000.0, seconds=60.0)
    report = await Sync(ingest_of(database, index)).one(source)
    assert report.is_busy and not report.counts


async def test_what_is_removed_leaves_nothing_behind(
    database: Database, index: Index, folder: Path
) -> None:
    sync, source = Sync(ingest_of(database, index)), await source_of(database, folder)
    await sync.one(source)
    assert await sync.remove(source) == 2
    assert await database.fetch("SELECT id FROM documents") == []
    assert await database.fetch("SELECT id FROM passages") == []
    assert await database.fetch("SELECT id FROM document_sources") == []
    assert await embeddings.numbers(database) == set()


async def test_progress_is_told_page_by_page_and_chunk_by_chunk(
    database: Database, index: Index, tmp_path: Path
) -> None:
    root = tmp_path / "one"
    root.mkdir()
    (root / "a.pdf").write_bytes(pdf([Sheet(lines=["Words that say something here."])] * 4))
    heard: list[tuple[str, int, int]] = []

    async def progress(name: str, what: str, done: int, total: int) -> None:
        heard.append((what, done, total))
        await asyncio.sleep(0)

    report: Report = await Sync(ingest_of(database, index)).one(
        await source_of(database, root), progress
    )
    assert report.counts["new"] == 1
    assert [one for one in heard if one[0] == "pages"] == [("pages", n, 0) for n in (1, 2, 3, 4)]
    assert heard[-1] == ("chunks", 4, 4)
