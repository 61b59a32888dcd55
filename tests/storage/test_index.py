"""What retrieval finds, and that the index is only a copy."""

import random

import pytest

from core.records import Chunk
from core.storage import embeddings, index_file
from core.storage.database import Database
from core.storage.index import Index, fuse, open_index, words


def chunk(id: str, scope: str = "thread:1", text: str = "", source: str = "") -> Chunk:
    return Chunk(id=id, scope=scope, source=source or f"turn:{id}", title="", text=text or id)


def toward(direction: int, dimensions: int = 8, spread: float = 0.0) -> list[float]:
    """A vector that points (nearly) along one axis."""
    chance = random.Random(direction)
    return [
        (1.0 if axis == direction else 0.0) + spread * chance.random() for axis in range(dimensions)
    ]


async def ids(index: Index, scopes: list[str], vector: list[float], text: str) -> list[str]:
    return [found.id for found in await index.search(scopes, vector, text)]


@pytest.fixture
async def index(database: Database):
    opened = await open_index(database, model="mini")
    yield opened
    await opened.close()


async def test_a_chunk_is_found_by_meaning_and_by_words(index: Index) -> None:
    await index.add(
        [chunk("a", text="the revenue of March"), chunk("b", text="holiday rules")],
        [toward(0), toward(1)],
    )
    assert await ids(index, ["thread:1"], toward(1), "") == ["b", "a"]
    assert await ids(index, ["thread:1"], [], "revenue") == ["a"]
    assert (await ids(index, ["thread:1"], toward(0), "holiday"))[0] in {"a", "b"}


async def test_nothing_is_found_outside_the_scopes(index: Index) -> None:
    near = [chunk(f"private{n}", "thread:secret", "salary list") for n in range(100)]
    await index.add(near, [toward(0, spread=0.01)] * 100)
    await index.add([chunk("mine", "thread:mine", "salary question")], [toward(3, spread=0.9)])
    assert await ids(index, ["thread:mine"], toward(0), "salary list") == ["mine"]
    assert await ids(index, [], toward(0), "salary list") == []
    assert len(await ids(index, ["thread:mine", "thread:secret"], toward(0), "salary")) == 12


ODD_TEXTS = [
    "C++", "foo-bar", '"', "a AND", "NEAR(", "title:x", "*", "'; DROP TABLE chunks", "-- x",
    "a\0b", "(", "^x", "{a b} : c", "", "   ", "?", "%s", "\\", ":*", "!x & |y", "<->", "a\ud800",
]  # fmt: skip


async def test_any_text_may_be_asked_for(index: Index) -> None:
    await index.add([chunk("a", text="C++ and foo-bar")], [toward(0)])
    for text in ODD_TEXTS:
        assert await ids(index, ["thread:1"], toward(0), text) == ["a"], text


async def test_words_of_the_scope_name_are_not_words_of_the_text(index: Index) -> None:
    await index.add([chunk("a", scope="holiday", text="something else")], [toward(0)])
    assert await ids(index, ["holiday"], [], "holiday") == []


async def test_the_same_id_again_replaces(index: Index) -> None:
    await index.add([chunk("a", text="first")], [toward(0)])
    await index.add([chunk("a", text="second")], [toward(1)])
    assert await ids(index, ["thread:1"], [], "first") == []
    [found] = await index.search(["thread:1"], toward(1), "second")
    assert found.text == "second"


async def test_what_is_forgotten_is_not_found(index: Index) -> None:
    await index.add([chunk("a", source="turn:1"), chunk("b")], [toward(0), toward(1)])
    assert await index.forget("turn:1") == 1
    assert await ids(index, ["thread:1"], toward(0), "a") == ["b"]


async def test_a_changed_model_searches_on_by_words(database: Database) -> None:
    for model, dimensions in (("mini", 8), ("large", 16)):
        index = await open_index(database, model=model)
        await index.add([chunk(model, text="alpha beta")], [toward(0, dimensions)])
        await index.close()
    index = await open_index(database, model="large")
    assert await ids(index, ["thread:1"], toward(0, 16), "") == ["large"]
    assert set(await ids(index, ["thread:1"], toward(0, 16), "alpha")) == {"large", "mini"}
    await index.close()


async def test_the_index_is_made_again_from_the_main_database(index: Index) -> None:
    texts = [f"row number {n}" for n in range(1200)]
    await index.add([chunk(text, text=text) for text in texts], [toward(0, spread=1.0)] * 1200)
    assert await index.rebuild() == 1200
    assert (await ids(index, ["thread:1"], [], "1133"))[0] == "row number 1133"


async def test_an_index_that_is_behind_catches_up_when_it_is_opened(database: Database) -> None:
    index = await open_index(database, model="mini")
    await index.add([chunk("a"), chunk("b")], [toward(0), toward(1)])
    await index.close()
    async with database.transaction() as tx:
        await embeddings.keep(tx, [chunk("c")], [toward(2)], "mini")
    await embeddings.forget(database, "turn:a")
    index = await open_index(database, model="mini")
    assert await ids(index, ["thread:1"], toward(2), "") == ["c", "b"]
    assert await ids(index, ["thread:1"], [], "a") == []
    await index.close()


@pytest.mark.parametrize("damage", ["missing", "not a database"])
async def test_a_lost_index_file_comes_back_by_itself(sqlite: Database, damage: str) -> None:
    index = await open_index(sqlite, model="mini")
    await index.add([chunk("a")], [toward(0)])
    await index.close()
    assert sqlite.path is not None
    file = sqlite.path.with_suffix(".index.db")
    file.unlink()
    if damage == "not a database":
        file.write_bytes(b"no database at all" * 500)
    index = await open_index(sqlite, model="mini")
    assert await ids(index, ["thread:1"], toward(0), "a") == ["a"]
    await index.close()


def test_a_chunk_that_both_rankings_like_wins() -> None:
    meaning, by_words = [chunk("a"), chunk("b")], [chunk("c"), chunk("b")]
    fused = fuse([meaning, by_words], k=2)
    assert [found.id for found in fused] == ["b", "a"]
    assert fused[0].score > fused[1].score > 0


def test_words_are_taken_once_and_bounded() -> None:
    assert words("to be or not to be -- ?") == ["to", "be", "or", "not"]
    assert len(words(" ".join(str(n) for n in range(1000)))) == 256


LANGUAGES = {
    "de": ("Die Kündigungsfrist beträgt drei Monate zum Quartalsende.", "KÜNDIGUNGSFRIST wie lang"),
    "ru": ("Срок уведомления составляет три месяца.", "какой СРОК уведомления"),
    "ar": ("مدة الإشعار ثلاثة أشهر قبل نهاية العقد.", "مدة الإشعار"),
    "ja": ("解約の通知期間は三か月です。ホテルの上限は一万円です。", "通知期間は何か月ですか"),
}


async def test_other_languages_are_found_and_break_no_search(index: Index) -> None:
    for axis, (name, (said, _)) in enumerate(LANGUAGES.items()):
        await index.add([chunk(name, text=said)], [toward(axis)])
    for axis, (name, (_, asked)) in enumerate(LANGUAGES.items()):
        assert (await ids(index, ["thread:1"], toward(axis), asked))[0] == name
        # Japanese writes no spaces: its meaning is found, and of its words none.
        by_words = [] if name == "ja" else [name]
        assert await ids(index, ["thread:1"], [], asked) == by_words


async def test_what_is_left_out_takes_no_place_from_what_is_found(index: Index) -> None:
    near = [chunk(f"old{n}", text="salary list", source="turn:old") for n in range(60)]
    await index.add(near, [toward(0)] * 60)
    await index.add([chunk("new", text="a salary", source="turn:new")], [toward(1)])
    for vector in (toward(0), []):
        found = await index.search(["thread:1"], vector, "salary list", but=["turn:old"])
        assert [one.id for one in found] == ["new"]


async def test_a_common_word_does_not_hide_a_rare_one(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_file, "ROOM", 20)
    index = await open_index(sqlite, model="mini")
    await index.add([chunk(f"c{n}", text="the leave rules") for n in range(40)], [toward(0)] * 40)
    await index.add([chunk("rare", text="the leave of adoption")], [toward(1)])
    assert await ids(index, ["thread:1"], [], "the leave adoption") == ["rare"]
    assert len(await ids(index, ["thread:1"], [], "leave")) == 12
    await index.close()


@pytest.mark.parametrize("extent", [0, 30])
async def test_what_is_common_elsewhere_is_not_common_here(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch, extent: int
) -> None:
    monkeypatch.setattr(index_file, "ROOM", 20)
    index = await open_index(sqlite, model="mini")
    others = [chunk(f"c{n}", "papers:other", "the leave rules") for n in range(40)]
    await index.add(others, [toward(0)] * 40)
    mine = [chunk("leave", text="my leave"), chunk("rare", text="adoption")]
    more = [chunk(f"m{n}", text="something else") for n in range(extent)]
    await index.add([*mine, *more], [toward(1)] * len([*mine, *more]))
    assert set(await ids(index, ["thread:1"], [], "leave adoption")) == {"leave", "rare"}
    await index.close()
