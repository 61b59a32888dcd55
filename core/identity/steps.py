"""What a sign-in comes to at each of its steps, and whose account it may be."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from core.identity.claims import Account
from core.records import Address, PersonId

SECONDS = 600.0
"""From the offer of a link to its first use, and from there until the browser is back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the chat platform vouches for about a person; empty where it says nothing."""

    address: str = ""
    name: str = ""


Directory = Callable[[PersonId], Awaitable[Known]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Send the browser to `url`, with the cookie that makes it the only one to come back."""

    url: str = field(repr=False)
    cookie: str
    """The cookie's name; one that begins with `__Host-` is for https alone."""
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Confirm:
    """Ask first: nothing is known that would tell this person from another. The cookie, which no
    other site can make a browser send along, shows later that the question was asked."""

    sentence: str
    key: str = field(repr=False)
    cookie: str
    """The cookie's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Nothing was linked. `reason` is for the log."""

    sentence: str
    reason: str
    is_temporary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """The person's account is connected. `address` is where they asked for it."""

    person: PersonId
    account: Account
    granted: frozenset[str]
    address: Address


STALE = Refusal(
    sentence="This link was used or is older than ten minutes. Ask for a new one in the chat.",
    reason="unknown_or_used",
)
ELSEWHERE = Refusal(
    sentence="This sign-in was begun in another browser. Ask for a new link in the chat.",
    reason="other_browser",
)
UNTRUSTED = "Microsoft's answer could not be verified, so nothing was connected."
_SOMEBODY_ELSE = (
    "You signed in as {address}, and this link was made for somebody else. Nothing was connected. "
    "Sign in with your own account, and only with a link that you asked for."
)
_ANOTHER = (
    "You signed in as {address}, and your account here is another one. Nothing was changed. If you "
    "connected that one yourself and want this one instead, disconnect first."
)
CONFIRM = (
    "This connects {name} in the chat with the Microsoft account that you sign in with. Go on only "
    "if that is you, and you asked for this link just now."
)


def stranger(account: Account, own: Account | None, address: str) -> Refusal | None:
    """Why this account is not the one of the person who asked; None when it is, or when nothing
    is known that it could be compared with."""
    if own is not None:
        return None if account.is_same(own) else another(account)
    if address and address not in account.addresses:
        sentence = _SOMEBODY_ELSE.format(address=account.address or "another account")
        return Refusal(sentence=sentence, reason="other_person")
    return None


def another(account: Account) -> Refusal:
    sentence = _ANOTHER.format(address=account.address or "another account")
    return Refusal(sentence=sentence, reason="other_account")
