"""The numbers at which Teams refuses, as data.

Sources: Microsoft's pages on rate limits, message size, streaming, and field reports where
Microsoft documents nothing (marked so).
"""

from typing import Final

MESSAGE_BYTES: Final = 100 * 1024
"""Of an activity, counted in UTF-16."""
WINDOWS: Final = ((7, 1.0), (8, 2.0), (60, 30.0), (1_800, 3_600.0))
"""(messages, seconds) of one bot in one conversation."""
STREAM_SECONDS: Final = 120.0
STREAM_GAP: Final = 1.0
INFORMATIVE_BYTES: Final = 1_024
CARD_VERSIONS: Final = ("1.2", "1.3", "1.4", "1.5")
DELIVERY_SECONDS: Final = 15.0
"""Field report: after which an activity without an answer comes again."""
INVOKE_SECONDS: Final = 10.0
RETRY_PAUSES: Final = (1.0, 5.0)
FINAL_STATUSES: Final = frozenset({400, 401, 403, 404, 405, 413, 415})
"""After which an activity does not come again."""
