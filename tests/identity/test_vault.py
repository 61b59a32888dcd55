"""What the vault seals, opens and refuses."""

import base64
import random

import pytest

from core.errors import Misconfigured, Unreadable
from core.identity.vault import KeyRing


def key(filling: int) -> str:
    return base64.b64encode(bytes([filling]) * 32).decode()


OLD = f"old:{key(1)}"
NEW = f"new:{key(2)}"


def test_a_sealed_value_opens_for_the_same_purpose() -> None:
    ring = KeyRing.parse(OLD)
    assert ring.unseal(ring.seal(b"secret", "turn:1"), "turn:1") == b"secret"


def test_an_empty_value_can_be_sealed() -> None:
    ring = KeyRing.parse(OLD)
    assert ring.unseal(ring.seal(b"", ""), "") == b""


def test_the_same_value_never_looks_the_same_twice() -> None:
    ring = KeyRing.parse(OLD)
    assert ring.seal(b"secret", "x") != ring.seal(b"secret", "x")


def test_a_value_sealed_for_one_purpose_does_not_open_for_another() -> None:
    ring = KeyRing.parse(OLD)
    with pytest.raises(Unreadable):
        ring.unseal(ring.seal(b"secret", "turn:1"), "turn:2")


def test_keys_rotate_without_losing_a_value() -> None:
    before, during, after = (KeyRing.parse(text) for text in (OLD, f"{NEW},{OLD}", NEW))
    envelope = before.seal(b"secret", "x")
    assert during.unseal(envelope, "x") == b"secret"
    resealed = during.seal(during.unseal(envelope, "x"), "x")
    assert after.unseal(resealed, "x") == b"secret"
    with pytest.raises(Unreadable):
        after.unseal(envelope, "x")


def test_every_altered_bit_is_noticed() -> None:
    ring = KeyRing.parse(f"{OLD},{NEW}")
    envelope = ring.seal(b"a secret of some length", "x")
    for bit in range(len(envelope) * 8):
        altered = bytearray(envelope)
        altered[bit // 8] ^= 1 << (bit % 8)
        with pytest.raises(Unreadable):
            ring.unseal(bytes(altered), "x")


def test_whatever_is_not_an_envelope_is_refused() -> None:
    ring = KeyRing.parse(OLD)
    envelope = ring.seal(b"secret", "x")
    chance = random.Random(1)
    foreign = [b"", b"CS1", b"CS1\xff", b"secret", *(envelope[:n] for n in range(len(envelope)))]
    foreign += [chance.randbytes(chance.randrange(80)) for _ in range(500)]
    for candidate in foreign:
        with pytest.raises(Unreadable):
            ring.unseal(candidate, "x")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "no key"),
        (" , ", "no key"),
        ("nokey", "must look like"),
        (f":{key(1)}", "must look like"),
        ("a b:AAAA", "must look like"),
        ("short:AAAA", "3 bytes, not 32"),
        ("bad:***", "not base64"),
        (f"{OLD},{OLD}", "twice"),
    ],
)
def test_a_bad_ring_is_refused_with_a_sentence(text: str, hint: str) -> None:
    with pytest.raises(Misconfigured, match=hint):
        KeyRing.parse(text)


def test_no_key_shows_in_the_ring_or_in_a_complaint() -> None:
    assert key(1) not in repr(KeyRing.parse(OLD))
    with pytest.raises(Misconfigured) as caught:
        KeyRing.parse(f"half:{key(1)[:-8]}AA==")
    assert key(1)[:10] not in str(caught.value)
