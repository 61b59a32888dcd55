"""Reads price lists that an operator brings, and lets the newest one count."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, Field, ValidationError

from bot.sections import STRICT, Price
from core.errors import Misconfigured
from core.ledger.meter import Meter
from core.ledger.prices import Rates
from core.storage import price_lists
from core.storage.database import Database


class PriceList(BaseModel):
    """A list with a version, such as the day that it is from; prices by `provider:model`."""

    model_config = STRICT

    version: str = Field(min_length=1, max_length=60)
    prices: dict[str, Price] = Field(min_length=1)

    def rates(self) -> dict[str, Rates]:
        table = f"list {self.version}"
        return {
            name: Rates(
                **{key: str(one) for key, one in price.model_dump().items() if one is not None},
                table=table,
            )
            for name, price in self.prices.items()
        }


def read(path: Path) -> PriceList:
    """A list in YAML or JSON. Raises `Misconfigured` with one problem a line."""
    try:
        given: Any = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as fault:
        raise Misconfigured(f"{path} cannot be read as a price list: {fault}.") from fault
    try:
        return PriceList.model_validate(given)
    except ValidationError as faults:
        lines = [
            f"{path.name}: `{'.'.join(map(str, one['loc']))}`: {one['msg']}."
            for one in faults.errors(include_url=False, include_input=False)
        ]
        raise Misconfigured("\n".join(lines)) from None


class Prices:
    """The prices that beat the public table: those of the configuration, then the newest list."""

    def __init__(self, db: Database, meter: Meter, configured: Mapping[str, Rates]) -> None:
        self._db = db
        self._meter = meter
        self._configured = configured
        self._seen = 0

    async def look(self) -> None:
        """Let a list that is new count from the next use on. Raises `Unavailable`."""
        newest = await price_lists.newest_number(self._db)
        if newest == self._seen:
            return
        found = await price_lists.newest(self._db)
        self._seen = newest
        if found is not None:
            listed = PriceList.model_validate_json(found.body).rates()
            self._meter.reprice({**listed, **self._configured})
