"""Adds up graded questions, as a table and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Literal

Outcome = Literal["right", "wrong", "refused", "failed"]
"""`refused`: no answer where there is one, or a question back; `failed`: the model did not answer.
Where there is no answer, to refuse is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One question by one way of discovery."""

    id: str
    discovery: str
    outcome: Outcome
    is_confident: bool
    """Its answer came without any doubt of ours."""
    rounds: int
    tokens: int
    cost: str | None
    """US dollars; None where no price is known."""
    seconds: float
    sql: str = ""
    said: str = ""
    """Why there is no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    discovery: str
    questions: int
    right: int
    refused: int
    wrong: int
    wrong_with_confidence: int
    failed: int
    rounds: float
    """For each question."""
    tokens: float
    """For each question."""
    cost_per_right: str | None
    """US dollars."""

    @property
    def pass_rate(self) -> float:
        return self.right / self.questions if self.questions else 0.0


def summaries(graded: Sequence[Graded]) -> list[Summary]:
    """One for each way of discovery."""
    found = dict.fromkeys(one.discovery for one in graded)
    return [_summary(name, [one for one in graded if one.discovery == name]) for name in found]


def table(graded: Sequence[Graded], label: str) -> str:
    lines = [label, ""]
    lines += [
        f"{one.discovery:12} {one.id:12} {one.outcome:8} {one.said or one.sql}"
        for one in graded
        if one.outcome != "right"
    ]
    head = (
        f"{'discovery':12} {'asked':>5} {'right':>6} {'rate':>6} {'refused':>7} {'wrong':>6}"
        f" {'confident':>9} {'failed':>6} {'rounds':>6} {'tokens':>7} {'$/right':>9}"
    )
    lines += ["", head] if len(lines) > 2 else [head]
    for one in summaries(graded):
        cost = "unpriced" if one.cost_per_right is None else one.cost_per_right
        lines.append(
            f"{one.discovery:12} {one.questions:5} {one.right:6} {one.pass_rate:6.0%}"
            f" {one.refused:7} {one.wrong:6} {one.wrong_with_confidence:9} {one.failed:6}"
            f" {one.rounds:6.1f} {one.tokens:7.0f} {cost:>9}"
        )
    return "\n".join(lines)


def as_json(graded: Sequence[Graded], label: str, model: str) -> dict[str, Any]:
    return {
        "label": label,
        "model": model,
        "summaries": [
            {**asdict(one), "pass_rate": round(one.pass_rate, 4)} for one in summaries(graded)
        ],
        "questions": [asdict(one) for one in graded],
    }


def _summary(discovery: str, graded: Sequence[Graded]) -> Summary:
    count = len(graded)

    def having(outcome: Outcome) -> list[Graded]:
        return [one for one in graded if one.outcome == outcome]

    return Summary(
        discovery=discovery,
        questions=count,
        right=len(having("right")),
        refused=len(having("refused")),
        wrong=len(having("wrong")),
        wrong_with_confidence=sum(one.is_confident for one in having("wrong")),
        failed=len(having("failed")),
        rounds=sum(one.rounds for one in graded) / max(1, count),
        tokens=sum(one.tokens for one in graded) / max(1, count),
        cost_per_right=_cost(graded),
    )


def _cost(graded: Sequence[Graded]) -> str | None:
    """None where the price of any question is not known, or none is right."""
    right = sum(one.outcome == "right" for one in graded)
    known = [Decimal(one.cost) for one in graded if one.cost is not None]
    if not right or len(known) < len(graded):
        return None
    return f"{sum(known, Decimal()) / right:.4f}"
