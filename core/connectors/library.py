"""Loads Microsoft's library late, with a plain wire and a token that goes to one host alone."""

import importlib
import json
import uuid
import warnings
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import urlencode, urlsplit

from core.connectors.request import Request, is_below


def wire(deadline: float) -> Any:
    """Keeps no cookies: they would travel from one person's request to the next."""
    httpx: Any = importlib.import_module("httpx")
    return httpx.AsyncClient(
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        timeout=httpx.Timeout(deadline),
        trust_env=False,
        follow_redirects=False,
        limits=httpx.Limits(max_connections=100, max_keepalive_connections=20),
    )


@dataclass(frozen=True, slots=True)
class Library:
    """What is used of Microsoft's library, and of the wire below it."""

    adapter: Any
    bearer: Any
    request: Any
    challenged: Any
    unsent: Any
    errors: Any


def load() -> Library:
    # The library warns of its own deprecated classes while it is imported.
    warnings.filterwarnings("ignore", category=DeprecationWarning, module="msgraph|kiota")
    httpx: Any = importlib.import_module("httpx")
    kiota: Any = importlib.import_module("kiota_abstractions.authentication")

    class Challenged(Exception):
        def __init__(self, claims: str) -> None:
            super().__init__("a claims challenge")
            self.claims = claims

    class Bearer(kiota.AccessTokenProvider):
        """The library itself looks at no host: a token leaves here for the pinned one alone."""

        def __init__(self, base: str, token: str) -> None:
            self._base, self._token = base, token

        def get_allowed_hosts_validator(self) -> Any:
            return kiota.AllowedHostsValidator([urlsplit(self._base).hostname or ""])

        async def get_authorization_token(
            self, uri: str, additional_authentication_context: Any = None
        ) -> str:
            context: dict[str, Any] = additional_authentication_context or {}
            if "claims" in context:
                raise Challenged(str(context["claims"]))
            return self._token if is_below(uri, self._base) else ""

    def bearer(base: str, token: str) -> Any:
        return kiota.BaseBearerTokenAuthenticationProvider(Bearer(base, token))

    return Library(
        adapter=importlib.import_module("msgraph").GraphRequestAdapter,
        bearer=bearer,
        request=_native,
        challenged=Challenged,
        unsent=(httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout),
        errors=(httpx.HTTPError, httpx.InvalidURL, httpx.StreamError),
    )


def _native(base: str, request: Request) -> Any:
    """The request as the library takes it; the answer comes back as it came over the wire."""
    abstractions: Any = importlib.import_module("kiota_abstractions.request_information")
    natively: Any = importlib.import_module("kiota_abstractions.native_response_handler")
    options: Any = importlib.import_module("kiota_http.middleware.options")
    asked = abstractions.RequestInformation()
    asked.http_method = importlib.import_module("kiota_abstractions.method").Method[request.method]
    query = f"?{urlencode(request.query, safe='$:,')}" if request.query else ""
    asked.url = f"{base}{request.path}{query}"
    own = {"client-request-id": request.id or str(uuid.uuid4()), "Accept": "application/json"}
    for name, value in {**own, **request.headers}.items():
        asked.headers.add(name, value)
    if request.content is not None:
        asked.set_stream_content(request.content, "application/octet-stream")
    elif request.body is not None:
        asked.set_stream_content(json.dumps(request.body).encode(), "application/json")
    handler = natively.NativeResponseHandler()
    asked.add_request_options([options.ResponseHandlerOption(handler)])
    return asked
