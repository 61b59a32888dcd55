"""That a planted secret is found wherever it goes, and that the log is not one of those places."""

import base64
import json
import logging
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from core.telemetry import logs
from core.telemetry.redact import Redactor
from tests.security.canaries import CANARIES, Leak, files_under, forms, leaks
from tests.telemetry.capture import captured


def test_a_canary_is_found_in_every_form_and_at_every_position():
    secret = "cAnArY/+?1234567890"
    for before in range(6):
        raw = b"." * before + secret.encode() + b"..."
        for coded in (
            raw,
            base64.b64encode(raw),
            base64.urlsafe_b64encode(raw),
            quote(raw, safe="").encode(),
            quote(raw).encode(),
            re.sub("%..", lambda escape: escape[0].lower(), quote(raw, safe="")).encode(),
            raw.hex().encode(),
            json.dumps({"x": raw.decode()}).encode(),
        ):
            assert leaks({"there": b"<" + coded + b">"}, {"it": secret}), (before, coded)
    assert not leaks({"there": base64.b64encode(b"something else entirely")}, {"it": secret})


def test_a_canary_is_found_in_a_file_and_named(tmp_path: Path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "bot.db-wal").write_bytes(b"\x00\x01" + CANARIES["JWT"].encode() + b"\x02")
    found = leaks(files_under([tmp_path]))
    assert Leak("JWT", "clear", str(tmp_path / "deep" / "bot.db-wal")) in found


def written(redactor: Redactor, say: Callable[[logging.Logger], None]) -> bytes:
    """What stands in the log after `say`."""
    with captured(redactor) as out:
        say(logging.getLogger("some.library"))
    return out.getvalue().encode()


WAYS: dict[str, Callable[[logging.Logger, str], None]] = {
    "in the message": lambda log, s: log.info("saw " + s),
    "as an argument": lambda log, s: log.info("saw %s", s),
    "in a mapping": lambda log, s: log.info("saw %r", {"token": s}),
    "as a field of its own": lambda log, s: log.info("saw", extra={"seen": s}),
    "as a field with a forbidden name": lambda log, s: log.info("saw", extra={"token": s}),
    "inside a nested field": lambda log, s: log.info("saw", extra={"seen": [{"a": s}]}),
    "as bytes": lambda log, s: log.info("saw %r", s.encode()),
    "in an address": lambda log, s: log.info("GET https://x.example.com/?q=%s", quote(s, safe="")),
    "in a path of an address": lambda log, s: log.info("GET /%s", quote(s)),
    "in base64": lambda log, s: log.info(base64.b64encode(b"user:" + s.encode()).decode()),
    "in base64url": lambda log, s: log.info(base64.urlsafe_b64encode(s.encode()).decode()),
    "in hexadecimal": lambda log, s: log.info(s.encode().hex()),
    "through our own log": lambda log, s: logs.get("core.turn").info("saw", seen=s),
    "in an exception": lambda log, s: _raise(log, s),
    "in a cause of an exception": lambda log, s: _raise_from(log, s),
}


def _raise(log: logging.Logger, secret: str) -> None:
    try:
        raise ValueError(f"the provider refused {secret}")
    except ValueError:
        log.exception("it broke")


def _raise_from(log: logging.Logger, secret: str) -> None:
    try:
        try:
            raise OSError(secret)
        except OSError as error:
            raise RuntimeError("it broke") from error
    except RuntimeError:
        logs.get("core.turn").exception("turn.failed")


@pytest.mark.promise("S1", "core.telemetry")
@pytest.mark.parametrize("way", WAYS)
def test_no_known_secret_gets_into_the_log(way: str):
    for name, secret in CANARIES.items():
        content = written(Redactor(CANARIES.values()), lambda log, s=secret: WAYS[way](log, s))
        assert content
        assert not leaks({name: content})


@pytest.mark.promise("S1", "core.telemetry")
def test_a_secret_that_is_learnt_later_is_taken_out_from_then_on():
    redactor = Redactor()
    assert leaks({"log": written(redactor, lambda log: log.info(CANARIES["MCP token"]))})
    redactor.learn(CANARIES["MCP token"])
    assert not leaks({"log": written(redactor, lambda log: log.info(CANARIES["MCP token"]))})


SHAPED = {
    "bot token": "{}",
    "user token": "token={}",
    "JWT": "got {} back",
    "webhook address": "POST {}",
    "sealing key": "COUNTERSIGN_KEYS=old:{}",
    "model key": "Incorrect API key provided: {}.",
    "MCP token": "Authorization: Bearer {}",
    "Graph token": "{{'Authorization': 'Bearer {}'}}",
    "OAuth code": "GET /connect/callback?code={}&state=x",
    "OAuth state": "GET /connect/callback?code=x&state={}",
    "refresh token": "refresh_token={}&scope=x",
    "client secret": "client_secret={}",
}


@pytest.mark.promise("S1", "core.telemetry")
@pytest.mark.parametrize("name", SHAPED)
def test_a_secret_that_nobody_told_us_is_known_by_its_shape(name: str):
    text = SHAPED[name].format(CANARIES[name])
    clear = {name: CANARIES[name]}
    assert not leaks({"log": written(Redactor(), lambda log: log.info(text))}, clear)


@pytest.mark.promise("S1", "core.telemetry")
def test_a_password_in_a_database_address_is_taken_out_and_the_host_stays():
    said = Redactor().clean("cannot reach postgresql://bot:cAnArY@kkk@db.example.com:5432/bot")
    assert said == "cannot reach postgresql://bot:[secret]@db.example.com:5432/bot"


def test_ordinary_words_stay():
    redactor = Redactor(["short", *CANARIES.values()])
    for text in (
        "turn.accepted thread=slack:T0123/C0456/1700000000.000100 turn=8f14e45fceea167a5a36dedd4b",
        "GET https://slack.com/api/chat.postMessage took 12 ms",
        "3 rows; state=parked, code=17, a short word, task-force, risk-adjusted-return-on-capital",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "basic sql knowledge, bearer of news",
    ):
        assert redactor.clean(text) == text


@pytest.mark.promise("S1", "core.telemetry")
def test_fields_that_would_carry_content_are_left_out():
    def say(log: logging.Logger) -> None:
        logs.get("core.turn").info("turn.accepted", turn="t1", body="BODY", headers={"a": "HEADER"})
        log.info("turn.accepted", extra={"text": "TEXT", "payload": {"x": "PAYLOAD"}})

    lines = [json.loads(line) for line in written(Redactor(), say).splitlines()]
    assert lines[0]["turn"] == "t1"
    assert lines[0]["body"] == lines[0]["headers"] == lines[1]["text"] == "[left out]"
    assert not any(word in str(lines) for word in ("BODY", "HEADER", "TEXT", "PAYLOAD"))


def test_every_canary_has_forms_long_enough_to_be_told_from_chance():
    assert all(len(form) >= 12 for secret in CANARIES.values() for form in forms(secret).values())
