"""A model provider on loopback that speaks OpenAI's, Azure OpenAI's and Anthropic's protocols.

    async with ModelServer() as server:
        server.script([call("sales_by", group_by="region"), say("North leads [1].")])
        …  # point a model's base_url at server.openai_url
        assert server.asked[0].tools == ["sales_by"]

Steps are taken in order by whoever asks; `answer` sets a function of the request instead. A
request after the last step gets a 418, so that a call too many shows. The server keeps its own
bill: `billed` has what each request cost in tokens, zero for those it refused.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from aiohttp import web

from tests.fakes import model_anthropic, model_openai, model_responses
from tests.fakes.model_script import Asked, Counted, Json, Step, count, failing, say

EXHAUSTED = failing(418, "script_exhausted", "the script of the fake server has no step left")


class ModelServer:
    def __init__(self, *, dimensions: int = 8) -> None:
        self.asked: list[Asked] = []
        """Every request, in order of arrival, embeddings included."""
        self.billed: list[Counted] = []
        """One per request of `asked`."""
        self.steps: list[Step | None] = []
        """What was done about each of them; None for an embedding that succeeded."""
        self.dimensions = dimensions
        self.has_stalled = asyncio.Event()
        """Set when a request is held open by a `hang` or a `stall`."""
        self._next: Callable[[Asked], Step] = lambda asked: say("Hello.")
        self._embedding_failures: list[Step] = []
        self._closing = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._port = 0

    def script(self, steps: Iterable[Step]) -> None:
        """Take these steps in order, one per chat request."""
        left = iter(list(steps))
        self._next = lambda asked: next(left, EXHAUSTED)

    def fail_embeddings(self, steps: Iterable[Step]) -> None:
        """Answer the next embedding requests with these failures; all others succeed."""
        self._embedding_failures = list(steps)

    def answer(self, decide: Callable[[Asked], Step]) -> None:
        """Let a function of the request decide."""
        self._next = decide

    @property
    def openai_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def azure_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def total(self) -> Counted:
        """The whole bill."""
        names = ("input", "cached", "cache_write", "output", "reasoning")
        return Counted(**{n: sum(getattr(c, n) for c in self.billed) for n in names})

    async def __aenter__(self) -> "ModelServer":
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/openai/deployments/{name}/chat/completions", self._azure)
        app.router.add_post("/v1/responses", self._responses)
        app.router.add_post("/v1/embeddings", self._embeddings)
        app.router.add_post("/v1/messages", self._anthropic)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, "openai", model_openai)

    async def _responses(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, "responses", model_responses)

    async def _azure(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, "azure", model_openai)

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, "anthropic", model_anthropic)

    async def _serve(self, request: web.Request, route: str, dialect: Any) -> web.StreamResponse:
        asked = Asked(route=route, body=await request.json(), headers=dict(request.headers))
        step = self._next(asked)
        if route == "anthropic" and (reason := model_anthropic.refusal(asked.body)):
            step = failing(400, "invalid_request", reason)
        is_billed = step.status == 200 and not step.hangs
        counted = count(asked, step) if is_billed else Counted()
        self.asked.append(asked)
        self.billed.append(counted)
        self.steps.append(step)
        if step.hangs:
            self.has_stalled.set()
            await self._closing.wait()
        if step.status != 200:
            body = dialect.error_body(step)
            return web.json_response(body, status=step.status, headers=dict(step.headers))
        if not asked.body.get("stream"):
            return web.json_response(dialect.whole(asked, step, counted))
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        lines = list(dialect.events(asked, step, counted))
        for index, line in enumerate(lines):
            if step.held is not None and index == len(lines) // 2:
                await step.held.wait()
            await response.write(line.encode())
            if step.paced:
                await asyncio.sleep(step.paced)
        if step.stalls:
            self.has_stalled.set()
            await self._closing.wait()
        if step.is_abrupt and request.transport is not None:
            request.transport.abort()
        return response

    async def _embeddings(self, request: web.Request) -> web.Response:
        asked = Asked(route="embeddings", body=await request.json(), headers=dict(request.headers))
        texts: list[str] = asked.body["input"]
        self.asked.append(asked)
        if self._embedding_failures:
            step = self._embedding_failures.pop(0)
            self.billed.append(Counted())
            self.steps.append(step)
            if step.hangs:
                await self._closing.wait()
            body = model_openai.error_body(step)
            return web.json_response(body, status=step.status, headers=dict(step.headers))
        counted = Counted(input=sum(max(1, len(t) // 4) for t in texts))
        self.billed.append(counted)
        self.steps.append(None)
        rows: list[Json] = [
            {"object": "embedding", "index": i, "embedding": _vector(t, self.dimensions)}
            for i, t in enumerate(texts)
        ]
        usage = {"prompt_tokens": counted.input, "total_tokens": counted.input}
        return web.json_response(
            {"object": "list", "model": asked.model, "data": rows, "usage": usage}
        )


def _vector(text: str, dimensions: int) -> list[float]:
    """The same text has the same unit vector."""
    raw = hashlib.sha256(text.encode()).digest()
    numbers = [raw[i % len(raw)] - 127.5 for i in range(dimensions)]
    length = sum(n * n for n in numbers) ** 0.5
    return [n / length for n in numbers]
