"""The stand-in's REST: datasets, refreshes and executeQueries, refused as the service refuses."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from aiohttp import web

from tests.fakes.powerbi.engine import SemanticModel
from tests.fakes.powerbi.grammar import DaxError

MISSING = "You cannot query the dataset or you do not have the required permissions."


@dataclass
class Someone:
    """Whose token it is; `may` holds the models on which they have Read and Build."""

    name: str
    may: frozenset[str]


@dataclass
class PowerBIService:
    models: dict[str, SemanticModel]
    people: dict[str, Someone]
    """By bearer token."""
    a_minute: int = 120
    most_rows: int = 100_000
    is_switched_on: bool = True
    knows_itself: bool = True
    """Off: INFO.VIEW.* is refused, as some tenants do."""
    fault: Callable[[str], web.Response | None] = lambda query: None
    """Asked with each query; what it returns is the answer."""
    now: Callable[[], float] = lambda: asyncio.get_running_loop().time()
    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Person and query, in order."""
    throttled: Counter[str] = field(default_factory=Counter)
    _sent: dict[str, list[float]] = field(default_factory=dict)

    def _someone(self, request: web.Request) -> Someone | None:
        return self.people.get(request.headers.get("authorization", "").removeprefix("Bearer "))

    def _model(self, request: web.Request, someone: Someone) -> SemanticModel | None:
        name = request.match_info["dataset"]
        return self.models.get(name) if name in someone.may else None

    async def dataset(self, request: web.Request) -> web.Response:
        someone = self._someone(request)
        if someone is None:
            return expired()
        model = self._model(request, someone)
        if model is None:
            return refused(404, "PowerBIEntityNotFound", MISSING)
        is_told = bool(model.rows_of)
        return web.json_response({"name": model.name, "isEffectiveIdentityRequired": is_told})

    async def refreshes(self, request: web.Request) -> web.Response:
        someone = self._someone(request)
        if someone is None:
            return expired()
        model = self._model(request, someone)
        if model is None:
            return refused(404, "PowerBIEntityNotFound", MISSING)
        return web.json_response({"value": [{"status": "Completed", "endTime": model.refreshed}]})

    async def execute(self, request: web.Request) -> web.Response:
        someone = self._someone(request)
        if someone is None:
            return expired()
        given = await request.json()
        if not self._lets_in(someone.name):
            self.throttled[someone.name] += 1
            error = {"error": {"code": "RequestThrottled"}}
            return web.json_response(error, status=429, headers={"Retry-After": "37"})
        queries = given.get("queries") or []
        if len(queries) != 1:
            return refused(400, "", "Only one query is supported per call.", 0)
        query = str(queries[0].get("query", ""))
        self.asked.append((someone.name, query))
        if (made := self.fault(query)) is not None:
            return made
        if not self.is_switched_on:
            said = "The 'Dataset Execute Queries REST API' is not enabled for this tenant."
            return refused(403, "FeatureNotAvailableError", said)
        model = self._model(request, someone)
        if model is None:
            return refused(404, "PowerBIEntityNotFound", MISSING)
        if "INFO." in query and not self.knows_itself:
            return refused(400, "", "Failed to execute the DAX query.", 3239575574)
        try:
            columns, rows = model.answer(query, someone.name)
        except DaxError as error:
            if error.code == 0:
                return web.json_response(partial(str(error)))
            return refused(400, "", str(error), error.code)
        nulls = bool((given.get("serializerSettings") or {}).get("includeNulls"))
        return web.json_response(self._result(columns, rows, nulls), dumps=dumped)

    def _lets_in(self, name: str) -> bool:
        now, sent = self.now(), self._sent.setdefault(name, [])
        sent[:] = [at for at in sent if at > now - 60]
        if len(sent) >= self.a_minute:
            return False
        sent.append(now)
        return True

    def _result(self, columns: list[str], rows: list[Any], nulls: bool) -> dict[str, Any]:
        shown = [
            {
                name: cell
                for name, cell in zip(columns, row, strict=True)
                if cell is not None or nulls
            }
            for row in rows[: self.most_rows]
        ]
        result: dict[str, Any] = {"tables": [{"rows": shown}]}
        if len(rows) > self.most_rows:
            said = f"More than {self.most_rows} rows in a query result"
            result["error"] = {"code": "QueryResultTooManyRows", "message": said}
        return {"results": [result]}


def partial(said: str) -> dict[str, Any]:
    """Two EVALUATEs: 200, no table, and an error beside it."""
    return {"results": [{"tables": [], "error": {"code": "MultipleTables", "message": said}}]}


def expired() -> web.Response:
    said = "Access token has expired, resubmit with a new access token"
    return web.json_response({"error": {"code": "TokenExpired", "message": said}}, status=401)


def refused(status: int, code: str, said: str, engine: int | None = None) -> web.Response:
    """The shape in which the service wraps what its engine says."""
    code = code or "DatasetExecuteQueriesError"
    details = [{"code": "DetailsMessage", "detail": {"type": 1, "value": said}}]
    if engine:
        value = {"type": 1, "value": str(engine)}
        details.append({"code": "AnalysisServicesErrorCode", "detail": value})
    inner = {"code": code, "parameters": {}, "details": details}
    return web.json_response({"error": {"code": code, "pbi.error": inner}}, status=status)


def dumped(value: object) -> str:
    return json.dumps(value, default=_plain)


def _plain(value: object) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date):
        return f"{value.isoformat()}T00:00:00"
    raise TypeError(type(value))


@asynccontextmanager
async def serving(service: PowerBIService) -> AsyncGenerator[PowerBIService]:
    """On loopback; its address in `url`."""
    app = web.Application()
    for start in ("/v1.0/myorg", "/v1.0/myorg/groups/{group}"):
        path = f"{start}/datasets/{{dataset}}"
        app.router.add_get(path, service.dataset)
        app.router.add_get(f"{path}/refreshes", service.refreshes)
        app.router.add_post(f"{path}/executeQueries", service.execute)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    service.url = f"http://127.0.0.1:{port}/v1.0/myorg"
    try:
        yield service
    finally:
        await runner.cleanup()
