"""What a line of the log looks like, and who writes through it."""

import io
import json
import logging
import subprocess
import sys
import warnings
from pathlib import Path

from core.telemetry import logs
from core.telemetry.redact import Redactor
from tests.telemetry.capture import captured

ROOT = Path(__file__).parents[2]


def lines(out: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_line_names_the_action_and_carries_ids_and_numbers_as_they_are():
    with captured() as out:
        logs.get("core.turn.intake").info("turn.accepted", turn="t1", thread="slack:T/C/1", ms=1.5)
    (line,) = lines(out)
    assert str(line.pop("time")).endswith("+00:00")
    assert line == {
        "level": "info",
        "from": "core.turn.intake",
        "action": "turn.accepted",
        "turn": "t1",
        "thread": "slack:T/C/1",
        "ms": 1.5,
    }


def test_a_line_of_an_adapter_reads_the_same():
    with captured() as out:
        logging.getLogger("adapters.slack.edge").warning("refused", extra={"status": 401})
    (line,) = lines(out)
    assert (line["action"], line["status"], line["level"]) == ("refused", 401, "warning")


def test_a_sentence_that_names_its_action_is_found_by_it():
    with captured() as out:
        logging.getLogger("core.turn.lanes").warning(
            "the inbox cannot be read: %s", "locked", extra={"action": "lanes.stalled"}
        )
    (line,) = lines(out)
    assert line["action"] == "lanes.stalled"
    assert line["said"] == "the inbox cannot be read: locked"


def test_a_field_cannot_pretend_to_be_the_action():
    with captured() as out:
        logs.get("core").info("refused", level="none", time=0, **{"action": "fine"})
    assert (lines(out)[0]["level"], lines(out)[0]["action"]) == ("info", "refused")


def test_one_event_is_one_line_whatever_its_values_hold():
    with captured() as out:
        logs.get("core").info("seen", name="a\nb\r\n{}", error_text="x" * 10_000)
        logs.get("core").exception("broke", error=ValueError("first\nsecond"))
    found = lines(out)
    assert len(found) == 2
    assert found[0]["name"] == "a\nb\r\n{}" and len(str(found[0]["error_text"])) <= 501
    assert str(found[1]["error"]).endswith("ValueError: first\nsecond")


def test_an_exception_is_told_with_its_traceback_and_its_end_is_kept():
    with captured() as out:
        try:
            raise ValueError("x" * 100_000 + " the end")
        except ValueError:
            logs.get("core").exception("broke", turn="t1")
    (line,) = lines(out)
    assert str(line["error"]).endswith(" the end") and len(str(line["error"])) < 6_000


def test_libraries_write_through_the_same_stream_and_nowhere_else():
    own = io.StringIO()
    library = logging.getLogger("a.library.with.a.stream")
    library.addHandler(logging.StreamHandler(own))
    library.propagate = False
    with captured() as out:
        library.error("hello")
    assert own.getvalue() == "" and lines(out)[0]["action"] == "hello"


def test_warnings_are_lines_too():
    with captured() as out, warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("the sky falls", stacklevel=1)
    assert "the sky falls" in out.getvalue()


def test_libraries_that_log_what_they_carry_are_kept_quiet():
    with captured() as out:
        logging.getLogger("slack_bolt.AsyncApp").info("body: secret")
        logging.getLogger("httpx2").info("GET https://x")
    assert out.getvalue() == ""


UNCAUGHT = """
import sys, threading
from core.telemetry import logs
from core.telemetry.redact import Redactor
logs.configure(Redactor(["canary-of-this-test"]))
def fail():
    raise RuntimeError("refused: canary-of-this-test")
thread = threading.Thread(target=fail)
thread.start()
thread.join()
fail()
"""


def test_an_exception_that_nobody_caught_is_a_redacted_line():
    ended = subprocess.run(
        [sys.executable, "-c", UNCAUGHT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "canary" not in ended.stderr + ended.stdout
    found = [json.loads(line) for line in ended.stderr.splitlines()]
    assert [line["action"] for line in found] == ["uncaught", "uncaught"]
    assert "RuntimeError: refused: [secret]" in found[1]["error"]


def test_at_a_terminal_a_line_is_for_reading():
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    with captured():
        out = Terminal()
        logs.configure(Redactor(["canary-of-this-test"]), stream=out)
        logs.get("core").info("turn.accepted", turn="t1", seen="canary-of-this-test")
        logs.get("core").error("broke", body="BODY", name="two\nlines")
    first, second = out.getvalue().splitlines()
    assert first[8:] == " turn.accepted turn=t1 seen=[secret]"
    assert second[8:] == " error: broke body=[left out] name=two lines"
