"""How much Teams takes, as data; `weight` counts as Teams does.

Source: Microsoft's page on formatting bot messages, on AI messages, and field reports (marked so).
"""

import json
from typing import Final

from core.records import Json

MESSAGE_BYTES: Final = 80_000
"""Of an activity in UTF-16; Teams refuses it at about 100 KB."""
TEXT_UNITS: Final = 32_000
"""UTF-16 units of one message's text: with markup and escapes it stays below the above."""
CARD_BYTES: Final = 40_000
"""Of a card in UTF-16. Field report: larger ones are refused here and there."""
STREAM_UNITS: Final = 16_000
"""UTF-16 units of a text that is streamed: what is longer comes with the finished answer."""
PARTS: Final = 6
CITATIONS: Final = 20
CITATION_NAME: Final = 80
CITATION_ABSTRACT: Final = 160
SENSITIVITY: Final = 400
URL: Final = 2_000
TABLE_COLUMNS: Final = 12
TABLE_ROWS: Final = 60
CELL: Final = 300
LINE: Final = 4_000
SMALL_PRINT: Final = 1_500
INPUT_TEXT: Final = 20_000
CHOICES: Final = 100
LINES: Final = 200
"""Of one card's long texts together."""


def weight(text: str) -> int:
    """UTF-16 units."""
    return len(text) + sum(char > "\uffff" for char in text)


def size(shown: Json) -> int:
    """Bytes in UTF-16."""
    return 2 * weight(json.dumps(shown, ensure_ascii=False))
