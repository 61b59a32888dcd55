"""Both engines find the same, however many processes make the index."""

import asyncio
import random

from core.records import Chunk
from core.storage.database import Database, open_database
from core.storage.index import Index, open_index

WORDS = ("leave", "travel", "salary", "bicycle", "warehouse", "invoice", "Lyon", "Porto")
SCOPES = ("thread:1", "thread:2", "papers:all")


async def filled(db: Database) -> Index:
    index, chance = await open_index(db, model="mini"), random.Random(11)
    chunks = [
        Chunk(
            id=f"c{n}",
            scope=chance.choice(SCOPES),
            source=f"paper:{n % 40}",
            title="",
            text=" ".join(chance.sample(WORDS, 2)),
        )
        for n in range(240)
    ]
    await index.add(chunks, [[chance.gauss(0, 1) for _ in range(16)] for _ in chunks])
    return index


async def test_sqlite_and_postgres_find_the_same(sqlite: Database, postgres_url: str) -> None:
    postgres = await open_database(postgres_url)
    both = [await filled(sqlite), await filled(postgres)]
    chance = random.Random(12)
    for _ in range(40):
        scopes = chance.sample(SCOPES, chance.randint(1, 3))
        vector = [chance.gauss(0, 1) for _ in range(16)]
        sources = [f"paper:{n}" for n in chance.sample(range(40), 12)]
        asked = " ".join(chance.sample(WORDS, 2))
        here, there = [
            [
                [one.id for one in await index.search(scopes, vector, "", sources=sources)],
                {one.id for one in await index.search(scopes, [], asked, 240, sources)},
            ]
            for index in both
        ]
        assert here == there
        assert here[0]
    for index in both:
        await index.close()
    await postgres.close()


async def test_processes_that_begin_together_make_one_index(postgres_url: str) -> None:
    databases = [await open_database(postgres_url, is_shared=True) for _ in range(6)]
    async with asyncio.TaskGroup() as group:
        making = [group.create_task(open_index(db, model="mini")) for db in databases]
    indexes = [made.result() for made in making]
    chunk = Chunk(id="a", scope="thread:1", source="turn:1", title="", text="leave")
    await indexes[0].add([chunk], [[1.0, 0.0]])
    assert [(await one.search(["thread:1"], [1.0, 0.0], "leave"))[0].id for one in indexes] == [
        "a"
    ] * 6
    for index, db in zip(indexes, databases, strict=True):
        await index.close()
        await db.close()
