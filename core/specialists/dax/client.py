"""Asks the Power BI service with a person's own token."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar

from core.records import PersonId
from core.specialists.dax.failures import DaxFailed, failure
from core.specialists.dax.pace import Pace
from core.specialists.dax.source import SemanticModel

Cell = int | Decimal | str | bool | None
LARGEST = 16_000_000
"""Bytes of an answer. The service hands out 15 MB."""
ROWS = 1_000
"""That are kept of a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A result as the service gave it, its columns by name."""

    columns: tuple[str, ...]
    """`Product[Category]`, `[Total Sales]`"""
    rows: tuple[tuple[Cell, ...], ...]
    is_truncated: bool
    remark: str = ""
    """What the service said of a result of which it gave a part."""
    seconds: float


class PowerBI:
    """One HTTP client for everybody; tokens ride in the headers of a call and are never kept."""

    def __init__(self, url: str, pace: Pace) -> None:
        """`url` is `POWERBI_API_URL`: `https://api.powerbi.com/v1.0/myorg`."""
        self._url = url.rstrip("/")
        self._pace = pace
        self._session: ClientSession | None = None

    async def query(
        self,
        model: SemanticModel,
        dax: str,
        *,
        person: PersonId,
        token: str,
        deadline: float,
        rows: int = ROWS,
    ) -> Table:
        """The first table of the answer, cut at so many rows. Raises `DaxFailed`."""
        asked = {"queries": [{"query": dax}], "serializerSettings": {"includeNulls": True}}
        async with _within(deadline):
            await self._pace.turn(person)
            began = time.monotonic()
            body = await self._ask(
                "POST", f"{model.path}/executeQueries", token, model.title, person, asked
            )
        return _table(body, time.monotonic() - began, rows)

    async def about(
        self, model: SemanticModel, *, person: PersonId, token: str, deadline: float
    ) -> Mapping[str, Any]:
        """What the service says of the model itself: its name, whether rows depend on who asks.
        Raises `DaxFailed`."""
        async with _within(deadline):
            return _mapping(await self._ask("GET", model.path, token, model.title, person))

    async def refreshed(
        self, model: SemanticModel, *, person: PersonId, token: str, deadline: float
    ) -> str:
        """When the model's data was last loaded; empty where this person may not know."""
        path = f"{model.path}/refreshes?$top=1"
        try:
            async with _within(deadline):
                body = _mapping(await self._ask("GET", path, token, model.title, person))
        except DaxFailed:
            return ""
        last = _mapping(next(iter(_listed(body.get("value"))), None))
        return str(last.get("endTime") or "")

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _ask(
        self,
        method: str,
        path: str,
        token: str,
        title: str,
        person: PersonId,
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        if self._session is None:
            self._session = ClientSession(cookie_jar=DummyCookieJar())
        try:
            async with self._session.request(
                method,
                f"{self._url}{path}",
                json=body,
                headers={"authorization": f"Bearer {token}"},
                allow_redirects=False,
                timeout=ClientTimeout(total=None),
            ) as answer:
                raw = await answer.content.read(LARGEST + 1)
                while len(raw) <= LARGEST and (more := await answer.content.read(LARGEST)):
                    raw += more
                if len(raw) > LARGEST:
                    raise DaxFailed("too_large", "The result is larger than Power BI hands out.")
                found = _parsed(raw)
                if answer.status == 200 and found is not None:
                    return found
                said = failure(answer.status, found, answer.headers.get("retry-after"), title)
        except ClientError:
            raise DaxFailed("service", "Power BI cannot be reached. Try again later.") from None
        if said.kind == "throttled":
            await self._pace.hold(person, said.retry_after)
        raise said


@asynccontextmanager
async def _within(seconds: float) -> AsyncGenerator[None]:
    """A deadline whose end is a sentence."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise DaxFailed("timeout", "Power BI did not answer in time.") from None


def _parsed(raw: bytes) -> object:
    try:
        return json.loads(raw, parse_float=Decimal)
    except ValueError:
        return None


def _table(body: object, seconds: float, most: int) -> Table:
    """The service answers 200 with a part of the rows and an error beside them, or with an error
    alone."""
    result = _mapping(next(iter(_listed(_mapping(body).get("results"))), None))
    error = _mapping(result.get("error") or _mapping(body).get("error"))
    tables = _listed(result.get("tables"))
    if not tables:
        said = str(error.get("message") or error.get("code") or "it sent no table")
        raise DaxFailed("query", f"Power BI refused the query: {said[:600]}")
    rows = [_mapping(row) for row in _listed(_mapping(tables[0]).get("rows"))]
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    remark = str(error.get("message") or error.get("code") or "")[:300]
    return Table(
        columns=columns,
        rows=tuple(tuple(_cell(row.get(name)) for name in columns) for row in rows[:most]),
        is_truncated=bool(remark) or len(rows) > most or len(tables) > 1,
        remark=remark,
        seconds=seconds,
    )


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, bool | int | Decimal | str):
        return value
    return json.dumps(value)


def _listed(value: object) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
