"""The seams between the adapters and the core: what each side may ask of the other, and nothing
else."""

from typing import Protocol

from core.records import Address, FileRef, Person, Place, Post, Question, Receipt


class FrontDoor(Protocol):
    """What an adapter's inbound half may ask of the core."""

    async def accept(self, question: Question) -> Receipt:
        """Record the question durably, or refuse it.

        When this returns, the outcome is committed and the platform may be told 200; a refusal's
        sentence is in the outbox. Raises `Unavailable` when nothing could be committed: then
        answer 503, so that the platform tries again.
        """
        ...

    async def help(self, person: Person, place: Place) -> str:
        """What the bot can do for this person here, as Markdown. Never calls a model."""
        ...


class Surface(Protocol):
    """What the core may ask of a chat platform."""

    name: str
    """`slack` or `teams`."""

    async def progress(self, address: Address, text: str) -> None:
        """Show, replace or (with an empty text) clear the status of the thread. Best effort:
        logs, never raises."""
        ...

    async def deliver(self, post: Post, content: bytes | None) -> str:
        """Show the post and return the platform's id of it. `content` is the bytes of a `file`
        post, None otherwise.

        Repeatable: the post carries its id as a marker, and with `post.attempt > 0` the surface
        first looks whether it is there already. Raises `DeliveryFailed`.
        """
        ...

    async def fetch(self, file: FileRef, *, limit: int) -> bytes:
        """The bytes of a file that a person posted. Raises `SourceFailed` with a sentence for the
        person, also when the file is larger than `limit` bytes or the platform answers with
        something that is not the file."""
        ...


class Clock(Protocol):
    """Seconds since the epoch. Tests turn it by hand."""

    def __call__(self) -> float: ...
