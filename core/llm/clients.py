"""The LangChain chat models, one per configured model, built on first use."""

import asyncio
import sys
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from core.ledger.prices import price
from core.llm.models import ModelSettings
from core.llm.opening import watch
from core.records import Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

CONNECT_SECONDS = 10.0
ANTHROPIC_ADDRESS = "https://api.anthropic.com"
OPENAI_ADDRESS = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class _Client:
    chat: "BaseChatModel"
    http: Any
    """The HTTP client under it (httpx2); ours, so that it can be closed."""


class Clients:
    """Keeps one client per model for as long as the process lives.

    Importing a provider's library takes 2 to 4 s of CPU. It happens in a thread, so that the
    loop goes on serving.
    """

    def __init__(self) -> None:
        self._built: dict[str, _Client] = {}
        self._building = asyncio.Lock()

    async def of(self, settings: ModelSettings) -> "BaseChatModel":
        """The chat model to ask. Its own retries are off: they would be calls that nobody
        counted."""
        async with self._building:
            if settings.key not in self._built:
                self._built[settings.key] = await asyncio.to_thread(_build, settings)
        return self._built[settings.key].chat

    async def close(self) -> None:
        for client in self._built.values():
            await client.http.aclose()
        self._built.clear()


def untraced() -> AbstractContextManager[None]:
    """A block in which LangChain reports to nobody, not even where the environment asks for
    LangSmith: what people ask goes to the provider alone."""
    from langsmith import run_helpers

    return cast(Any, run_helpers).tracing_context(enabled=False)


def caught() -> tuple[type[Exception], ...]:
    """What a client raises when a call fails. ValueError: a cut stream's last line is half a JSON
    document."""
    from httpx2 import HTTPError
    from langchain_core.exceptions import ModelError

    # Errors inside a stream are the SDK's own; only the SDKs that are in use are loaded. One that
    # another thread is in the middle of loading has raised nothing yet.
    names = ("openai", "anthropic")
    errors = [getattr(sys.modules.get(name), "APIError", None) for name in names]
    return (ModelError, HTTPError, TimeoutError, ValueError, *filter(None, errors))


def load_httpx() -> None:
    """OpenAI's client looks at httpx where anything has loaded it, also where another thread is in
    the middle of that: it is loaded whole before there is a client."""
    with suppress(ImportError):
        import_module("httpx")


def _build(settings: ModelSettings) -> _Client:
    # All that the first call needs is loaded here, in the thread: the price table, the tracing
    # that is to be turned off, the classes of what may go wrong.
    price(settings.provider, settings.name, Usage(), {}, at=0.0)
    with untraced():
        caught()
    if settings.provider == "anthropic":
        return _anthropic(settings)
    load_httpx()
    return _openai(settings)


def _openai(settings: ModelSettings) -> _Client:
    from httpx2 import Timeout
    from langchain_openai import AzureChatOpenAI, ChatOpenAI
    from openai import DefaultAsyncHttpxClient
    from pydantic import SecretStr

    # No timeout of the library's own: the door watches the silence between two chunks.
    timeout = Timeout(None, connect=CONNECT_SECONDS)
    http = DefaultAsyncHttpxClient(timeout=timeout)
    options: dict[str, Any] = {
        "api_key": SecretStr(settings.api_key or "none"),
        "http_async_client": http,
        "timeout": timeout,
        "max_retries": 0,
        "stream_usage": True,
        "stream_chunk_timeout": None,
        "use_responses_api": settings.use_responses_api,
    }
    if settings.max_output_tokens:
        options["max_tokens"] = settings.max_output_tokens
    if settings.provider == "azure":
        chat: BaseChatModel = AzureChatOpenAI(
            azure_endpoint=settings.base_url,
            azure_deployment=settings.name,
            api_version=settings.api_version,
            **options,
        )
    else:
        chat = ChatOpenAI(
            model=settings.name, base_url=settings.base_url or OPENAI_ADDRESS, **options
        )
    return _Client(chat, http)


def _anthropic(settings: ModelSettings) -> _Client:
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
    from httpx2 import Timeout
    from langchain_anthropic import ChatAnthropic
    from pydantic import SecretStr

    timeout = Timeout(None, connect=CONNECT_SECONDS)
    http = DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [watch]})
    options: dict[str, Any] = {}
    if settings.max_output_tokens:
        options["max_tokens"] = settings.max_output_tokens
    address = settings.base_url or ANTHROPIC_ADDRESS
    chat = ChatAnthropic(
        model_name=settings.name,
        base_url=address,
        api_key=SecretStr(settings.api_key),
        max_retries=0,
        stream_usage=True,
        **options,
    )
    # The library shares its HTTP clients across event loops and never closes them; this is the
    # place where it keeps the client that it would have made.
    vars(chat)["_async_client"] = AsyncAnthropic(
        api_key=settings.api_key,
        base_url=address,
        max_retries=0,
        timeout=timeout,
        http_client=http,
    )
    return _Client(chat, http)
