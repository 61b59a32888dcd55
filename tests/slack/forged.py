"""Deliveries that Slack never sent, made by the thousand."""

import hashlib
import hmac
import random

SECRET = "0123456789abcdef0123456789abcdef"
NOW = 1_796_000_000.0
BODY = b'{"type":"event_callback","event":{"text":"canary-4711"}}'


def sign(body: bytes, timestamp: str, secret: str = SECRET) -> str:
    basis = b"v0:" + timestamp.encode("utf-8", "surrogateescape") + b":" + body
    return "v0=" + hmac.new(secret.encode(), basis, hashlib.sha256).hexdigest()


def forgeries(count: int):
    """(timestamp headers, signature headers, body), none of which Slack would have sent."""
    chance = random.Random(7)
    timestamp = str(int(NOW))
    good = sign(BODY, timestamp)
    odd = ["abc", "", "-1", "1e9", "+1796000000", " 1796000000", "１７９６００００００", "9" * 5000]
    odd += ["0x6b0f", "1796000000.5", "\udcff1796000000", "1796000000\n"]
    bad = ["", "v0=", good[3:], good.upper(), "v1=" + good[3:], good + "0", good[:-1], "v0=é" * 9]
    bad += ["v0=" + "g" * 64, good.replace("v0=", "v0= "), "\udce9" * 67, good + "\n", "v0=" * 300]
    for number in range(count):
        kind = number % 10
        if kind == 0:
            at = chance.randrange(len(BODY))
            yield [timestamp], [good], BODY[:at] + bytes([BODY[at] ^ 1]) + BODY[at + 1 :]
        elif kind == 1:
            stale = str(int(NOW) + chance.choice([-1, 1]) * chance.randrange(301, 10**8))
            yield [stale], [sign(BODY, stale)], BODY
        elif kind == 2:
            value = chance.choice(odd)
            yield [value], [sign(BODY, value)], BODY
        elif kind == 3:
            yield [timestamp], [chance.choice(bad)], BODY
        elif kind == 4:
            yield [timestamp], [sign(BODY, timestamp, chance.choice(["", "x" * 32]))], BODY
        elif kind == 5:
            yield [timestamp, timestamp], [good], BODY
        elif kind == 6:
            yield [timestamp], [good, chance.choice([good, "v0=" + "0" * 64])], BODY
        elif kind == 7:
            yield chance.choice([([], [good], BODY), ([timestamp], [], BODY), ([], [], BODY)])
        elif kind == 8:
            digit = chance.randrange(3, 67)
            other = "0" if good[digit] != "0" else "1"
            yield [timestamp], [good[:digit] + other + good[digit + 1 :]], BODY
        else:
            yield [timestamp], [good], chance.choice([BODY + b" ", BODY[1:], b"", BODY * 2])
