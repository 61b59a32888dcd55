"""Holds MSAL: loads it late, makes its application, and keeps what it says to itself.

MSAL's exceptions and log lines quote nonces, states and whole answers; none of them gets out.
"""

import importlib
import logging
import re
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from core.errors import NotAllowed
from core.identity import failures
from core.identity.settings import EntraSettings
from core.identity.wire import Wire
from core.telemetry import logs

CAPABILITIES = ["CP1"]
"""Tells Graph that we understand claims challenges, so that it may send one."""
P = ParamSpec("P")
T = TypeVar("T")
log = logs.get(__name__)


def cache() -> Any:
    """An empty token cache."""
    return _msal().SerializableTokenCache()


def application(settings: EntraSettings, wire: Wire, cache: Any, answers: dict[str, Any]) -> Any:
    """An application over this token cache. `answers` is what MSAL remembers of the authority,
    shared by all applications."""
    return _msal().ConfidentialClientApplication(
        settings.client_id,
        client_credential=_credential(settings),
        authority=wire.authority,
        token_cache=cache,
        http_client=wire,
        http_cache=answers,
        client_capabilities=CAPABILITIES,
        # The authority stands in our settings; asking another host about it adds nothing.
        instance_discovery=False,
    )


def _msal() -> Any:
    """MSAL, loaded when first needed, and silent: it logs answers and codes."""
    msal = importlib.import_module("msal")
    logging.getLogger("msal").setLevel(logging.CRITICAL)
    # `form_post` would come as a cross-site POST, without the cookie that ties the answer to the
    # browser which asked.
    warnings.filterwarnings("ignore", message="response_mode='form_post' is recommended")
    return msal


def answering(work: Callable[P, T]) -> Callable[P, T]:
    """Turn whatever a failing authority makes MSAL raise into a need that names no detail."""

    @wraps(work)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return work(*args, **kwargs)
        except _surprises() as error:
            reason = type(error).__name__
        log.warning("entra.unavailable", reason=reason)
        # Raised out here, it carries no reference to the exception that quotes.
        raise failures.need("unavailable")

    return guarded


def _surprises() -> tuple[type[Exception], ...]:
    """What MSAL and a failing authority raise: requests' errors are OSErrors, and MSAL trips over
    an answer that is JSON but not what it expects."""
    surprise: type[Exception] = importlib.import_module("msal.exceptions").MsalServiceError
    tripped = (LookupError, AttributeError, TypeError)
    return (OSError, ValueError, RuntimeError, NotAllowed, surprise, *tripped)


def _credential(settings: EntraSettings) -> object:
    if settings.client_secret:
        return settings.client_secret
    return {
        "private_key": _block(settings.certificate, "PRIVATE KEY"),
        "public_certificate": _block(settings.certificate, "CERTIFICATE"),
    }


def _block(pem: str, ends: str) -> str:
    found = re.search(rf"-----BEGIN (?:[A-Z]+ )*{ends}-----.*?-----END [A-Z ]+-----", pem, re.S)
    return found[0] if found else ""
