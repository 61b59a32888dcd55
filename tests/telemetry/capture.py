"""Sends the process's log into a string for a while."""

import io
import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from core.telemetry import logs
from core.telemetry.redact import Redactor


@contextmanager
def captured(redactor: Redactor | None = None) -> Iterator[io.StringIO]:
    """What every logger of the process writes, configured as the bot configures it."""
    root, out = logging.root, io.StringIO()
    hooks = root.handlers[:], root.level, sys.excepthook, threading.excepthook
    logs.configure(redactor or Redactor(), stream=out, level=logging.DEBUG)
    try:
        yield out
    finally:
        root.handlers[:], level, sys.excepthook, threading.excepthook = hooks
        root.setLevel(level)
        logging.captureWarnings(False)
