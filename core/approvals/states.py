"""Which moves a parked call may make."""

from core.cards import CallState

MOVES: dict[CallState, frozenset[CallState]] = {
    # To itself: an agreement that is not the last one, an edit, an account that is missing.
    "parked": frozenset({"parked", "approved", "cancelled", "expired", "void"}),
    # Back to parked: the account is missing, or effects were switched off.
    "approved": frozenset({"executing", "parked", "failed", "expired", "void"}),
    "executing": frozenset({"done", "failed", "unknown", "parked"}),
    # A newer call stands for it, or a person says what came of it.
    "failed": frozenset({"void"}),
    "unknown": frozenset({"done", "void"}),
    "done": frozenset(),
    "cancelled": frozenset(),
    "expired": frozenset(),
    "void": frozenset(),
}

ENDED: frozenset[CallState] = frozenset({"done", "cancelled", "expired", "void"})
"""Nothing moves any more."""


def is_legal(before: CallState, after: CallState) -> bool:
    return after in MOVES[before]
