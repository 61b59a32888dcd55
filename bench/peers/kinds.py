"""The agents that are measured, by name, behind one call: a question of a thread in, answered."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bench import words

Turn = Callable[[str, str], Awaitable[None]]
"""(thread, question) → the turn is over and kept."""


@dataclass(slots=True, kw_only=True)
class Script:
    """What the model does in every agent: one call of the tool, then an answer."""

    seconds: float = 0.0
    """How long the model takes for each of its two replies."""
    answers: int = 0
    """How many answers it gave."""
    prompts: list[str] = field(default_factory=list)
    """What it was last shown, one text a message; how much that is, is what a provider bills."""

    def hear(self, prompt: list[str]) -> None:
        self.prompts = prompt

    def answer(self) -> str:
        self.answers += 1
        return words.answer(self.answers)

    @property
    def characters(self) -> int:
        return sum(map(len, self.prompts))


class Open(Protocol):
    def __call__(self, folder: Path, script: Script) -> AbstractAsyncContextManager[Turn]: ...


def opened(name: str, folder: Path, script: Script) -> AbstractAsyncContextManager[Turn]:
    """The agent of that name, with all that it keeps under `folder`. Only its own libraries are
    imported."""
    folder.mkdir(parents=True)
    found: Open
    match name:
        case "countersign":
            from bench.peers.countersign import agent as found
        case "countersign, embedding":
            from bench.peers.countersign import embedding_agent as found
        case "langchain":
            from bench.peers.langchain_agent import agent as found
        case "pydantic-ai":
            from bench.peers.pydantic_agent import agent as found
        case "openai-agents":
            from bench.peers.openai_agent import agent as found
        case _:
            raise KeyError(name)
    return found(folder, script)


AGENTS = ("countersign", "countersign, embedding", "langchain", "pydantic-ai", "openai-agents")
