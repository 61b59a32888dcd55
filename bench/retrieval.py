"""How well and how fast documents are found: ours beside its own halves, and beside plain tools.

`python -m bench.retrieval quality` needs the public documents (see tests/given.py) and caches
vectors under `--cache`; `python -m bench.retrieval speed` makes its own chunks.
"""

import argparse
import asyncio
import hashlib
import json
import math
import os
import re
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import sqlite_vec

from core.llm import minilm
from core.records import Chunk
from core.specialists.documents.chunks import cut
from core.specialists.documents.ingest import embedded_text
from core.specialists.documents.parsing.pages import Page
from core.storage import index_file
from core.storage.database import open_database
from core.storage.embeddings import Embedded, as_blob
from core.storage.index import fuse, open_index

DEEP = 10
"""Documents that are counted."""
Ranking = list[str]


def data() -> Path:
    root = os.environ.get("COUNTERSIGN_TEST_DATA")
    beside = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    return (Path(root) if root else beside) / "kb"


class Vectors:
    """MiniLM with its results on disk: it takes minutes for what the bench reads."""

    def __init__(self, cache: Path) -> None:
        self._file = sqlite3.connect(cache)
        self._file.execute("CREATE TABLE IF NOT EXISTS v (key TEXT PRIMARY KEY, vector BLOB)")
        self._model: minilm.MiniLm | None = None

    def of(self, texts: Sequence[str]) -> np.ndarray:
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        missing = [n for n, key in enumerate(keys) if self._kept(key) is None]
        for start in range(0, len(missing), 64):
            part = missing[start : start + 64]
            self._model = self._model or minilm.load()
            made, _ = self._model.embed([texts[n] for n in part])
            rows = [(keys[n], as_blob(v)) for n, v in zip(part, made, strict=True)]
            self._file.executemany("INSERT OR REPLACE INTO v VALUES (?, ?)", rows)
            self._file.commit()
            print(f"\r  embedded {start + len(part)} of {len(missing)}", end="", flush=True)
        if missing:
            print()
        return np.array([np.frombuffer(self._kept(key) or b"", np.float32) for key in keys])

    def _kept(self, key: str) -> bytes | None:
        row = self._file.execute("SELECT vector FROM v WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None


def recall(found: Ranking, wanted: set[str]) -> float:
    return len(set(found[:DEEP]) & wanted) / len(wanted)


def ndcg(found: Ranking, wanted: set[str]) -> float:
    gained = sum(1 / math.log2(n + 2) for n, one in enumerate(found[:DEEP]) if one in wanted)
    best = sum(1 / math.log2(n + 2) for n in range(min(DEEP, len(wanted))))
    return gained / best


def fused(rankings: Sequence[Ranking], k: int = DEEP) -> Ranking:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, one in enumerate(ranking, start=1):
            scores[one] = scores.get(one, 0.0) + 1 / (60 + rank)
    return sorted(scores, key=lambda one: (-scores[one], one))[:k]


class Plain:
    """The baseline: whole documents, one table of FTS5 and one vector each."""

    def __init__(self, documents: Sequence[dict[str, str]], vectors: Vectors) -> None:
        self._ids = [one["id"] for one in documents]
        self._file = sqlite3.connect(":memory:")
        self._file.execute("CREATE VIRTUAL TABLE d USING fts5(id UNINDEXED, body)")
        texts = [f"{one['title']}\n{one['content']}" for one in documents]
        rows = zip(self._ids, texts, strict=True)
        self._file.executemany("INSERT INTO d VALUES (?, ?)", rows)
        self._matrix = vectors.of(texts)

    def bm25(self, query: str, k: int = 50) -> Ranking:
        words = dict.fromkeys(re.findall(r"\w+", query))
        match = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT id FROM d WHERE d MATCH ? ORDER BY bm25(d) LIMIT ?"
        return [row[0] for row in self._file.execute(sql, (match, k))]

    def dense(self, vector: np.ndarray, k: int = 50) -> Ranking:
        best = np.argsort(-(self._matrix @ vector))[:k]
        return [self._ids[n] for n in best]


def chunked(documents: Sequence[dict[str, str]]) -> list[Chunk]:
    chunks: list[Chunk] = []
    for one in documents:
        pages = [Page(text=f"# {one['title']}\n\n{one['content']}")]
        for piece in cut(pages):
            title = " › ".join((f"{one['title']}.md", *piece.heading[1:]))
            made = Chunk(
                id=f"{one['id']}.{piece.number}",
                scope="readers:all",
                source=f"document:{one['id']}",
                title=title,
                text=piece.text,
            )
            chunks.append(made)
    return chunks


def by_document(chunks: Sequence[Chunk]) -> Ranking:
    return list(dict.fromkeys(one.source.removeprefix("document:") for one in chunks))


async def quality(cache: Path) -> None:
    """Prints recall and nDCG at 10 documents for each way."""
    documents = [json.loads(line) for line in (data() / "documents.jsonl").open()]
    tasks = json.loads((data() / "tasks.json").read_text())
    vectors = Vectors(cache)
    plain = Plain(documents, vectors)
    chunks = chunked(documents)
    print(f"{len(documents)} documents, {len(chunks)} chunks, {len(tasks)} tasks")
    made = vectors.of([embedded_text(chunk) for chunk in chunks])
    asked = vectors.of([task["query"] for task in tasks])
    with tempfile.TemporaryDirectory() as folder:
        db = await open_database("sqlite:///bench.db", state=Path(folder))
        index = await open_index(db, model=minilm.NAME)
        for start in range(0, len(chunks), 500):
            await index.add(chunks[start : start + 500], made[start : start + 500].tolist())
        file = index_file.open_file(Path(folder) / "bench.index.db")
        ways: dict[str, Callable[[str, Any], Ranking]] = {
            "BM25, whole documents": lambda text, v: plain.bm25(text),
            "MiniLM, whole documents": lambda text, v: plain.dense(v),
            "plain RRF of these two": lambda text, v: fused([plain.bm25(text), plain.dense(v)]),
            "ours, words alone": lambda text, v: by_document(
                index_file.by_words(file, ["readers:all"], text)
            ),
            "ours, meaning alone": lambda text, v: by_document(
                index_file.by_meaning(file, ["readers:all"], minilm.NAME, v.tolist())
            ),
        }
        rows = {
            name: [way(t["query"], v) for t, v in zip(tasks, asked, strict=True)]
            for name, way in ways.items()
        }
        ours = [
            by_document(await index.search(["readers:all"], v.tolist(), t["query"], 60))
            for t, v in zip(tasks, asked, strict=True)
        ]
        rows["ours, as it is asked"] = ours
        await index.close()
        await db.close()
    print(f"\n| way | recall@{DEEP} | nDCG@{DEEP} |\n|---|---:|---:|")
    for name, found in rows.items():
        wanted = [set(task["required_documents"]) for task in tasks]
        pairs = list(zip(found, wanted, strict=True))
        mean = [statistics.mean(way(f, w) for f, w in pairs) for way in (recall, ndcg)]
        print(f"| {name} | {mean[0]:.3f} | {mean[1]:.3f} |")


def spread(times: Sequence[float]) -> str:
    ordered = sorted(times)
    return f"{statistics.median(ordered) * 1e3:.1f} | {ordered[int(len(ordered) * 0.95)] * 1e3:.1f}"


def timed(ask: Callable[[int], object], times: int = 60) -> str:
    took: list[float] = []
    for number in range(times):
        began = time.perf_counter()
        ask(number)
        took.append(time.perf_counter() - began)
    return spread(took)


VOCABULARY = 30_000


def spoken(chance: np.random.Generator, count: int) -> str:
    """Words as often as words are: a few all the time, most of them hardly ever."""
    return " ".join(f"w{min(int(n), VOCABULARY)}" for n in chance.zipf(1.25, count))


def speed(count: int) -> None:
    """Prints the time of one question over `count` chunks in ten scopes of different sizes."""
    chance = np.random.default_rng(7)
    matrix = chance.standard_normal((count, minilm.DIMENSIONS), dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    share = np.array([40, 20, 10, 8, 6, 5, 4, 3, 2, 2]) / 100
    scopes = [f"readers:{n}" for n in range(10)]
    of = chance.choice(10, size=count, p=share)
    said = [spoken(chance, 120) for _ in range(5_000)]
    with tempfile.TemporaryDirectory() as folder:
        file = index_file.open_file(Path(folder) / "speed.db")
        for start in range(0, count, 5_000):
            index_file.put(
                file,
                [
                    Embedded(
                        n + 1,
                        Chunk(
                            id=str(n),
                            scope=scopes[of[n]],
                            source=f"document:{n // 20}",
                            title="",
                            text=said[n % 5_000],
                        ),
                        "m",
                        matrix[n].tobytes(),
                    )
                    for n in range(start, min(start + 5_000, count))
                ],
            )
        asked = [spoken(chance, 10) for _ in range(60)]

        def ours(inside: Sequence[str]) -> Callable[[int], object]:
            return lambda n: fuse(
                [
                    index_file.by_meaning(file, inside, "m", matrix[n].tolist()),
                    index_file.by_words(file, inside, asked[n]),
                ],
                12,
            )

        plain = apsw.Connection(":memory:")
        plain.enable_load_extension(True)
        plain.load_extension(sqlite_vec.loadable_path())
        plain.execute(
            "CREATE VIRTUAL TABLE v USING vec0(embedding float[384] distance_metric=cosine)"
        )
        with plain:
            plain.executemany(
                "INSERT INTO v (rowid, embedding) VALUES (?, ?)",
                ((n + 1, matrix[n].tobytes()) for n in range(count)),
            )
        sql = "SELECT rowid FROM v WHERE embedding MATCH ? AND k = 50"
        rows = {
            "ours, all ten scopes": timed(ours(scopes)),
            "ours, three scopes (a tenth)": timed(ours(scopes[5:8])),
            "ours, one scope (2 %)": timed(ours(scopes[9:])),
            "sqlite-vec, no scopes, vectors alone": timed(
                lambda n: plain.execute(sql, (matrix[n].tobytes(),)).fetchall()
            ),
            "numpy exact scan in memory, vectors alone": timed(
                lambda n: np.argpartition(-(matrix @ matrix[n]), 50)[:50]
            ),
        }
    print(f"\n{count:,} chunks of {minilm.DIMENSIONS} numbers\n")
    print("| way | p50 ms | p95 ms |\n|---|---:|---:|")
    for name, row in rows.items():
        print(f"| {name} | {row} |")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval", description=__doc__)
    parser.add_argument("what", choices=["quality", "speed"])
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "vectors.db")
    parser.add_argument("--chunks", type=int, nargs="+", default=[20_000, 100_000])
    given = parser.parse_args()
    if given.what == "quality":
        asyncio.run(quality(given.cache))
    else:
        for count in given.chunks:
            speed(count)


if __name__ == "__main__":
    main()
