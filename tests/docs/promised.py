"""The table of promises in SECURITY.md, made from tests/promises.py.

    python -m tests.docs.promised

writes it anew.
"""

from pathlib import Path

from tests.promises import PROMISES, Promise

PAGE = Path(__file__).parents[2] / "SECURITY.md"
BEGIN, END = "<!-- promises -->\n", "<!-- /promises -->"


def table() -> str:
    return "\n".join(["| id | promise | |", "| --- | --- | --- |", *map(_row, PROMISES), ""])


def of_page(text: str) -> str:
    """The table that stands in the page."""
    return text.partition(BEGIN)[2].partition(END)[0]


def _row(promise: Promise) -> str:
    if not promise.kept:
        return f"| {promise.id} | {promise.sentence} | not yet: {promise.missing} |"
    state = f"kept; {promise.missing}" if promise.missing else "kept"
    return f"| {promise.id} | {promise.sentence} | {state} |"


if __name__ == "__main__":
    text = PAGE.read_text("utf-8")
    PAGE.write_text(text.replace(f"{BEGIN}{of_page(text)}{END}", f"{BEGIN}{table()}{END}"), "utf-8")
