"""The one place that seals a value and makes it readable again.

An envelope is `CS1`, the length of the key's id, the id, a nonce and the AES-256-GCM ciphertext.
The purpose (`aad`) is bound to it, so that an envelope that is moved to another row is refused.
"""

import base64
import binascii
import os
import re
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from core.errors import Misconfigured, Unreadable

_MAGIC = b"CS1"
_NONCE = 12
"""Bytes; random, so one key is good for 2³² envelopes (NIST SP 800-38D, 8.3)."""
_TAG = 16
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class KeyRing:
    """Keys by id. The first seals; every one of them opens, so keys are rotated by putting a
    new one in front."""

    _keys: tuple[tuple[str, AESGCM], ...] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> "KeyRing":
        """Read `id:base64,id:base64`, 32 bytes each. Raises `Misconfigured`; its sentence never
        contains a key."""
        keys: dict[str, AESGCM] = {}
        for entry in filter(None, (part.strip() for part in text.split(","))):
            name, _, encoded = entry.partition(":")
            if not _ID.fullmatch(name) or not encoded:
                raise Misconfigured("COUNTERSIGN_KEYS must look like id:base64,id:base64.")
            if name in keys:
                raise Misconfigured(f"COUNTERSIGN_KEYS names the key {name} twice.")
            keys[name] = AESGCM(_key(name, encoded))
        if not keys:
            raise Misconfigured("COUNTERSIGN_KEYS holds no key.")
        return cls(tuple(keys.items()))

    def seal(self, data: bytes, aad: str) -> bytes:
        """The envelope of `data` for the purpose `aad`."""
        name, key = self._keys[0]
        head = _MAGIC + bytes([len(name)]) + name.encode()
        nonce = os.urandom(_NONCE)
        return head + nonce + key.encrypt(nonce, data, head + aad.encode())

    def is_current(self, envelope: bytes) -> bool:
        """Whether the first key sealed it. Raises `Unreadable` for what is no envelope."""
        head, _, _ = _parts(envelope)
        return head[len(_MAGIC) + 1 :] == self._keys[0][0].encode()

    def unseal(self, envelope: bytes, aad: str) -> bytes:
        """The data of the envelope. Raises `Unreadable` for anything that was not sealed by a
        key of this ring for the same purpose."""
        head, nonce, ciphertext = _parts(envelope)
        name = head[len(_MAGIC) + 1 :]
        for known, key in self._keys:
            if known.encode() == name:
                try:
                    return key.decrypt(nonce, ciphertext, head + aad.encode())
                except InvalidTag:
                    break
        raise Unreadable


def _key(name: str, encoded: str) -> bytes:
    try:
        key = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise Misconfigured(f"The key {name} in COUNTERSIGN_KEYS is not base64.") from None
    if len(key) != 32:
        raise Misconfigured(f"The key {name} in COUNTERSIGN_KEYS has {len(key)} bytes, not 32.")
    return key


def _parts(envelope: bytes) -> tuple[bytes, bytes, bytes]:
    if not envelope.startswith(_MAGIC) or len(envelope) <= len(_MAGIC):
        raise Unreadable
    head_end = len(_MAGIC) + 1 + envelope[len(_MAGIC)]
    if len(envelope) < head_end + _NONCE + _TAG:
        raise Unreadable
    nonce_end = head_end + _NONCE
    return envelope[:head_end], envelope[head_end:nonce_end], envelope[nonce_end:]
