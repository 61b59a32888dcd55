"""The sentence that ends a turn which could not be answered: what happened, what to do."""

from core.errors import (
    CountersignError,
    DeadlineExceeded,
    ModelFailed,
    OverBudget,
    Unavailable,
    Unreadable,
)
from core.records import TurnId

_MODEL = {
    "rate_limited": "the model is busy and took no more requests",
    "timeout": "the model did not answer in time",
    "unreachable": "the model could not be reached",
    "server_error": "the model's provider had a fault",
    "cut_stream": "the model's answer broke off in the middle, twice",
    "context_overflow": "this was too much text for the model, even after shortening",
    "blocked": "the model's own content filter stopped it",
    "rejected": "the model's provider did not accept the request",
}
_ADVICE = {
    "blocked": "Put the question differently; asking the same again would be stopped again.",
    "context_overflow": "Ask in a new thread, or for a smaller part.",
    "rejected": "An admin has to look at the model's settings; `countersign doctor` helps.",
}
_AGAIN = "Ask again; if it goes on, tell an admin the reference."


def sentence(failure: BaseException, turn: TurnId) -> str:
    """What the person reads. The reference finds the turn in the logs."""
    if isinstance(failure, OverBudget):
        return f"I stopped before the answer was there: {failure} (reference `{turn}`)"
    cause, advice = _cause(failure)
    return (
        f"I could not answer this: {cause}. Nothing was lost or changed, and your question is kept."
        f" {advice} (reference `{turn}`)"
    )


def interrupted(turn: TurnId) -> str:
    """The sentence of a turn that was cut off again and again and is not tried once more."""
    return (
        "I was interrupted while I worked on this, more than once, so I stopped. Nothing was"
        f" changed, and your question is kept. Ask again if it still matters. (reference `{turn}`)"
    )


def _cause(failure: BaseException) -> tuple[str, str]:
    match failure:
        case ModelFailed(kind=kind):
            return _MODEL.get(kind, "the model did not answer"), _ADVICE.get(kind, _AGAIN)
        case DeadlineExceeded():
            return "the time for it ran out", "Ask for a smaller part, or again later."
        case Unavailable():
            return "the database did not take a write", _AGAIN
        case Unreadable():
            return "its half-finished work could not be read again", "Ask again."
        case CountersignError():
            return "something it needs did not work", _AGAIN
        case BaseExceptionGroup():
            return _cause(failure.exceptions[0])
        case _:
            return "of a fault on our side", _AGAIN
