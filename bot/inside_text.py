"""The inside of a turn in words, for a terminal."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime

from core.records import Json, LedgerEntry
from core.storage.threads import Line
from core.turn.inside import Call, Inside, Round, Step, Waiting

LINES = 12
"""Of one text, unless all of it is asked for."""
BAR = 24
"""Characters of the whole turn."""


def text(inside: Inside, *, is_full: bool) -> str:
    """All of it; long texts shortened unless `is_full`."""
    parts = [
        _head(inside),
        _part("Time by phase", _times(inside)),
        *(_part(f"Round {r.number}", _round(r, is_full=is_full)) for r in inside.rounds),
        _part(f"Tools offered ({len(inside.offered)})", inside.offered),
        _part(
            f"Tools withheld ({len(inside.withheld)})",
            (f"{one.key}: {one.rule}" for one in inside.withheld),
        ),
        _part("Servers", inside.problems),
        _part("Waits for people", (line for one in inside.waiting for line in _waiting(one))),
        _part("Ledger", (f"{_purpose(entry)}: {used(entry)}" for entry in inside.ledger)),
        _part(
            "Posts",
            (
                f"{post.kind} {post.id}: {post.state}, tried {_times_of(post.tries)}"
                f"{f', {post.reason}' if post.reason else ''}"
                for post in inside.posts
            ),
        ),
        _part("Answer", _cut(inside.answer, is_full=is_full)),
        _part("Not here", inside.missing),
    ]
    return "\n\n".join(part for part in parts if part)


def listed(lines: Iterable[Line]) -> str:
    """Turns, one a line."""
    return "\n".join(
        f"{line.turn}  {_clock(line.finished_at)}  {line.outcome:<6}  "
        f"{' '.join(line.question.split())[:70]}"
        for line in lines
    )


def as_json(plain: Json) -> str:
    return json.dumps(plain, ensure_ascii=False, indent=2)


def used(entry: LedgerEntry) -> str:
    """`gpt-5.5 · 1,204 in, 32 out · $0.004 · 1.20 s`."""
    usage = entry.usage
    cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
    price = "unpriced" if entry.price is None else f"${entry.price}"
    if entry.is_partial and entry.likely_price is not None:
        price += f", likely ${entry.likely_price} in all"
    said = [
        entry.model,
        f"{usage.input_tokens:,} in{cached}, {usage.output_tokens:,} out",
        price,
        f"{entry.seconds:.2f} s",
    ]
    if entry.outcome != "ok":
        said.append(entry.outcome)
    if entry.attempt > 1:
        said.append(f"attempt {entry.attempt}")
    if entry.is_reported:
        said.append("as the server reported it")
    return " · ".join(said)


def _head(inside: Inside) -> str:
    took = ""
    if inside.accepted_at is not None and inside.finished_at is not None:
        took = f" after {inside.finished_at - inside.accepted_at:.2f} s"
    lines = {
        "asked": f"{inside.name or inside.person}, {inside.place}, {_clock(inside.asked_at)}",
        "person": inside.person if inside.name else "",
        "thread": inside.thread,
        "model": " · ".join(filter(None, (inside.model, inside.agent))),
        "tries": str(inside.attempt) if inside.attempt > 1 else "",
        "question": " ".join(inside.question.split()),
    }
    told = (f"  {name:<9} {value}" for name, value in lines.items() if value)
    return "\n".join([f"Turn {inside.turn}: {inside.state}{took}", *told])


def _times(inside: Inside) -> Iterator[str]:
    whole = max((step.began + step.seconds for step in inside.steps), default=0.0)
    for step in inside.steps:
        yield f"{step.began:8.3f} {step.seconds:8.3f} s  {_bar(step, whole)}  {_named(step)}"


def _named(step: Step) -> str:
    where = f"round {step.round}: " if step.round else ""
    return f"{where}{step.name} {step.about}".rstrip()


def _bar(step: Step, whole: float) -> str:
    scale = BAR / whole if whole else 0.0
    start = min(BAR - 1, int(step.began * scale))
    length = max(1, min(BAR - start, round(step.seconds * scale)))
    return f"{'·' * start}{'█' * length}{'·' * (BAR - start - length)}"


def _round(one: Round, *, is_full: bool) -> Iterator[str]:
    for entry in one.uses:
        yield f"model: {used(entry)}"
    if one.said:
        yield "said beside its calls:"
        yield from (f"  {line}" for line in _cut(one.said, is_full=is_full))
    for call in one.calls:
        yield from _call(call, is_full=is_full)


def _call(call: Call, *, is_full: bool) -> Iterator[str]:
    error = ", an error" if call.is_error else ""
    yield f"call {call.tool or call.alias}: {call.outcome}{error}, {call.seconds:.3f} s"
    for name, value in call.arguments.items():
        yield f"  {name} = {json.dumps(value, ensure_ascii=False)}"
    is_cut = call.whole is not None and len(call.whole) > call.shown_size
    if call.whole is not None and is_cut:
        yield f"  whole ({call.evidence}, {len(call.whole):,} characters):"
        yield from (f"    {line}" for line in _cut(call.whole, is_full=is_full))
    if call.shown is not None:
        label = f"{call.evidence}, whole" if call.evidence and not is_cut else "cut"
        yield f"  as the model saw it ({label if call.evidence else 'no evidence'}):"
        yield from (f"    {line}" for line in _cut(call.shown, is_full=is_full))


def _waiting(call: Waiting) -> Iterator[str]:
    decided = f", decided by {call.decided_by}" if call.decided_by else ""
    yield f"#{call.number} {call.tool}: {call.state}{decided}. {call.outcome}".rstrip()
    yield f"  because {call.rule}"
    for name, value in call.arguments.items():
        yield f"  {name} = {json.dumps(value, ensure_ascii=False)}"


def _purpose(entry: LedgerEntry) -> str:
    billing = entry.billing
    where = f"round {billing.round}, " if billing.round else ""
    return f"{where}{billing.tool or billing.purpose} ({entry.kind})"


def _part(title: str, lines: Iterable[str]) -> str:
    told = [f"  {_safe(line)}" for line in lines]
    return "\n".join([title, *told]) if told else ""


def _safe(line: str) -> str:
    """Without what a terminal would obey: a tool's result may hold its control characters."""
    return "".join(c if c.isprintable() or c == "\t" else "�" for c in line)


def _cut(text: str, *, is_full: bool) -> Iterator[str]:
    lines = text.splitlines()
    yield from lines if is_full else lines[:LINES]
    if len(lines) > LINES and not is_full:
        yield f"… {len(lines) - LINES:,} more lines; --full shows them"


def _times_of(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number} times")


def _clock(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment).astimezone():%d %b %H:%M:%S}"
