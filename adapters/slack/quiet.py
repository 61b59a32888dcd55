"""Keeps what people write out of the logs of Slack's libraries."""

import logging


class Bodiless(logging.Filter):
    """Replaces a library's message, which may quote a delivery, by the place that it came from."""

    def filter(self, record: logging.LogRecord) -> bool:
        failure = record.exc_info[0] if record.exc_info else None
        said = f" ({failure.__name__})" if failure else ""
        record.msg = f"slack library: {record.module}.{record.funcName}:{record.lineno}{said}"
        record.args = ()
        record.exc_info = record.exc_text = record.stack_info = None
        return True


def library_logger() -> logging.Logger:
    """For Bolt and the SDK, which copy its level and filters to their own loggers. At DEBUG the
    SDK would build texts of whole requests."""
    logger = logging.getLogger("adapters.slack.library")
    logger.setLevel(logging.WARNING)
    if not logger.filters:
        logger.addFilter(Bodiless())
    return logger
