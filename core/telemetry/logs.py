"""Writes what the bot does as one line for each event, named by its action.

A line carries ids, sizes and durations. It never carries a body, a header or what a person wrote:
fields with such names are left out, and every line passes the redactor, whoever wrote it.
"""

import json
import logging
import sys
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType, TracebackType
from typing import TextIO

from core.telemetry.redact import Redactor

LEFT_OUT = "[left out]"
LONGEST = 500
"""Characters of one field's value; an exception's text may be ten times as long."""

_NEVER = frozenset(
    "answer arguments authorization body content cookie credentials headers password payload "
    "prompt question secret text token".split()
)
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


@dataclass(frozen=True, slots=True)
class Log:
    """A room's way to say what happened: `log.info("turn.accepted", turn=…, thread=…)`."""

    out: logging.Logger

    def debug(self, action: str, /, **fields: object) -> None:
        self._say(logging.DEBUG, action, fields)

    def info(self, action: str, /, **fields: object) -> None:
        self._say(logging.INFO, action, fields)

    def warning(self, action: str, /, **fields: object) -> None:
        self._say(logging.WARNING, action, fields)

    def error(self, action: str, /, **fields: object) -> None:
        self._say(logging.ERROR, action, fields)

    def exception(
        self, action: str, /, *, error: BaseException | None = None, **fields: object
    ) -> None:
        """An error with its traceback: the one given, else the one that is being dealt with."""
        self._say(logging.ERROR, action, fields, exc_info=error or True)

    def _say(
        self,
        level: int,
        action: str,
        fields: Mapping[str, object],
        *,
        exc_info: bool | BaseException = False,
    ) -> None:
        self.out.log(level, action, extra={"fields": fields}, exc_info=exc_info, stacklevel=3)


_ABOUT: ContextVar[Mapping[str, object]] = ContextVar("about", default=MappingProxyType({}))


def about(**fields: object) -> None:
    """From now on every line of this task carries these, whoever writes it: the turn, its thread.
    Empty ones are left out."""
    _ABOUT.set({name: value for name, value in fields.items() if value})


def get(name: str) -> Log:
    """The log of one module: `log = logs.get(__name__)`."""
    return Log(logging.getLogger(name))


class JsonLine(logging.Formatter):
    """One JSON object a line: time, level, from, action, then the fields."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__()
        self._clean = clean

    def format(self, record: logging.LogRecord) -> str:
        action, fields = _told(record)
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "action": self._clean(action),
        }
        for name, value in fields.items():
            line.setdefault(name, _plain(value, self._clean))
        if trouble := _trouble(record, self._clean):
            line["error"] = trouble
        return json.dumps(line, ensure_ascii=False)


class TextLine(logging.Formatter):
    """The same line for a person at a terminal."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__()
        self._clean = clean

    def format(self, record: logging.LogRecord) -> str:
        clock = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        action, fields = _told(record)
        words = [f"{clock} {level}{self._clean(action)}"]
        words += [f"{name}={_plain(v, self._clean)}" for name, v in fields.items()]
        line = " ".join(words).replace("\n", " ")
        trouble = _trouble(record, self._clean)
        return f"{line}\n{trouble}" if trouble else line


def configure(
    redactor: Redactor, *, stream: TextIO | None = None, level: int = logging.INFO
) -> None:
    """Send every logger of the process, ours and the libraries', through one redacted stream.

    JSON unless the stream is a terminal. Warnings and exceptions that nobody caught go the same
    way, because their text may hold what a library was given.
    """
    target = sys.stderr if stream is None else stream
    out = logging.StreamHandler(target)
    out.setFormatter((TextLine if target.isatty() else JsonLine)(redactor.clean))
    logging.root.handlers[:] = [out]
    logging.root.setLevel(level)
    for name in list(logging.root.manager.loggerDict):
        library = logging.getLogger(name)
        library.handlers.clear()
        library.propagate = True
    # Both write what they send and receive at INFO or DEBUG.
    for chatty in ("slack_bolt", "slack_sdk", "httpx", "httpx2", "openai", "anthropic", "mcp"):
        logging.getLogger(chatty).setLevel(max(level, logging.WARNING))
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = lambda hook: _uncaught(hook.exc_type, hook.exc_value, hook.exc_traceback)


def _uncaught(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    if error is not None and not issubclass(kind, KeyboardInterrupt):
        logging.getLogger("bot").critical("uncaught", exc_info=(kind, error, trace))


def _told(record: logging.LogRecord) -> tuple[str, dict[str, object]]:
    """The action and the fields. Where a record names its action beside its sentence, the
    sentence is one of the fields."""
    said, fields = record.getMessage(), _fields(record)
    if (action := record.__dict__.get("action")) is None:
        return said, fields
    return str(action), {"said": said} | {k: v for k, v in fields.items() if k != "action"}


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """Ours come as one mapping, those of adapters and libraries as attributes of the record."""
    given = {k: v for k, v in record.__dict__.items() if k not in _STANDARD and k[0] != "_"}
    ours = given.pop("fields", None)
    if isinstance(ours, Mapping):
        given |= ours
    given = {**given, **{k: v for k, v in _ABOUT.get().items() if k not in given}}
    return {k: LEFT_OUT if k.lower() in _NEVER else v for k, v in given.items()}


def _plain(value: object, clean: Callable[[str], str]) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = clean(str(value))
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _trouble(record: logging.LogRecord, clean: Callable[[str], str]) -> str:
    if not record.exc_info:
        return ""
    text = clean(logging.Formatter().formatException(record.exc_info))
    # The end of a traceback names the error, the beginning only where it was caught.
    return text if len(text) <= LONGEST * 10 else "…" + text[-LONGEST * 10 :]
