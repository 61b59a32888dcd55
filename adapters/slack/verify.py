"""Decides from headers and raw bytes whether a delivery was signed with our secret just now."""

import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass

WINDOW = 300
"""Seconds that a signature is good for, in both directions: Slack's own rule."""
_TIMESTAMP = re.compile(r"[0-9]{1,12}")
_SIGNATURE = re.compile(r"v0=[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A fresh, well-formed signature that has not been compared with a body yet."""

    timestamp: str
    signature: str


def claim(timestamps: Sequence[str], signatures: Sequence[str], now: float) -> Claim | None:
    """Read the two headers; every value that arrived under their names is given.

    None where one is missing, repeated, malformed or outside the window: then the body need not
    be read at all.
    """
    if len(timestamps) != 1 or len(signatures) != 1:
        return None
    timestamp, signature = timestamps[0], signatures[0]
    if not _TIMESTAMP.fullmatch(timestamp) or not _SIGNATURE.fullmatch(signature):
        return None
    if abs(now - int(timestamp)) > WINDOW:
        return None
    return Claim(timestamp=timestamp, signature=signature)


def is_genuine(claimed: Claim, body: bytes, secret: str) -> bool:
    """Compare in constant time, over the bytes as they arrived."""
    basis = b"v0:" + claimed.timestamp.encode("ascii") + b":" + body
    expected = "v0=" + hmac.new(secret.encode("ascii"), basis, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, claimed.signature)
