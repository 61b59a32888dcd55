"""Puts a measured table into its place on the page of measurements."""

from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def put(page: str, name: str, block: str) -> str:
    """The page with `block` between the marks of that table, and all else as it was. Raises
    `LookupError` where the page has no place for it."""
    opening, closing = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, found, rest = page.partition(opening)
    _, ended, after = rest.partition(closing)
    if not found or not ended:
        raise LookupError(f"{PAGE.name} has no place for {name}")
    return f"{before}{opening}\n{block}\n{closing}{after}"
