"""Draws the two icons of the Teams app: a check mark, in the sizes that Teams asks for."""

import struct
import zlib

COLOR_SIZE, OUTLINE_SIZE = 192, 32
"""Pixels, both ways. Source: Microsoft's page on the app package."""
GROUND = (0x1F, 0x3A, 0x34, 0xFF)
WHITE = (0xFF, 0xFF, 0xFF, 0xFF)
CLEAR = (0xFF, 0xFF, 0xFF, 0x00)
_STROKES = (((0.26, 0.53), (0.43, 0.70)), ((0.43, 0.70), (0.75, 0.32)))
"""Of the mark, in parts of the side."""
_WIDTH = 0.055
_FINE = 3
"""Samples of a pixel, each way."""
Colour = tuple[int, int, int, int]
Point = tuple[float, float]


def color() -> bytes:
    """PNG: the mark in white on the app's colour."""
    return _png(COLOR_SIZE, GROUND)


def outline() -> bytes:
    """PNG: the mark in white on nothing."""
    return _png(OUTLINE_SIZE, CLEAR)


def size(png: bytes) -> tuple[int, int]:
    """(width, height); (0, 0) for what is no PNG."""
    if png[:8] != b"\x89PNG\r\n\x1a\n":
        return 0, 0
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def _png(side: int, ground: Colour) -> bytes:
    rows = b"".join(
        b"\0" + b"".join(bytes(_pixel(x, y, side, ground)) for x in range(side))
        for y in range(side)
    )
    head = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body))
        + name
        + body
        + struct.pack(">I", zlib.crc32(name + body) & 0xFFFFFFFF)
        for name, body in parts
    )


def _pixel(x: int, y: int, side: int, ground: Colour) -> Colour:
    """Between the ground and white, by how much of the pixel the mark covers."""
    steps = [(step + 0.5) / _FINE for step in range(_FINE)]
    points = [((x + dx) / side, (y + dy) / side) for dx in steps for dy in steps]
    share = sum(any(_distance(at, *s) <= _WIDTH for s in _STROKES) for at in points) / len(points)
    red, green, blue, alpha = (
        round(under + (over - under) * share) for under, over in zip(ground, WHITE, strict=True)
    )
    return red, green, blue, alpha


def _distance(at: Point, start: Point, end: Point) -> float:
    """From a point to a stroke."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = ((at[0] - start[0]) * dx + (at[1] - start[1]) * dy) / (dx * dx + dy * dy)
    along = min(max(along, 0.0), 1.0)
    near = (start[0] + along * dx, start[1] + along * dy)
    return ((at[0] - near[0]) ** 2 + (at[1] - near[1]) ** 2) ** 0.5
