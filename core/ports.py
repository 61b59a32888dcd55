"""The seams between the adapters and the core: what each side may ask of the other, and nothing
else."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from core.cards import Card
from core.panels import Order, Panel
from core.parked import Click, Form, Verdict
from core.records import (
    Address,
    Channel,
    FileRef,
    Person,
    PersonId,
    Place,
    Post,
    Posted,
    Question,
    Rating,
    Receipt,
    Stop,
    TurnId,
)
from core.said import Heard, Shared, Spoken, Spot


class FrontDoor(Protocol):
    """What an adapter's inbound half may ask of the core."""

    async def accept(self, question: Question) -> Receipt:
        """Record the question durably, or refuse it.

        When this returns, the outcome is committed and the platform may be told 200; a refusal's
        sentence is in the outbox. Raises `Unavailable` when nothing could be committed: then
        answer 503, so that the platform tries again.
        """
        ...

    async def take_back(self, delivery: str) -> None:
        """The question of this delivery was deleted: it is answered no more, and nothing that it
        led to is carried out any more. Committed when this returns; nothing happens for a delivery
        that is not known. Raises `Unavailable`."""
        ...

    async def revise(self, question: Question) -> Receipt:
        """The question of this delivery now reads like this. While it is not answered it is asked
        anew, once for each new wording, and what the old one parked is void; an answered one stays
        as it is. Committed when this returns. Raises `Unavailable`."""
        ...

    async def help(self, person: Person, place: Place) -> str:
        """What the bot can do for this person here, as Markdown. Never calls a model."""
        ...

    async def order(self, order: Order) -> Panel | None:
        """Carry out a command: `usage`, `why`, `home`, `disable`, … What the one who gave it is
        shown, privately; None where the words are no command. Committed when this returns, and
        never calls a model. Raises `Unavailable`."""
        ...

    async def share(self, person: PersonId, turn: TurnId) -> str:
        """Show all of the place what this person was told there privately about their question;
        the sentence that they are told. Once, however often it is asked for. Committed when this
        returns. Raises `Unavailable`."""
        ...

    async def stop(self, stop: Stop) -> int:
        """End the running turns that are meant, without a word, and return how many there were.
        When this returns, the end is committed; the work itself ends within a second. Raises
        `Unavailable`."""
        ...

    async def rate(self, rating: Rating) -> bool:
        """Keep what a person thinks of an answer, the newest of each person; False for an answer
        that is not known in that place. Raises `Unavailable`."""
        ...


class Desk(Protocol):
    """What an adapter's inbound half may ask about parked calls."""

    async def decide(self, click: Click) -> Verdict:
        """Decide a parked call. When this returns, the outcome is committed and the platform may
        be told 200. Raises `Unavailable` when nothing could be committed."""
        ...

    async def form(self, click: Click) -> Form | Verdict:
        """The form to edit the call with, or why this person cannot. Changes nothing."""
        ...

    async def full(self, click: Click) -> Card | Verdict:
        """The whole card for somebody who wants to read all of it; from now on this person may
        be shown Send for a card that was too long. Changes nothing else."""
        ...

    async def waiting(self, person: PersonId) -> list[Card]:
        """What waits for this person: to decide, or to see decided."""
        ...

    async def show(self, person: PersonId, asked: str) -> str:
        """Show the cards of what waits for this person in their own chat with the bot, where they
        change together with all others, and return the sentence that says so. `asked` names the
        wish: repeating it shows nothing twice. Raises `Unavailable`."""
        ...


class Accounts(Protocol):
    """What an adapter's inbound half may ask about a person's Microsoft account."""

    async def connect(self, person: PersonId, address: Address) -> Verdict:
        """A link for this person alone, single use, ten minutes; `connect` with its `url`."""
        ...

    async def exchange(self, person: PersonId, assertion: str, address: Address) -> Verdict:
        """Connect without a link, by what the chat client's own sign-in asserts: `recorded`, or
        `refused` where it does not hold, is somebody else's, or the person has to agree in a
        browser first. Never raises."""
        ...

    async def disconnect(self, person: PersonId) -> str:
        """Revoke and erase; the sentence that tells the person."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A part of a turn's work, as people see it."""

    id: str
    title: str
    state: Literal["in_progress", "complete", "error"]


class Showing(Protocol):
    """An answer that is shown while it is being written. None of these waits for the platform."""

    def more(self) -> None:
        """There may be more words to ask for."""
        ...

    def step(self, step: Step) -> None:
        """A part of the work began, or ended."""
        ...

    @property
    def has_begun(self) -> bool:
        """Whether something of the answer may stand on the surface."""
        ...


class Surface(Protocol):
    """What the core may ask of a chat platform."""

    name: str
    """`slack` or `teams`."""

    async def progress(self, address: Address, text: str) -> None:
        """Show, replace or (with an empty text) clear the status of the thread. Best effort:
        logs, never raises."""
        ...

    async def offer(self, address: Address, link: Verdict) -> bool:
        """Show the person of this address, at once and alone, a link that was made for them. It
        is written down nowhere. False where they could not be shown it; never raises."""
        ...

    async def profile(self, person: Person) -> Person:
        """The person with the name, time zone and locale that the platform knows; as they are
        where it does not say. Never raises."""
        ...

    def showing(
        self, post: str, address: Address, words: Callable[[], str]
    ) -> AbstractAsyncContextManager[Showing]:
        """Show the answer of the post with this id while it is being written, as far as the
        platform allows; inside the context alone something is shown.

        `words` gives the answer so far as settled Markdown, and is asked whenever something can be
        shown; what it gave before is as a rule the beginning of what it gives next. What is shown
        is a preview: `deliver` makes the post of it, or puts the post in its place. Best effort:
        logs, never raises.
        """
        ...

    async def deliver(self, post: Post, content: bytes | None) -> str:
        """Show the post and return the platform's id of it. `content` is the bytes of a `file`
        post, None otherwise.

        Repeatable: the post carries its id as a marker, and with `post.attempt > 0`, or where it
        `may_have_begun`, the surface first looks whether it is there already. Raises
        `DeliveryFailed`.
        """
        ...

    async def fetch(self, file: FileRef, *, limit: int, person: PersonId) -> bytes:
        """The bytes of a file that somebody posted; by the rights of this person, where the
        platform grants the bot none. Raises `SourceFailed` with a sentence for the person, also
        when the file is larger than `limit` bytes or the platform answers with something that is
        not the file, and `NeedsAccount`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """What a workspace gave the bot when it was installed there."""

    team: str
    name: str
    bot_token: str = field(repr=False)
    enterprise: str = ""
    installed_by: str = ""
    """The platform's id of a person."""
    refresh_token: str = field(default="", repr=False)
    """Good for one exchange; empty where the bot token does not expire."""
    expires_at: float = 0.0
    """0 where it does not."""


class Installations(Protocol):
    """Where an adapter keeps the workspaces in which it is installed. All raise `Unavailable`."""

    async def read(self, team: str) -> Installation | None: ...

    async def keep(self, installation: Installation) -> None:
        """In place of an earlier one of the same workspace."""
        ...

    async def renew(self, before: Installation, after: Installation) -> bool:
        """In place of `before` alone. False where that is no longer what is kept: it was removed
        or replaced."""
        ...

    async def remove(self, team: str) -> None: ...


class Listener(Protocol):
    """What the core may ask of a chat platform about the place where a question stands."""

    async def heard(self, question: Question) -> Heard:
        """The thread before the question, and the question with names in the place of ids. What
        the platform does not tell is left out; never raises."""
        ...


class Transcript(Protocol):
    """What an adapter may read of Microsoft Teams by the rights of a person who has connected
    their account. All raise `NeedsAccount`, and `SourceFailed` with a sentence for the person."""

    async def is_open(self, person: PersonId, spot: Spot) -> bool:
        """Whether the person has permitted to read what others wrote there."""
        ...

    async def around(self, person: PersonId, spot: Spot) -> Sequence[Spoken]:
        """The thread or chat before this message, the oldest first: its beginning, and as much of
        its end as a model is shown."""
        ...

    async def posted(self, person: PersonId, spot: Spot, ids: Collection[str]) -> Sequence[Shared]:
        """Those files of the message; what is no file is left out."""
        ...

    async def content(self, person: PersonId, path: str, limit: int) -> bytes: ...


class Poster(Protocol):
    """What the core may ask of a chat platform to post to a channel of its own choice. Everything
    is posted as the bot."""

    async def channel(self, name: str, person: PersonId) -> Channel | None:
        """A channel that the bot is in, by its name or id; None for any other, and for a private
        one that this person is not in. Raises `DeliveryFailed` where it cannot be looked for."""
        ...

    async def post(self, channel: str, markdown: str, marker: str) -> Posted:
        """Post once, without repeating, with the marker in its metadata. Raises `DeliveryFailed`:
        final or with `retry_after` nothing was posted, else it is in doubt."""
        ...

    async def find(self, channel: str, marker: str) -> Posted | None:
        """The post with this marker. Raises `DeliveryFailed` where it cannot be looked for."""
        ...


class Clock(Protocol):
    """Seconds since the epoch. Tests turn it by hand."""

    def __call__(self) -> float: ...
