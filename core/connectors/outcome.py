"""The seam of an effect: how a parked call is prepared, described, carried out and read back."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from core.cards import CardField
from core.errors import AccountNeed
from core.parked import EffectKind, ParkedCall
from core.records import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """It happened."""

    summary: str
    """One sentence for people: `Sent to priya@example.com and 2 more.`"""
    link: str = ""
    """Where it can be seen; https only, from the provider, never from the arguments."""
    request_id: str = ""
    """The provider's own id of the request, for the audit."""
    evidence: Json | None = None
    """What the thread's next turn may know of it; never a token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """It certainly did not happen."""

    reason: str
    """In plain words for people, a whole sentence."""
    request_id: str = ""
    can_try_again: bool = True
    was_asked: bool = True
    """False where the provider was not even reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """It was asked for, and nobody knows what came of it."""

    sentence: str
    """`I asked Outlook to send this and did not hear back.`"""
    look_at: str = ""
    """Where a person finds out: `your Sent Items`."""
    request_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsAccount:
    """It did not happen, because the provider no longer takes this person's sign-in."""

    sentence: str
    kind: AccountNeed = "revoked"
    """As `core.errors.NeedsAccount.kind`."""
    claims: str = ""
    """The claims challenge, as JSON: what the new sign-in has to prove."""


Outcome = Done | Failed | Unknown | NeedsAccount


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The effect in words. Values are raw: the card makes hidden and confusable text visible and
    marks external addresses."""

    title: str
    """`Send a mail`."""
    fields: tuple[CardField, ...]
    """All that will happen, in the order of importance; recipients before the text. Empty
    arguments that do nothing may be left out, everything else may not."""
    notices: tuple[str, ...] = ()
    """`Invitations go out to everybody on the list.`"""


class Effect(Protocol):
    """What stands behind one writing tool. Reached by the executor alone."""

    @property
    def tool(self) -> str:
        """Its key: `office/send_mail`."""
        ...

    def kind(self, granted: Collection[str]) -> EffectKind:
        """How certain its outcome will be with these scopes."""
        ...

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        """The least that this needs; empty where no Microsoft account is used."""
        ...

    async def prepare(self, call: ParkedCall) -> Json:
        """What the host adds when the call runs: sender, signature, names, sizes and hashes of
        attachments. Kept in the row as `facts`, part of the digest, and all that `perform` may
        use besides the arguments. Reads only, within two seconds,
        and works without an account unless something has to be looked up with it.

        Raises BadArguments with a sentence when the call cannot be carried out as it is (an
        attachment that is not this thread's, a name that two people have), NeedsAccount when it
        cannot be shown without an account of `call.authority`.
        """
        ...

    def describe(self, arguments: Json, facts: Json) -> Description:
        """Pure."""
        ...

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        """Do it, once, with the SDK's own retries off, as `call.effect` says. `token` is fresh and
        that of `call.authority`; "" where `scopes` are empty. `call.id` is the key for whatever
        takes one. May raise anything: then the outcome is unknown."""
        ...

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        """What came of an earlier `perform` whose answer was lost; never asked of a blind one.

        `keyed`: after None it is performed again with the same key. `checkable`: after None it is
        asked again a little later, in the end people are told that it is unknown; what provably
        did not happen may be completed in here, or be a `Failed`.
        """
        ...
