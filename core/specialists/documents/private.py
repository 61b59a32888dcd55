"""Tells the asker alone what others of the place may not read."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.policy.links import Citable, settle
from core.ports import Clock
from core.records import Answer, Billing, Post, Turn
from core.specialists.documents.answering import Answering
from core.storage import outbox
from core.storage.database import Database
from core.storage.documents import Cited

LEAD = (
    "From documents that not everybody in this channel may read. Only you see this; mention me with"
    " the word share to show it here."
)
TOLD = (
    "What answers this best stands in documents that not everybody here may read. The person who"
    " asked has been told privately."
)
CLOSER = 0.05
"""By how much a private passage has to be closer to the question than all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Privately:
    db: Database
    clock: Clock

    async def tell(
        self,
        answering: Answering,
        turn: Turn,
        question: str,
        here: Sequence[Cited],
        alone: Sequence[Cited],
        billing: Billing,
    ) -> str:
        """Answer the asker privately where private passages answer better than those that may be
        spoken of here; what the model is told of that. Raises `ModelFailed`."""
        best = max((one.nearness for one in here), default=0.0)
        closer = [one for one in alone if one.nearness >= best + CLOSER]
        if not closer:
            return ""
        answer = await answering.answer(turn, question, alone, billing)
        if not answer.text:
            return ""
        links = tuple((one.label, one.url) for one in answer.passages)
        citables = [
            Citable(number=number, label=label, links=((label, url),))
            for number, (label, url) in enumerate(links, start=1)
        ]
        text, chips = settle(answer.text, citables)
        asked = turn.question
        post = Post(
            id=outbox.private_id(turn.id),
            turn=turn.id,
            surface=asked.place.surface,
            address=asked.address,
            kind="private",
            person=asked.person.id,
            answer=Answer(text=f"_{LEAD}_\n\n{text}", chips=chips),
            can_share=True,
        )
        await outbox.put(self.db, post)
        await self.db.notify(outbox.channel(asked.place.surface))
        return TOLD
