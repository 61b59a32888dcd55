"""The one door to an embedding model."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import Misconfigured, ModelFailed
from core.ledger.meter import Meter
from core.llm import minilm
from core.llm.clients import CONNECT_SECONDS, OPENAI_ADDRESS, caught, load_httpx
from core.llm.counted import tokens
from core.llm.failures import failure
from core.llm.models import ModelSettings, parse
from core.llm.retry import persist
from core.ports import Clock
from core.records import Billing, Usage

BATCH = 128
"""Texts in one request to an endpoint; OpenAI takes 2,048 texts and 300,000 tokens."""
KNOWN_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
TIMEOUT = 30.0
"""Seconds for one `embed`, unless the caller has less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """Where texts become vectors: in this process, or at an OpenAI-compatible endpoint."""

    name: str = "minilm"
    """`minilm` or `openai:NAME`."""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    dimensions: int = 0
    """0: the model's own, where it is known."""


class EmbedDoor:
    """Turns texts into vectors and meters every request.

    Vectors of different models cannot be compared: keep `model` beside them.
    """

    def __init__(
        self,
        settings: EmbeddingSettings,
        meter: Meter,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Loads nothing yet. Raises `Misconfigured`."""
        self._remote = _remote(settings)
        self.model = minilm.NAME if self._remote is None else self._remote.name
        self.dimensions = _dimensions(settings, self._remote)
        self._wanted_dimensions = settings.dimensions
        self._meter = meter
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter
        self._local: minilm.MiniLm | None = None
        self._client: Any = None
        self._one_at_a_time = asyncio.Lock()

    async def embed(
        self, texts: Sequence[str], billing: Billing, deadline: float = TIMEOUT
    ) -> list[list[float]]:
        """One vector per text, in order.

        When this returns, every request has its committed ledger entry. Raises `ModelFailed`,
        and whatever the meter raises.
        """
        ends = asyncio.get_running_loop().time() + deadline
        vectors: list[list[float]] = []
        step = BATCH if self._remote is not None else minilm.BATCH
        for start in range(0, len(texts), step):
            batch = texts[start : start + step]
            if self._remote is None:
                vectors += await self._embed_here(batch, billing, ends)
            else:
                vectors += await self._embed_there(self._remote, batch, billing, ends)
        return vectors

    async def close(self) -> None:
        """Close the connection to the endpoint, if there is one."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _embed_here(
        self, texts: Sequence[str], billing: Billing, ends: float
    ) -> list[list[float]]:
        use = self._meter.begin(billing, kind="embedding", provider="minilm", model=self.model)
        try:
            async with asyncio.timeout_at(ends), self._one_at_a_time:
                if self._local is None:
                    self._local = await asyncio.to_thread(minilm.load)
                vectors, count = await asyncio.to_thread(self._local.embed, texts)
        except TimeoutError:
            await self._meter.end(use, Usage(), outcome="timeout")
            raise ModelFailed("timeout", "the offline embeddings took too long") from None
        await self._meter.end(use, Usage(input_tokens=count), outcome="ok")
        return vectors

    async def _embed_there(
        self, remote: ModelSettings, texts: Sequence[str], billing: Billing, ends: float
    ) -> list[list[float]]:
        async def attempt(number: int) -> list[list[float]]:
            return await self._request(remote, texts, billing, number, ends)

        return await persist(attempt, ends, sleep=self._sleep, jitter=self._jitter)

    async def _request(
        self,
        remote: ModelSettings,
        texts: Sequence[str],
        billing: Billing,
        attempt: int,
        ends: float,
    ) -> list[list[float]]:
        use = self._meter.begin(
            billing,
            kind="embedding",
            provider=remote.provider,
            model=remote.name,
            attempt=attempt,
        )
        usage: Usage | None = Usage()
        outcome = "failed"
        try:
            answer = await self._send(remote, texts, ends)
            spent = getattr(answer.usage, "prompt_tokens", None)
            usage = None if spent is None else Usage(input_tokens=spent)
            vectors = [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]
            self._check(vectors, len(texts))
            outcome = "ok"
            return vectors
        except ModelFailed as failed:
            outcome = failed.kind
            usage = None if failed.kind == "timeout" else usage
            raise
        except asyncio.CancelledError:
            outcome, usage = "cancelled", None
            raise
        finally:
            likely = None if usage is not None else Usage(input_tokens=tokens(texts))
            await self._meter.end(use, usage, outcome=outcome, likely=likely)

    async def _send(self, remote: ModelSettings, texts: Sequence[str], ends: float) -> Any:
        # Ten first questions at once must not make ten clients of which nine are never closed.
        async with self._one_at_a_time:
            if self._client is None:
                self._client = await asyncio.to_thread(_client, remote)
        more = {"dimensions": self._wanted_dimensions} if self._wanted_dimensions else {}
        try:
            async with asyncio.timeout_at(ends):
                return await self._client.embeddings.create(
                    model=remote.name,
                    # The endpoint refuses an empty text, and with it the whole batch.
                    input=[text or " " for text in texts],
                    encoding_format="float",
                    **more,
                )
        except caught() as error:
            raise failure(error, remote, has_begun=False, now=self._clock()) from None

    def _check(self, vectors: list[list[float]], wanted: int) -> None:
        if len(vectors) != wanted or any(len(v) != self.dimensions for v in vectors):
            raise ModelFailed(
                "rejected",
                f"`{self.model}` did not return {wanted} vectors of {self.dimensions} numbers",
            )


def _remote(settings: EmbeddingSettings) -> ModelSettings | None:
    if settings.name == "minilm":
        return None
    model = parse(settings.name)
    if model.provider != "openai":
        raise Misconfigured(f"embeddings are `minilm` or `openai:NAME`, not `{settings.name}`")
    if not settings.api_key and not settings.base_url:
        raise Misconfigured(f"embeddings with `{settings.name}` need a key (OPENAI_API_KEY)")
    return ModelSettings(
        provider="openai", name=model.name, base_url=settings.base_url, api_key=settings.api_key
    )


def _dimensions(settings: EmbeddingSettings, remote: ModelSettings | None) -> int:
    if remote is None:
        return minilm.DIMENSIONS
    found = settings.dimensions or KNOWN_DIMENSIONS.get(remote.name, 0)
    if not found:
        raise Misconfigured(f"embeddings with `{settings.name}` need their number of dimensions")
    return found


def _client(remote: ModelSettings) -> Any:
    from httpx2 import Timeout
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    load_httpx()
    timeout = Timeout(None, connect=CONNECT_SECONDS)
    return AsyncOpenAI(
        api_key=remote.api_key or "none",
        base_url=remote.base_url or OPENAI_ADDRESS,
        max_retries=0,
        timeout=timeout,
        http_client=DefaultAsyncHttpxClient(timeout=timeout),
    )
