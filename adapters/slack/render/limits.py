"""What Slack takes in one message, and how long a text is in Slack's eyes.

The numbers with "documented" stand in Slack's reference; the others are reports of people who
measured, kept with some distance.
"""

FALLBACK_TEXT = 4_000
"""Characters of `text`: chat.update refuses more (documented), postMessage cuts at 40,000."""
PART_TEXT = 11_000
"""Weight of the Markdown in one message. A message's Markdown blocks may hold 12,000 characters
together (documented); a streamed message is reported to refuse more than about 11,600."""
PART_ITEMS = 45
"""Blocks that Slack makes of one Markdown block; reported to refuse more than 50."""
PART_TABLES = 1
"""Slack takes one table block in a message (documented) and expands Markdown tables into them."""
PARTS = 5
"""Messages of one answer. A longer answer shows its beginning in them and comes whole as a
file."""
MESSAGE_TOTAL = 13_000
"""Characters of all blocks of one message; reported to refuse more than about 13,200."""
TABLE_ROWS = 100
"""Header included (documented)."""
TABLE_COLUMNS = 20
"""Documented."""
TABLE_TEXT = 8_000
"""Weight of all cells; a `data_table` is documented to take 10,000 characters."""
CAPTION = 200
CHART_TITLE = 50
"""Documented."""
CHART_LABEL = 20
"""Documented."""
CHART_POINTS = 20
"""Documented."""
CHART_SERIES = 6
"""Series, or segments of a pie; another page says 12."""
CONTEXT_ELEMENTS = 10
"""Documented."""
CONTEXT_TEXT = 2_000
"""Characters of one element of a context block; Slack takes 3,000."""
LABEL = 150
"""Characters of a source's name."""
URL = 1_100
"""Characters of a source's address; with a longer one the source is named and not linked."""
COST = 200
STATUS = 100
PLAN_TASKS = 40
"""Tasks of one plan; Slack takes 50 (documented)."""
STEP_TITLE = 100
SHARED_SOURCES = 5
"""Context blocks of sources that one answer may have."""

CARD_TEXT = 7_000
"""Characters of the effect on a card; the rest of the message has room beside it."""
CLOSED_TEXT = 3_000
"""The same on a card on which nothing can be agreed to."""
CARD_FIELDS = 32
RICH_TEXT = 2_900
"""Characters of one rich text block. Slack documents no limit; a section takes 3,000."""
HEADER = 150
"""Documented."""
SMALL_PRINT = 1_900
"""Characters of one line under a card."""
MESSAGE_BLOCKS = 48
"""Slack takes 50 (documented)."""
BUTTON = 75
"""Characters on a button (documented)."""
CONFIRM = 300
"""Characters of the question before a button counts (documented)."""
PAGE_TEXT = 12_000
"""Characters of one page of a modal; a view may have 250 kB as JSON (documented)."""
PAGE_BLOCKS = 90
"""Slack takes 100 (documented)."""
VIEW_TITLE = 24
"""Documented."""
INPUT_TEXT = 3_000
"""Characters of one input (documented)."""
OPTIONS = 100
"""Of one menu, or of one group in it (documented)."""
OPTION_TEXT = 75
"""Documented."""


def weight(text: str) -> int:
    """Bytes after `&`, `<` and `>` have been escaped: the longest that anybody counts."""
    units = len(text.encode("utf-8", "surrogatepass"))
    return units + 4 * text.count("&") + 3 * text.count("<") + 3 * text.count(">")


def prefix(text: str, limit: int) -> int:
    """How many characters from the start weigh no more than `limit`."""
    if weight(text) <= limit:
        return len(text)
    low, high = 0, min(len(text), limit)
    while low < high:
        middle = (low + high + 1) // 2
        if weight(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return low
