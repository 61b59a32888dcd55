"""What a span carries and what it cannot carry, and what it costs where nothing is traced."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from core.telemetry import spans, tracing
from core.telemetry.redact import Redactor

ROOT = Path(__file__).parents[2]
SECRET = "xoxb-" + "9" * 30


@pytest.fixture
def heard() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    started = tracing.start(exporter, clean=Redactor([SECRET]).clean, at_once=True)
    yield exporter
    started.stop()


def test_a_span_goes_on_inside_the_one_that_another_process_carried(
    heard: InMemorySpanExporter,
) -> None:
    with spans.span("accept"):
        carried = spans.carried()
    with spans.span("turn", parent=carried), spans.span("resolve"):
        pass
    accept, resolve, turn = heard.get_finished_spans()
    assert carried.split("-")[2] == f"{accept.context.span_id:016x}"
    assert turn.parent.span_id == accept.context.span_id
    assert resolve.parent.span_id == turn.context.span_id
    assert len({span.context.trace_id for span in (accept, resolve, turn)}) == 1


@pytest.mark.parametrize("parent", ["", "00-0-0-01", "garbage", "00-" + "0" * 32])
def test_a_parent_that_is_none_begins_a_trace(heard: InMemorySpanExporter, parent: str) -> None:
    with spans.span("turn", parent=parent):
        pass
    [turn] = heard.get_finished_spans()
    assert turn.parent is None


def test_a_failure_leaves_its_type_and_nothing_that_it_says(heard: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError), spans.span("work"):
        raise ValueError("what somebody wrote")
    [span] = heard.get_finished_spans()
    assert span.attributes == {"error.type": "ValueError"}
    assert (span.status.is_ok, span.status.description, span.events) == (False, None, ())
    assert "somebody" not in span.to_json()


def test_secrets_are_taken_out_and_long_texts_cut(heard: InMemorySpanExporter) -> None:
    attributes: spans.Attributes = {"gen_ai.tool.name": SECRET, "countersign.turn": "t" * 999}
    with spans.span(f"execute {SECRET}", attributes):
        pass
    [span] = heard.get_finished_spans()
    assert SECRET not in span.to_json()
    assert len(span.attributes["countersign.turn"]) == spans.LONGEST


@pytest.mark.parametrize(
    "name", ["gen_ai.input.messages", "gen_ai.tool.call.arguments", "question", "url.full"]
)
def test_what_has_no_name_cannot_be_set(heard: InMemorySpanExporter, name: str) -> None:
    with spans.span("work", {name: "what somebody wrote"}) as span:  # type: ignore[dict-item]
        span.set({name: "again"})  # type: ignore[dict-item]
    [span] = heard.get_finished_spans()
    assert span.attributes == {}


def test_libraries_that_know_opentelemetry_are_not_heard(heard: InMemorySpanExporter) -> None:
    from opentelemetry import trace

    with trace.get_tracer("msgraph").start_as_current_span("GET /users/priya@example.com"):
        pass
    assert heard.get_finished_spans() == ()


def test_nothing_of_opentelemetry_is_loaded_while_nothing_is_traced() -> None:
    program = (
        "import sys\n"
        "from core.telemetry import spans\n"
        "with spans.span('a', {'countersign.turn': 't'}) as span: span.set({}); span.failed('x')\n"
        "assert spans.carried() == '' and spans.trace_id() == ''\n"
        "assert spans.span('a') is spans.span('b') is spans.NOTHING\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "[]\n"
