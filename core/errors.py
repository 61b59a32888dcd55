"""The exception tree: what can go wrong that a person, an operator or a caller has to know about.

Expected outcomes are returned as values; these are the surprises. Every docstring is the default
message.
"""

from typing import Literal


class CountersignError(Exception):
    """Something went wrong."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class Misconfigured(CountersignError):
    """The settings do not allow a safe start."""


class Unavailable(CountersignError):
    """The delivery could not be recorded; it has to be sent again."""


class NotAllowed(CountersignError):
    """This is not permitted here."""


class BadArguments(CountersignError):
    """The arguments do not fit the tool's schema."""


class Unreadable(CountersignError):
    """A sealed value is not one of ours, or it was altered."""


class SourceFailed(CountersignError):
    """A tool's server did not answer as it should."""


class Unreached(SourceFailed):
    """A tool's server could not be reached: it was asked for nothing."""


class DeadlineExceeded(CountersignError):
    """The time for this ran out."""


class OverBudget(CountersignError):
    """The budget is used up."""


class DeliveryFailed(CountersignError):
    """The chat platform did not take the post; trying again may help.

    `retry_after` is the wait in seconds that the platform asked for, 0 when it named none.
    `reason` is the platform's own word (`ratelimited`, `channel_not_found`, …). With `is_final`
    no further try can succeed.
    """

    def __init__(self, reason: str, *, retry_after: float = 0.0, is_final: bool = False) -> None:
        super().__init__(f"the chat platform refused the post: {reason}")
        self.reason = reason
        self.retry_after = retry_after
        self.is_final = is_final


class ModelFailed(CountersignError):
    """The model did not answer.

    `kind` decides what happens next and what the person is told: `rate_limited`, `timeout`,
    `unreachable`, `server_error`, `cut_stream` (retried, bounded), `context_overflow`, `blocked`
    (a guardrail or content filter: billed once, never retried), `rejected` (a request or key the
    provider does not take).
    """

    def __init__(self, kind: str, message: str = "", *, retry_after: float = 0.0) -> None:
        super().__init__(message or f"the model did not answer: {kind}")
        self.kind = kind
        self.retry_after = retry_after


AccountNeed = Literal[
    "not_linked", "consent_required", "revoked", "interaction_required", "unavailable"
]


class NeedsAccount(CountersignError):
    """Your Microsoft account is needed for this.

    `kind`: `not_linked` (no account connected), `consent_required` (a permission was never
    granted), `revoked` (the sign-in counts no longer; what was stored is erased),
    `interaction_required` (a further proof is asked for: MFA, conditional access), `unavailable`
    (Microsoft did not answer as it should; trying again later may help, connecting does not).
    The message is the sentence for the person.

    `scopes` and `claims` are what a new sign-in has to ask for.
    """

    def __init__(
        self,
        kind: AccountNeed,
        sentence: str = "",
        *,
        scopes: tuple[str, ...] = (),
        claims: str = "",
    ) -> None:
        super().__init__(sentence or "Your Microsoft account is needed for this.")
        self.kind: AccountNeed = kind
        self.scopes = scopes
        self.claims = claims
