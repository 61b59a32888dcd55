"""Carries HTTP to the sign-in authority and to no other host.

MSAL takes an http authority under no circumstances. Of one on loopback it is therefore told that
it is Microsoft's own, and the difference is made up for here.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from core.errors import NotAllowed
from core.identity.settings import LOGIN

CONNECT_SECONDS = 2.0
READ_SECONDS = 4.0
_POOL = 32


class Answer(NamedTuple):
    """What MSAL looks at in a response."""

    status_code: int
    text: str
    headers: Mapping[str, str]

    def raise_for_status(self) -> None:
        if self.status_code >= 400:
            raise OSError(f"the authority answered {self.status_code}")


class Wire:
    """The connections to one authority, for any thread."""

    def __init__(self, authority: str) -> None:
        parts = urlsplit(authority)
        self._real = f"{parts.scheme}://{parts.netloc}"
        self._told = LOGIN if parts.scheme == "http" else self._real
        self.authority = f"{self._told}{parts.path}"
        """As MSAL may be told."""
        self._session = _session()

    def get(self, url: str, **how: Any) -> Answer:
        answer = self._send("GET", url, how)
        return answer._replace(text=answer.text.replace(self._real, self._told))

    def post(self, url: str, **how: Any) -> Answer:
        return self._send("POST", url, how)

    def read(self, url: str) -> Answer:
        """The resource as the authority wrote it. Raises OSError."""
        answer = self._send("GET", url, {})
        answer.raise_for_status()
        return answer

    def real(self, url: str) -> str:
        """The address that a browser can go to, of one that MSAL made. Raises `NotAllowed` for
        another host."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in (self._real, self._told):
            raise NotAllowed("The authority named an address on another host.")
        return f"{self._real}{url[len(origin) :]}"

    def close(self) -> None:
        self._session.close()

    def _send(self, method: str, url: str, how: Mapping[str, Any]) -> Answer:
        response = self._session.request(
            method,
            self.real(url),
            params=how.get("params"),
            data=how.get("data"),
            headers=how.get("headers"),
            timeout=(CONNECT_SECONDS, READ_SECONDS),
            allow_redirects=False,
        )
        return Answer(response.status_code, response.text, dict(response.headers))


def _session() -> Any:
    from http.cookiejar import DefaultCookiePolicy

    import requests
    from requests.adapters import HTTPAdapter
    from urllib3 import Retry

    session = requests.Session()
    # Neither proxies, nor .netrc, nor REQUESTS_CA_BUNDLE decide where tokens go.
    session.trust_env = False
    # What the authority sets for one person must not travel with the next.
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    # Only a connection that was never made is tried again.
    retry = Retry(total=1, connect=1, read=0, redirect=0, status=0, other=0, backoff_factor=0)
    adapter = HTTPAdapter(pool_connections=2, pool_maxsize=_POOL, max_retries=retry)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session
