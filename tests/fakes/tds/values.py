"""Columns and values as TDS writes them, from DuckDB's."""

import re
import struct
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

COLLATION = bytes([0x09, 0x04, 0xD0, 0x00, 0x34])
_DAY_ONE = date(1, 1, 1)
_NVARCHAR, _DECIMAL, _INT, _BIT, _FLOAT, _DATE, _DATETIME2 = (
    0xE7,
    0x6C,
    0x26,
    0x68,
    0x6D,
    0x28,
    0x2A,
)
_FIXED = {
    "TINYINT": bytes([_INT, 4]),
    "SMALLINT": bytes([_INT, 4]),
    "INTEGER": bytes([_INT, 4]),
    "BIGINT": bytes([_INT, 8]),
    "BOOLEAN": bytes([_BIT, 1]),
    "DOUBLE": bytes([_FLOAT, 8]),
    "HUGEINT": bytes([_DECIMAL, 17, 38, 0]),
    "DATE": bytes([_DATE]),
    "TIMESTAMP": bytes([_DATETIME2, 6]),
}


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


def short_text(text: str) -> bytes:
    """A text of at most 255 characters, with its length before it."""
    return bytes([len(text)]) + wide(text)


def long_text(text: str) -> bytes:
    return struct.pack("<H", len(text)) + wide(text)


def type_of(kind: str) -> bytes:
    if kind.startswith("DECIMAL"):
        precision, scale = map(int, re.findall(r"\d+", kind))
        return bytes([_DECIMAL, 17, precision, scale])
    return _FIXED.get(kind) or bytes([_NVARCHAR]) + struct.pack("<H", 8000) + COLLATION


def headings(columns: Sequence[tuple[str, str]]) -> bytes:
    """COLMETADATA for pairs of a name and one of DuckDB's types."""
    out = struct.pack("<BH", 0x81, len(columns))
    for name, kind in columns:
        out += struct.pack("<IH", 0, 0x09) + type_of(kind) + short_text(name[:127])
    return out


def row(columns: Sequence[tuple[str, str]], values: Sequence[Any]) -> bytes:
    pairs = zip(columns, values, strict=True)
    return b"\xd1" + b"".join(_value(type_of(kind), value) for (_, kind), value in pairs)


def _value(kind: bytes, value: Any) -> bytes:
    if kind[0] == _NVARCHAR:
        if value is None:
            return b"\xff\xff"
        raw = wide(str(value))[:8000]
        return struct.pack("<H", len(raw)) + raw
    if value is None:
        return b"\x00"
    match kind[0]:
        case 0x26:
            return bytes([kind[1]]) + int(value).to_bytes(kind[1], "little", signed=True)
        case 0x68:
            return bytes([1, int(value)])
        case 0x6D:
            return b"\x08" + struct.pack("<d", value)
        case 0x6C:
            whole = int(Decimal(value).scaleb(kind[3]))
            return bytes([17, int(whole >= 0)]) + abs(whole).to_bytes(16, "little")
        case 0x28:
            return b"\x03" + (value - _DAY_ONE).days.to_bytes(3, "little")
        case _:
            return b"\x08" + _moment(value)


def _moment(value: datetime) -> bytes:
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    time = (seconds * 1_000_000 + value.microsecond).to_bytes(5, "little")
    return time + (value.date() - _DAY_ONE).days.to_bytes(3, "little")
