"""Keeps the public keys that the authority signs with."""

import json
import threading
from typing import Any

import jwt

from core.identity.claims import Untrusted
from core.identity.wire import Wire
from core.ports import Clock

AGE_SECONDS = 86_400.0
"""After which the keys are read again even though the one asked for is known: a key that was
withdrawn must not be trusted for ever."""


class SigningKeys:
    """For any thread; the lock makes one reading serve all who wait for it."""

    def __init__(self, wire: Wire, clock: Clock) -> None:
        self._wire = wire
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: dict[str, Any] = {}
        self._read_at = float("-inf")

    def find(self, address: str, kid: str) -> Any:
        """The key of this id; an id that is not known is looked for once more at the authority.

        Raises `Untrusted` when there is none, OSError or ValueError when the authority does not
        answer.
        """
        with self._lock:
            is_old = self._clock() - self._read_at > AGE_SECONDS
            if is_old or kid not in self._keys:
                self._keys = _parsed(self._wire.read(address).text)
                self._read_at = self._clock()
            if kid not in self._keys:
                raise Untrusted("unknown_key")
            return self._keys[kid]


def _parsed(text: str) -> dict[str, Any]:
    """RSA keys for signatures, by id; others are passed over."""
    found: dict[str, Any] = {}
    for entry in json.loads(text).get("keys", []):
        if entry.get("kty") == "RSA" and entry.get("use", "sig") == "sig" and entry.get("kid"):
            found[str(entry["kid"])] = jwt.PyJWK(entry, algorithm="RS256").key
    return found
