"""The one door through which a tool's result reaches a prompt: at most 8,000 characters of it.

The whole text stays with the evidence, and the note that replaces the rest says how to read on.
"""

import unicodedata

LIMIT = 8_000
"""Characters (code points) of one result in a prompt, the note included."""

_FLAG_LETTERS = "".join(chr(code) for code in range(0x1F1E6, 0x1F200))


def shorten(text: str, evidence_id: str, limit: int = LIMIT) -> str:
    """The text if it fits, else its beginning and a note that names the evidence, what is missing
    and how to read it. Never longer than `limit`.

    A table ends after a whole row, prose after a line or a word where one is near; no cut falls
    inside a character that is made of several code points.
    """
    if len(text) <= limit:
        return text
    end = room = max(limit, 0)
    note = _note(text, end, evidence_id)
    # The length of the note depends on the numbers in it, so on where the cut falls.
    while end + len(note) > limit and room > 0:
        room = max(0, min(room - 1, limit - len(note)))
        end = _end(text, room)
        note = _note(text, end, evidence_id)
    return (text[:end] + note)[: max(limit, 0)]


def _note(text: str, end: int, evidence_id: str) -> str:
    """The note behind a cut at `end`."""
    left = len(text) - end
    rows = ""
    if _is_table(text, end):
        shown = max(0, _rows(text[:end]))
        rows = f", rows 1 to {shown:,} of {max(0, _rows(text)):,}" if shown else ""
    next_step = "first_row and last_row" if rows else "from_character and to_character"
    return (
        f"\n\n[Shortened: {end:,} of {len(text):,} characters{rows}; {left:,} left out. "
        f'Read on with read_result: evidence "{evidence_id}", {next_step}.]'
    )


def _end(text: str, room: int) -> int:
    """Where to cut so that at most `room` characters are kept."""
    line = text.rfind("\n", 0, room) + 1
    in_table = _is_row(text[line : line + 200].partition("\n")[0])
    if line > (0 if in_table else room // 2):
        return line
    word = max(text.rfind(" ", room * 4 // 5, room), text.rfind("\t", room * 4 // 5, room)) + 1
    return word or _whole_character(text, room)


def _whole_character(text: str, end: int) -> int:
    """The last place at or before `end` that is not inside a composed character."""
    # Two letters of a flag stand together, counted from the beginning of their run.
    before = text[:end]
    letters = len(before) - len(before.rstrip(_FLAG_LETTERS))
    if letters % 2 and text[end : end + 1] in _FLAG_LETTERS:
        end -= 1
    for place in range(end, max(0, end - 40), -1):
        if not _joins(text[place - 1 : place], text[place : place + 1]):
            return place
    return end


def _joins(before: str, after: str) -> bool:
    """Whether the two stand for one character together: a mark, an emoji's parts, the halves of a
    surrogate pair."""
    if not before or not after:
        return False
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    if after in "\u200d\ufe0e\ufe0f\u20e3" or before == "\u200d":
        return True
    if unicodedata.combining(after) or unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return True
    return "\U0001f3fb" <= after <= "\U0001f3ff" or (before == "\r" and after == "\n")


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")


def _is_table(text: str, end: int) -> bool:
    """Whether the text is a Markdown table down to the cut: only then do row numbers help."""
    head = text[: min(end, 400) or 400].lstrip()
    return _is_row(head) and "\n" in head and set(head.split("\n", 2)[1]) <= set("|-: \r")


def _rows(text: str) -> int:
    """Data rows of a Markdown table: its lines without the two of the head."""
    return sum(1 for line in text.splitlines() if _is_row(line)) - 2
