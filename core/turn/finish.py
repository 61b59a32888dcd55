"""Finish a turn: links checked, citations made chips, and one write for all that is said."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from core.loop.steps import Ended
from core.policy.links import settle
from core.policy.quotes import held
from core.ports import Clock
from core.records import Answer, Cost, Evidence, MadeFile, Post, Turn
from core.storage import entries, inbox
from core.storage.database import Database, Transaction
from core.telemetry import metrics, spans
from core.turn import watch
from core.turn.figures import figures, without_places
from core.turn.papers import TOOL as PAPERS
from core.turn.telling import citables_of
from core.turn.workings import remark, unfounded, workings

Remember = Callable[[Transaction], Awaitable[None]]

SPECIALIST = "documents/"
"""What the keys of the documents server's tools begin with."""
EMPTY = "I have no words for an answer. Please put the question differently."
CUT = "\n\n_The answer ends here because the model reached its length limit._"


def compose(
    text: str, finish: str, evidence: Sequence[Evidence], question: str = ""
) -> tuple[Answer, bool]:
    """The answer as the person reads it, and whether the model said anything.

    `evidence` is what the turn's calls brought, each under the number that the model saw.
    """
    said = without_places(_with_true_quotes(text, evidence))
    settled, chips = settle(said, citables_of(evidence))
    drawn = figures(text, evidence)
    if settled and (missing := unfounded(settled, question, evidence)):
        settled += remark(missing)
    files = tuple(file for piece in evidence for file in piece.files)
    said = settled + (CUT if finish == "length" and settled else "")
    said = said or ("" if drawn else EMPTY)
    answer = Answer(text=said, chips=chips, files=files, figures=drawn, workings=workings(evidence))
    return answer, bool(settled or drawn)


def _with_true_quotes(text: str, evidence: Sequence[Evidence]) -> str:
    """Where documents are spoken of, what is put between quotation marks stands somewhere."""
    if not any(piece.tool == PAPERS or piece.tool.startswith(SPECIALIST) for piece in evidence):
        return text
    return held(text, [piece.text for piece in evidence])


async def finish(
    db: Database,
    turn: Turn,
    outcome: inbox.Outcome,
    answer: Answer,
    ended: Ended | None,
    *,
    clock: Clock,
    remember: Remember | None = None,
    may_have_begun: bool = True,
) -> bool:
    """Write the answer, the end of the turn, the posts that say it, what the turn noted of itself
    and what `remember` keeps of it, at once. `ended` is how far its loop came; the answer
    `may_have_begun` to be shown while it was written.

    False when another claim owns the turn by now: then nothing was written and nothing is said.
    """
    now = clock()
    noted = watch.noted(turn, ended, now=now)
    trace = spans.carried()

    async def said(tx: Transaction) -> inbox.Ending:
        cost = await entries.cost_of_turn(tx, turn.id)
        whole = replace(answer, cost=_whole(cost, now - turn.accepted_at))
        if remember is not None:
            await remember(tx)
        said_by = posts(turn, whole, trace, may_have_begun=may_have_begun)
        return inbox.Ending(whole, said_by, noted)

    with spans.span("finish", {"countersign.turn": turn.id, "countersign.outcome": outcome}):
        owned = await inbox.close(db, turn, outcome, said, now=now)
    if owned:
        metrics.turn_ended(outcome, now - turn.accepted_at)
    return owned


def answer_id(turn: Turn) -> str:
    """The id of the post that says the turn's answer."""
    return f"{turn.id}.answer"


def posts(
    turn: Turn, answer: Answer, trace: str = "", *, may_have_begun: bool = False
) -> list[Post]:
    """One post with the words, then one for each file, in the trace that is carried on."""
    said = replace(_post(turn, "answer", answer), trace=trace, may_have_begun=may_have_begun)
    files = [
        replace(_file(turn, number, file), trace=trace)
        for number, file in enumerate(answer.files, start=1)
    ]
    return [said, *files]


def _whole(cost: Cost, seconds: float) -> Cost | None:
    return replace(cost, seconds=seconds) if cost.calls else None


def _post(turn: Turn, name: str, answer: Answer) -> Post:
    return Post(
        id=f"{turn.id}.{name}",
        turn=turn.id,
        surface=turn.question.place.surface,
        address=turn.question.address,
        kind="answer",
        person=turn.question.person.id,
        answer=answer,
    )


def _file(turn: Turn, number: int, file: MadeFile) -> Post:
    post = _post(turn, f"file{number}", Answer(text="", files=(file,)))
    return replace(post, kind="file")
