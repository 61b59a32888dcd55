"""Counts what the process does, in numbers that Prometheus can read.

Counting is an addition in a dictionary, so it is never switched off; whether anybody may read the
numbers is the server's to decide. Labels are names and words of ours, never what somebody wrote.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from core.records import LedgerEntry

Labels = tuple[str, ...]
SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
"""Upper ends of the buckets of a duration."""


class Counter:
    """A number that only grows, for each combination of its labels."""

    def __init__(self, name: str, help: str, *labels: str) -> None:
        self.name = name
        self.help = help
        self.labels = labels
        self._values: defaultdict[Labels, float] = defaultdict(float)

    def add(self, *labels: str, amount: float = 1.0) -> None:
        self._values[labels] += amount

    def value(self, *labels: str) -> float:
        return self._values.get(labels, 0.0)

    def lines(self) -> Iterable[str]:
        yield from _head(self.name, self.help, "counter")
        for labels, value in sorted(self._values.items()):
            yield _line(self.name, dict(zip(self.labels, labels, strict=True)), value)


class Durations:
    """How long something took, in buckets."""

    def __init__(self, name: str, help: str, label: str) -> None:
        self.name = name
        self.help = help
        self.label = label
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(SECONDS) + 1))
        self._sums: defaultdict[str, float] = defaultdict(float)

    def add(self, label: str, seconds: float) -> None:
        place = sum(1 for end in SECONDS if seconds > end)
        self._buckets[label][place] += 1
        self._sums[label] += seconds

    def lines(self) -> Iterable[str]:
        yield from _head(self.name, self.help, "histogram")
        for label, counts in sorted(self._buckets.items()):
            so_far = 0
            for end, count in zip((*map(_number, SECONDS), "+Inf"), counts, strict=True):
                so_far += count
                yield _line(f"{self.name}_bucket", {self.label: label, "le": end}, so_far)
            yield _line(f"{self.name}_sum", {self.label: label}, self._sums[label])
            yield _line(f"{self.name}_count", {self.label: label}, so_far)


class Gauge(NamedTuple):
    """A number as it is at this moment."""

    name: str
    help: str
    value: float


QUESTIONS = Counter(
    "countersign_questions_total", "Deliveries that were questions, by what intake made of them.",
    "outcome",
)  # fmt: skip
TURNS = Counter("countersign_turns_total", "Turns that ended, by how.", "outcome")
TURN_SECONDS = Durations(
    "countersign_turn_seconds", "From the accepted question to the written answer.", "outcome"
)
USES = Counter(
    "countersign_model_calls_total", "Metered uses of models, every attempt.",
    "kind", "provider", "model", "outcome",
)  # fmt: skip
TOKENS = Counter(
    "countersign_model_tokens_total", "Tokens of metered uses; cached ones are input too.",
    "model", "direction",
)  # fmt: skip
COST = Counter("countersign_model_cost_usd_total", "Price of metered uses, where known.", "model")
UNPRICED = Counter("countersign_model_unpriced_total", "Metered uses not fully priced.", "model")
TOOL_CALLS = Counter(
    "countersign_tool_calls_total", "Tool calls of turns, by how they went.", "tool", "outcome"
)
TOOL_SECONDS = Durations("countersign_tool_seconds", "How long tool calls took.", "tool")
PARKED = Counter(
    "countersign_parked_calls_total", "Calls that came into a state: parked, done, unknown, …",
    "state",
)  # fmt: skip
POSTS = Counter("countersign_posts_total", "Posts that were sent or given up.", "outcome")
REQUESTS = Counter(
    "countersign_http_requests_total", "Requests that were answered, by route as registered.",
    "route", "status",
)  # fmt: skip
READINESS = Counter(
    "countersign_readiness_changes_total", "How often readiness was lost and found again.", "to"
)
_ALL = (
    QUESTIONS,
    TURNS,
    TURN_SECONDS,
    USES,
    TOKENS,
    COST,
    UNPRICED,
    TOOL_CALLS,
    TOOL_SECONDS,
    PARKED,
    POSTS,
    REQUESTS,
    READINESS,
)


def model_used(entry: LedgerEntry) -> None:
    usage, model = entry.usage, entry.model
    USES.add(entry.kind, entry.provider, model, entry.outcome)
    TOKENS.add(model, "input", amount=usage.input_tokens)
    TOKENS.add(model, "cached", amount=usage.cached_tokens)
    TOKENS.add(model, "output", amount=usage.output_tokens)
    if entry.price is None or entry.is_partial:
        UNPRICED.add(model)
    if entry.price is not None:
        COST.add(model, amount=float(Decimal(entry.price)))


def tool_called(tool: str, outcome: str, seconds: float) -> None:
    TOOL_CALLS.add(tool, outcome)
    TOOL_SECONDS.add(tool, seconds)


def turn_ended(outcome: str, seconds: float) -> None:
    TURNS.add(outcome)
    TURN_SECONDS.add(outcome, seconds)


def exposed(gauges: Iterable[Gauge]) -> str:
    """Everything in Prometheus' text format, version 0.0.4."""
    lines = [line for one in _ALL for line in one.lines()]
    for gauge in gauges:
        lines += [*_head(gauge.name, gauge.help, "gauge"), _line(gauge.name, {}, gauge.value)]
    return "\n".join(lines) + "\n"


def _head(name: str, help: str, kind: str) -> Iterable[str]:
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    told = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{f'{{{told}}}' if told else ''} {_number(value)}"


def _number(value: float) -> str:
    return f"{value:.12g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
