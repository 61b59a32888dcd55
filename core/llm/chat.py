"""The one door to a chat model."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

from core.errors import ModelFailed
from core.ledger.meter import Meter
from core.llm.clients import Clients, caught, untraced
from core.llm.counted import counted, tokens
from core.llm.demo import model as demo
from core.llm.failures import failure
from core.llm.models import ModelSettings, dialect, find, unknown
from core.llm.opening import noting
from core.llm.retry import persist
from core.llm.wire import Heard, heard, to_langchain, tool_schemas
from core.ports import Clock
from core.records import Billing, ModelMessage, ModelReply, ToolSchema, Usage

if TYPE_CHECKING:
    from langchain_core.messages import AIMessageChunk

AT_THE_LIMIT = {"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"}
"""The providers' words for an answer that was cut by a length."""


class Ear(Protocol):
    """Hears an answer while it is being written."""

    def begin(self) -> None:
        """A try begins: what was heard before counts no more."""
        ...

    def hear(self, words: str) -> None: ...


class Gate(Protocol):
    """Lets a call through, or raises why not."""

    def __call__(
        self, model: ModelSettings, size: Callable[[], int], billing: Billing
    ) -> AbstractAsyncContextManager[None]:
        """Stands around one call with all its tries. `size` counts the characters of its prompt.
        Raises `OverBudget`."""
        ...


def _open_gate(
    model: ModelSettings, size: Callable[[], int], billing: Billing
) -> AbstractAsyncContextManager[None]:
    return nullcontext()


class ChatDoor:
    """Asks models and meters every attempt.

    `ask` is the only method that reaches a model. `sleep` and `jitter` are the retries' clock
    and dice.
    """

    def __init__(
        self,
        models: Mapping[str, ModelSettings],
        meter: Meter,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        gate: Gate = _open_gate,
    ) -> None:
        self._models = models
        self._meter = meter
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter
        self._gate = gate
        self._clients = Clients()

    async def ask(
        self,
        model: str,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        billing: Billing,
        deadline: float,
        ear: Ear | None = None,
    ) -> ModelReply:
        """The model's next message; `ear` hears its words as they arrive.

        `deadline` is the time left in seconds, for all attempts together. When this returns or
        raises, each attempt has its committed ledger entry. Raises `ModelFailed` with the kind
        of the last attempt, `OverBudget` where nothing may be asked, and whatever the meter
        raises.
        """
        settings = find(self._models, model)
        if settings is None:
            raise ModelFailed("rejected", unknown(self._models, model))
        async with self._gate(settings, lambda: _size(messages, tools), billing):
            return await self._asked(settings, messages, tools, billing, deadline, ear)

    async def _asked(
        self,
        settings: ModelSettings,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        billing: Billing,
        deadline: float,
        ear: Ear | None,
    ) -> ModelReply:
        if settings.provider == "demo":
            return await self._demonstrate(messages, tools, billing, ear)
        ends = asyncio.get_running_loop().time() + deadline

        async def attempt(number: int) -> ModelReply:
            if ear is not None:
                ear.begin()
            return await self._attempt(
                settings, messages, tools, billing, attempt=number, ends=ends, ear=ear
            )

        return await persist(attempt, ends, sleep=self._sleep, jitter=self._jitter)

    async def close(self) -> None:
        """Close the connections to all providers."""
        await self._clients.close()

    async def _attempt(
        self,
        settings: ModelSettings,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        billing: Billing,
        *,
        attempt: int,
        ends: float,
        ear: Ear | None,
    ) -> ModelReply:
        images = sum(len(message.images) for message in messages)
        use = self._meter.begin(
            billing,
            kind="vision" if images else "chat",
            provider=settings.provider,
            model=settings.name,
            attempt=attempt,
        )
        chunks: list[AIMessageChunk] = []
        announced: list[Usage] = []
        said: Heard | None = None
        outcome = "failed"
        try:
            with noting() as announced:
                await self._listen(settings, messages, tools, chunks, ends, ear)
            said = heard(chunks)
            reply = _reply(said, settings)
            outcome = "length" if reply.finish == "length" else "ok"
            return reply
        except ModelFailed as failed:
            outcome = failed.kind
            raise
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            # Also on the way out with an error: what was used has to be in the books.
            said = said or heard(chunks)
            usage, likely = counted(
                said,
                announced,
                outcome,
                prompt=lambda: tokens(_texts(messages, tools)),
                images=images,
            )
            await self._meter.end(
                use, usage, outcome=outcome, reported_model=said.model, likely=likely
            )

    async def _listen(
        self,
        settings: ModelSettings,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        chunks: "list[AIMessageChunk]",
        ends: float,
        ear: Ear | None,
    ) -> None:
        """Fill `chunks` with the answer. Raises `ModelFailed`."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(ends):
                chat = await self._clients.of(settings)
        except TimeoutError:
            raise ModelFailed("timeout", f"`{settings.key}` was not ready in time") from None
        spoken = to_langchain(messages, dialect(settings), has_tools=bool(tools))
        runnable = chat.bind_tools(tool_schemas(tools)) if tools else chat
        try:
            with untraced():
                stream = runnable.astream(spoken)
                while True:
                    silence = min(ends, loop.time() + settings.timeout)
                    async with asyncio.timeout_at(silence):
                        chunk = await anext(stream, None)
                    if chunk is None:
                        return
                    chunks.append(chunk)  # pyright: ignore[reportArgumentType]
                    if ear is not None and (words := str(chunk.text)):
                        ear.hear(words)
        except caught() as error:
            # Without the cause: the client's exceptions hold headers and the request.
            raise failure(error, settings, has_begun=bool(chunks), now=self._clock()) from None

    async def _demonstrate(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        billing: Billing,
        ear: Ear | None,
    ) -> ModelReply:
        use = self._meter.begin(billing, kind="chat", provider="demo", model="demo")
        reply = demo.answer(messages, tools)
        if ear is not None:
            ear.begin()
            ear.hear(reply.message.text)
        await self._meter.end(use, reply.usage, outcome="ok")
        return reply


def _size(messages: Sequence[ModelMessage], tools: Sequence[ToolSchema]) -> int:
    """Characters of a prompt, with the calls and the schemas in it."""
    return sum(map(len, _texts(messages, tools)))


def _texts(messages: Sequence[ModelMessage], tools: Sequence[ToolSchema]) -> Iterator[str]:
    for message in messages:
        yield message.text
        yield str(message.calls or "")
    for tool in tools:
        yield tool.description
        yield json.dumps(tool.parameters)


def _reply(said: Heard, settings: ModelSettings) -> ModelReply:
    """The answer that a finished stream holds. Raises `ModelFailed`."""
    if not said.finish:
        raise ModelFailed("cut_stream", f"the answer of `{settings.key}` broke off")
    if said.finish in {"content_filter", "refusal"}:
        raise ModelFailed("blocked", f"`{settings.key}` or its content filter refused to answer")
    is_cut = said.finish in AT_THE_LIMIT
    return ModelReply(
        message=ModelMessage(role="assistant", text=said.text, calls=said.calls),
        usage=said.usage or Usage(),
        finish="length" if is_cut else "tools" if said.calls else "stop",
        model=said.model or settings.name,
    )
