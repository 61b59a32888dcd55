"""How long the parts of a turn take and what they ask of the database, seen at its seams."""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

_TABLE = re.compile(r"(?:INSERT INTO|UPDATE|DELETE FROM|FROM)\s+(\w+)")


@dataclass(slots=True)
class Stopwatch:
    """Adds up laps by name. Laps of one name that overlap count once, as long as they last."""

    seconds: Counter[str] = field(default_factory=Counter)
    laps: Counter[str] = field(default_factory=Counter)
    _open: Counter[str] = field(default_factory=Counter)
    _since: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def lap(self, name: str) -> Iterator[None]:
        self.laps[name] += 1
        if not self._open[name]:
            self._since[name] = time.perf_counter()
        self._open[name] += 1
        try:
            yield
        finally:
            self._open[name] -= 1
            if not self._open[name]:
                self.seconds[name] += time.perf_counter() - self._since[name]

    def reset(self) -> None:
        self.seconds.clear()
        self.laps.clear()


class Timed:
    """Anything, with some of its async methods timed under a name each."""

    def __init__(self, inner: Any, watch: Stopwatch, **names: str) -> None:
        self._inner = inner
        self._watch = watch
        self._names = names

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in self._names:
            return found

        async def timed(*args: Any, **kwargs: Any) -> Any:
            with self._watch.lap(self._names[name]):
                return await found(*args, **kwargs)

        return timed


class TimedDatabase:
    """A `Database` whose verbs are timed by kind and table: `write inbox`, `read turns`, and
    `later checkpoints` for writes that do not wait for the disk."""

    def __init__(self, inner: Any, watch: Stopwatch) -> None:
        self._inner = inner
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def fetch(self, sql: str, params: Sequence[object] = ()) -> Any:
        with self._watch.lap(f"read {_table(sql)}"):
            return await self._inner.fetch(sql, params)

    async def fetch_one(self, sql: str, params: Sequence[object] = ()) -> Any:
        with self._watch.lap(f"read {_table(sql)}"):
            return await self._inner.fetch_one(sql, params)

    async def execute(self, sql: str, params: Sequence[object] = ()) -> int:
        with self._watch.lap(f"write {_table(sql)}"):
            return await self._inner.execute(sql, params)

    async def write(self, body: Any, *, is_durable: bool = True) -> Any:
        noting = _Noting()

        async def noted(tx: Any) -> Any:
            return await body(noting.around(tx))

        began = time.perf_counter()
        outcome = await self._inner.write(noted, is_durable=is_durable)
        name = f"{'write' if is_durable else 'later'} {noting.table}"
        self._watch.laps[name] += 1
        self._watch.seconds[name] += time.perf_counter() - began
        return outcome


class _Noting:
    """A transaction that remembers the first table that it touched."""

    def __init__(self) -> None:
        self._inner: Any = None
        self.table = ""

    def around(self, inner: Any) -> "_Noting":
        self._inner = inner
        return self

    async def _noted(self, verb: Any, sql: str, params: Sequence[object]) -> Any:
        self.table = self.table or _table(sql)
        return await verb(sql, params)

    async def fetch(self, sql: str, params: Sequence[object] = ()) -> Any:
        return await self._noted(self._inner.fetch, sql, params)

    async def fetch_one(self, sql: str, params: Sequence[object] = ()) -> Any:
        return await self._noted(self._inner.fetch_one, sql, params)

    async def execute(self, sql: str, params: Sequence[object] = ()) -> Any:
        return await self._noted(self._inner.execute, sql, params)


def _table(sql: str) -> str:
    found = _TABLE.search(sql)
    return found[1] if found else "?"
