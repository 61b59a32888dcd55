"""Says in plain words what it means that Microsoft Graph refused, or did not answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from core import errors
from core.connectors.outcome import Failed, NeedsAccount, Outcome, Unknown
from core.errors import CountersignError

_MESSAGE = 300
"""Characters of Graph's own words that people are shown."""
_SILENCE = "and did not hear back"
_NO_ANSWER = "Microsoft did not answer in time."
_SAID = {
    401: "Microsoft no longer takes this sign-in: the account has to be connected again.",
    404: "Microsoft does not find it: it was moved, deleted, or never there.",
    409: "Something of that name is there already.",
    412: "It has been changed by somebody since it was shown.",
    413: "It is too large for Microsoft to take.",
    423: "It is locked: somebody has it open.",
}


class GraphFailed(CountersignError):
    """Microsoft did not do what it was asked for.

    `status` is 0 where there was no answer that could be read. `was_sent` is False where the
    request certainly never arrived. `claims` is the claims challenge of a 401, as JSON.
    """

    def __init__(
        self,
        status: int,
        message: str = "",
        *,
        code: str = "",
        retry_after: int = 0,
        request_id: str = "",
        claims: str = "",
        was_sent: bool = True,
    ) -> None:
        super().__init__(message or f"Microsoft answered with status {status}")
        self.status = status
        self.message = " ".join(message.split())[:_MESSAGE]
        self.code = code
        self.retry_after = retry_after
        self.request_id = request_id
        self.claims = claims
        self.was_sent = was_sent

    @property
    def is_certain(self) -> bool:
        """Whether it certainly did not happen. A gateway's 5xx may hide an effect, as may a
        redirect and a 408."""
        if self.status == 0:
            return not self.was_sent
        return 400 <= self.status < 500 and self.status != 408


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How one effect speaks of itself where it fails."""

    asked: str
    """`send this mail`."""
    nothing: str = "Nothing was sent."
    look_at: str = ""
    """Where a person finds out what came of it."""
    needs: Sequence[str] = ()
    """The permissions that it uses."""


def outcome(failure: GraphFailed, wording: Wording) -> Outcome:
    """What a failed request for an effect comes to. Never `Done`."""
    if failure.status == 401:
        needs = sign_in(failure)
        return NeedsAccount(sentence=str(needs), kind=needs.kind, claims=needs.claims)
    if failure.is_certain:
        return Failed(
            reason=f"{reason(failure, wording.needs)} {wording.nothing}",
            request_id=failure.request_id,
        )
    ended = f"but it answered with an error ({failure.status})" if failure.status else _SILENCE
    return Unknown(
        sentence=f"I asked Microsoft to {wording.asked}, {ended}.",
        look_at=wording.look_at,
        request_id=failure.request_id,
    )


def sign_in(failure: GraphFailed, scopes: Sequence[str] = ()) -> errors.NeedsAccount:
    """What a 401 asks the person for."""
    if failure.claims:
        sentence = "Microsoft asks for a further proof that it is you: connect again."
        return errors.NeedsAccount(
            "interaction_required", sentence, scopes=tuple(scopes), claims=failure.claims
        )
    sentence = "Microsoft no longer takes this sign-in: connect again."
    return errors.NeedsAccount("revoked", sentence, scopes=tuple(scopes))


def reason(failure: GraphFailed, needs: Sequence[str] = ()) -> str:
    """A whole sentence for people, and for the model."""
    status = failure.status
    if sentence := _SAID.get(status):
        return sentence
    if status == 0:
        return _NO_ANSWER if failure.was_sent else "Microsoft could not be reached."
    if status == 403:
        return _forbidden(failure, needs)
    if status == 429:
        seconds = failure.retry_after
        later = f"in {seconds} seconds" if seconds else "in a minute"
        return f"Microsoft takes no more requests just now; try again {later}."
    if status >= 500:
        return f"Microsoft has a problem of its own ({status}); try again later."
    told = f": {failure.message.rstrip('.')}" if failure.message else ""
    return f"Microsoft did not take it ({status}{told})."


def _forbidden(failure: GraphFailed, needs: Sequence[str]) -> str:
    if failure.code == "ErrorSendAsDenied":
        return "Microsoft does not let this account send in that name."
    named = " and ".join(needs)
    if not named:
        return "Microsoft does not permit this."
    kind = "permission" if len(needs) == 1 else "permissions"
    return (
        f"Microsoft does not permit this: it needs the {kind} {named}, and the right to this very"
        " thing."
    )
