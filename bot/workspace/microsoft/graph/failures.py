"""What Graph answers when it refuses: a status with a code and a message."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.workspace.microsoft.records import Fault, Json

CODES = {
    400: ("BadRequest", "The request is malformed or incorrect."),
    401: ("InvalidAuthenticationToken", "Access token validation failure."),
    403: ("ErrorAccessDenied", "Access is denied. Check credentials and try again."),
    404: ("ErrorItemNotFound", "The specified object was not found in the store."),
    405: ("Request_BadRequest", "Specified HTTP method is not allowed."),
    409: ("nameAlreadyExists", "An item with the same name already exists."),
    410: ("resyncRequired", "Resync required."),
    412: ("ErrorIrresolvableConflict", "The change key passed in does not match."),
    413: ("ErrorMessageSizeExceeded", "The message exceeds the maximum supported size."),
    416: ("invalidRange", "The byte range is not valid."),
    423: ("resourceLocked", "The resource you are attempting to access is locked."),
    429: (
        "ApplicationThrottled",
        "Application is over its MailboxConcurrency limit.",
    ),
    500: ("ErrorInternalServerError", "An internal server error occurred. The operation failed."),
    502: ("BadGateway", "Bad gateway."),
    503: ("ErrorServerBusy", "The server cannot service this request right now. Try again later."),
    504: ("GatewayTimeout", "The request timed out."),
}
"""The usual code and message of each status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFailure:
    status: int
    code: str
    message: str
    headers: dict[str, str] = field(default_factory=dict[str, str])


class GraphRefused(Exception):
    """Graph says no."""

    def __init__(self, failure: GraphFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def refused(status: int, code: str = "", message: str = "", **headers: str) -> GraphRefused:
    """The refusal with the usual words where none are given; `headers` with `_` for `-`."""
    usual_code, usual_message = CODES[status]
    return GraphRefused(
        GraphFailure(
            status=status,
            code=code or usual_code,
            message=message or usual_message,
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )
    )


def of_fault(fault: Fault) -> GraphRefused:
    """A scripted failure in Graph's words."""
    headers: dict[str, str] = {}
    if fault.retry_after is not None:
        headers["Retry_After"] = str(fault.retry_after)
    return refused(fault.status, fault.code, fault.message, **headers)


def body(failure: GraphFailure, request_id: str, client_request_id: str, now: float) -> Json:
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return {
        "error": {
            "code": failure.code,
            "message": failure.message,
            "innerError": {
                "date": stamp,
                "request-id": request_id,
                "client-request-id": client_request_id,
            },
        }
    }
