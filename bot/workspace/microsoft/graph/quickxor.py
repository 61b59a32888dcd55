"""The hash that OneDrive for work publishes for each file (quickXorHash)."""

import base64

WIDTH = 160
SHIFT = 11
BLOCK = WIDTH
"""Bytes after which positions repeat: 160 shifts of 11 bits come round to zero."""


def digest(content: bytes) -> str:
    """As Microsoft describes it under "Code snippets: QuickXorHash Algorithm", in base64.

    Each byte is laid, with exclusive or, eleven bits further into a ring of 160 bits; the length
    goes over the last eight bytes.
    """
    folded = 0
    for start in range(0, len(content), BLOCK):
        folded ^= int.from_bytes(content[start : start + BLOCK], "little")
    ring = 0
    for index, byte in enumerate(folded.to_bytes(BLOCK, "little")):
        position = (index * SHIFT) % WIDTH
        ring ^= byte << position
    ring = (ring & ((1 << WIDTH) - 1)) ^ (ring >> WIDTH)
    ring ^= len(content) << (WIDTH - 64)
    return base64.b64encode(ring.to_bytes(WIDTH // 8, "little")).decode()
