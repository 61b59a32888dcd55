"""What a provider has counted for one call, and what that likely comes to where it did not say."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from core.llm.wire import Heard
from core.records import Usage

FREE_WITHOUT_ANSWER = {
    "rate_limited",
    "rejected",
    "unreachable",
    "server_error",
    "context_overflow",
}
"""Failures that no provider bills when nothing of an answer had arrived."""
BYTES_OF_A_TOKEN = 4
"""In UTF-8: English has four characters to a token, and a character of a dense script is three
bytes and nearly a token."""
TOKENS_OF_A_PICTURE = 1_500


class Counted(NamedTuple):
    usage: Usage | None
    """What the provider said; None where it said nothing, and may have counted all the same."""
    likely: Usage | None
    """An estimate of all of it; None where it was all said."""


def counted(
    said: Heard, announced: Sequence[Usage], outcome: str, *, prompt: Callable[[], int], images: int
) -> Counted:
    """For an answer of which this much was heard.

    `announced` is what came ahead of it. `prompt` estimates the tokens that were sent: it is asked
    only where an answer ended before the provider had said what it counted.
    """
    if said.usage is not None and said.finish:
        return Counted(_with(said.usage, images), None)
    known = said.usage or (announced[-1] if announced else None)
    if known is None and outcome in FREE_WITHOUT_ANSWER and not said.model and not said.size:
        return Counted(Usage(), None)
    sent = known.input_tokens if known else prompt() + images * TOKENS_OF_A_PICTURE
    made = said.size // BYTES_OF_A_TOKEN + 1 if said.size else 0
    likely = replace(
        known or Usage(),
        input_tokens=sent,
        output_tokens=max(made, known.output_tokens if known else 0),
    )
    return Counted(known and _with(known, images), _with(likely, images))


def tokens(texts: Iterable[str]) -> int:
    """About how many tokens the texts are."""
    return sum(len(text.encode("utf-8", "replace")) for text in texts) // BYTES_OF_A_TOKEN + 1


def _with(usage: Usage, images: int) -> Usage:
    return replace(usage, images=images) if images else usage
