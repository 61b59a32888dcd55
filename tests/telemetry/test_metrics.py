"""The numbers as Prometheus reads them."""

import re

from core.records import Billing, LedgerEntry, PersonId, ThreadId, TurnId, Usage
from core.telemetry import metrics
from core.telemetry.metrics import Counter, Durations, Gauge

LINE = re.compile(
    r'[a-z_]+(\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*\})? [-+.\de]+'
)


def entry(price: str | None) -> LedgerEntry:
    return LedgerEntry(
        billing=Billing(
            turn=TurnId("t"), thread=ThreadId("h"), person=PersonId("p"), place="slack:T/C"
        ),
        kind="chat",
        provider="openai",
        model="of-this-test",
        usage=Usage(input_tokens=100, cached_tokens=40, output_tokens=20),
        price=price,
        price_table="t",
        outcome="ok",
        started_at=1.0,
        seconds=2.0,
    )


def test_a_counter_grows_for_each_combination_of_labels() -> None:
    calls = Counter("calls_total", "Calls.", "tool", "outcome")
    calls.add("crm/find", "kept")
    calls.add("crm/find", "kept")
    calls.add("crm/find", "failed", amount=0.5)
    assert list(calls.lines()) == [
        "# HELP calls_total Calls.",
        "# TYPE calls_total counter",
        'calls_total{tool="crm/find",outcome="failed"} 0.5',
        'calls_total{tool="crm/find",outcome="kept"} 2',
    ]


def test_durations_fall_into_buckets_that_include_the_smaller_ones() -> None:
    taken = Durations("seconds", "Taken.", "tool")
    for seconds in (0.1, 0.2, 7.0, 1_000.0):
        taken.add("a", seconds)
    lines = dict(line.rsplit(" ", 1) for line in taken.lines() if line[0] != "#")
    assert lines['seconds_bucket{tool="a",le="0.1"}'] == "1"
    assert lines['seconds_bucket{tool="a",le="5"}'] == "2"
    assert lines['seconds_bucket{tool="a",le="300"}'] == "3"
    assert lines['seconds_bucket{tool="a",le="+Inf"}'] == lines['seconds_count{tool="a"}'] == "4"
    assert lines['seconds_sum{tool="a"}'] == "1007.3"


def test_a_use_counts_its_tokens_and_its_price_or_that_it_has_none() -> None:
    before = metrics.COST.value("of-this-test")
    metrics.model_used(entry("0.0015"))
    metrics.model_used(entry(None))
    assert metrics.COST.value("of-this-test") - before == 0.0015
    assert metrics.UNPRICED.value("of-this-test") == 1
    assert metrics.TOKENS.value("of-this-test", "cached") == 80
    assert metrics.USES.value("chat", "openai", "of-this-test", "ok") == 2


def test_every_line_is_one_that_prometheus_reads() -> None:
    metrics.tool_called('a "quoted"\\tool\n', "kept", 0.5)
    metrics.turn_ended("done", 3.0)
    text = metrics.exposed([Gauge("countersign_lag_seconds", "Lag.", 0.25)])
    assert text.endswith("countersign_lag_seconds 0.25\n")
    wrong = [x for x in text.splitlines() if x[0] != "#" and not LINE.fullmatch(x)]
    assert wrong == []
    names = re.findall(r"# TYPE (\w+) ", text)
    assert len(names) == len(set(names))
