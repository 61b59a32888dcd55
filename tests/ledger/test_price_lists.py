"""A price list that an operator brings counts from the next use on, below the file's own prices."""

from pathlib import Path

import pytest

from bot.pricing import Prices, read
from core.errors import Misconfigured
from core.ledger.meter import Meter
from core.ledger.prices import Rates, price
from core.records import LedgerEntry, Usage
from core.storage import price_lists
from core.storage.database import Database

LIST = """
version: "%s"
prices:
  openai:x: {input: %s, output: 0}
  openai:own: {input: 1, output: 0}
"""


async def ignored(entry: LedgerEntry) -> None:
    """No use is made."""


async def test_the_newest_list_counts_and_the_file_beats_it(
    database: Database, tmp_path: Path
) -> None:
    configured = {"openai:own": Rates(input="9")}
    meter = Meter(ignored, lambda: 0.0, configured)
    prices = Prices(database, meter, configured)
    tokens = Usage(input_tokens=1_000_000)
    for version, amount in (("1", "2"), ("2", "3")):
        file = tmp_path / f"{version}.yaml"
        file.write_text(LIST % (version, amount))
        body = read(file).model_dump_json(exclude_none=True)
        await price_lists.add(database, version, body, "operator:t", now=1.0)
        await prices.look()
        assert meter.price_of("openai", "x", tokens) == amount
        assert meter.price_of("openai", "own", tokens) == "9"


def test_pages_and_images_have_prices_of_their_own() -> None:
    rates = {"openai:eye": Rates(input="1", page="0.01", table="list 1")}
    assert price("openai", "eye", Usage(pages=3), rates, at=0.0) == ("0.03", "list 1")
    assert price("openai", "eye", Usage(images=1), rates, at=0.0) == (None, "list 1")


def test_a_list_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot be read"):
        read(tmp_path / "none.yaml")
    (tmp_path / "a.yaml").write_text("version: 1")
    with pytest.raises(Misconfigured, match="prices"):
        read(tmp_path / "a.yaml")
