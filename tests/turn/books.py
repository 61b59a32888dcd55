"""Random turns with every fault of a provider, and the ledger beside the provider's own count.

    python -m tests.turn.books [TURNS]

prints what the one and the other come to.
"""

import asyncio
import random
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from core.ledger.prices import price
from core.records import Usage
from core.storage.database import Database, Row
from tests.fakes.model_script import (
    Asked,
    Counted,
    Step,
    call,
    cut,
    error_in_stream,
    failing,
    filtered_answer,
    filtered_prompt,
    malformed_call,
    overflow,
    rate_limited,
    say,
    truncated,
)
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.sides import MENTION

AT_ONCE = 50
CLAUDE = "claude-sonnet-5"
YAML = f"models:\n  anthropic:{CLAUDE}: {{}}\n"
MODELS = {"openai": "gpt-5.5", "anthropic": CLAUDE, "embeddings": "text-embedding-3-small"}
TABLES = {"openai": "openai", "anthropic": "anthropic", "embeddings": "openai"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """Dollars, exact, unless said otherwise."""

    rows: list[Row]
    """The ledger."""
    requests: int
    """As the provider counted."""
    booked: Decimal
    """The rows of which the provider said all that it counted."""
    billed: Decimal
    """The provider's own count of the same requests."""
    said: Decimal
    """What the other rows hold as known."""
    announced: Decimal
    """What the provider had said of those before their answers broke off."""
    likely: Decimal
    """What those rows estimate in all."""
    unsaid: Decimal
    """What the provider's own count of them comes to, which it never said."""
    broken: int
    """How many requests those are."""


def step(dice: random.Random, asked: Asked) -> Step:
    cached, written = dice.randrange(0, 2_000), dice.randrange(0, 300)
    counted = Counted(
        input=cached + written + dice.randrange(1, 5_000),
        cached=cached,
        cache_write=written,
        output=dice.randrange(1, 900),
    )
    words = say("words", usage=counted)
    faults = [
        rate_limited(),
        failing(500),
        filtered_answer(),
        filtered_prompt(),
        overflow(),
        truncated("half"),
        cut("Half an answer that was being written when the line went dead. " * 3),
        cut("Half an answer, and then a reset of the connection. " * 3, is_abrupt=True),
        error_in_stream("overloaded_error", "So far the answer went well, and then it did not."),
        say("An answer whose end says nothing of what it took.", has_usage=False),
    ]
    calls = [call("sample_list_products"), malformed_call("sample_sales_by")] if asked.tools else []
    return dice.choice([*[words] * 10, *faults, *calls * 3])


async def books(folder: Path, turns: int) -> Books:
    """Ask so many questions of both providers, and wait for their entries."""
    dice = random.Random(47)
    async with ModelServer(dimensions=1536) as models:
        environment = {"ANTHROPIC_API_KEY": "sk-" + "a" * 40}
        environment["ANTHROPIC_BASE_URL"] = models.anthropic_url
        async with house(folder, models=models, yaml=YAML, environment=environment) as bot:
            models.answer(lambda asked: step(dice, asked))
            db = bot.bot.rooms.db
            for start in range(0, turns, AT_ONCE):
                async with asyncio.TaskGroup() as group:
                    for number in range(start, min(start + AT_ONCE, turns)):
                        named = f" model:anthropic:{CLAUDE}" if number % 2 else ""
                        words = f"{MENTION} question {number}?{named}"
                        group.create_task(bot.slack.say("tomas", "sales", words))
                await _over(db, min(start + AT_ONCE, turns))
            rows = await db.fetch("SELECT * FROM entries")
        return _compared(rows, models)


def _compared(rows: list[Row], server: ModelServer) -> Books:
    whole = [row for row in rows if not row["is_partial"]]
    partial = [row for row in rows if row["is_partial"]]
    bill = list(zip(server.asked, server.billed, server.steps, strict=True))
    ended = [(asked, counted) for asked, counted, one in bill if _says_all(asked, one)]
    broken = [(asked, counted) for asked, counted, one in bill if not _says_all(asked, one)]
    opened = [
        (asked, Counted(**{**vars(counted), "output": 1}))
        for asked, counted in broken
        if asked.route == "anthropic" and counted.input
    ]
    return Books(
        rows=rows,
        requests=len(server.asked),
        booked=_sum(row["price"] for row in whole),
        billed=_sum(_invoice(*one) for one in ended),
        said=_sum(row["price"] for row in partial),
        announced=_sum(_invoice(*one) for one in opened),
        likely=_sum(row["likely_price"] for row in partial),
        unsaid=_sum(_invoice(*one) for one in broken),
        broken=len(broken),
    )


def _says_all(asked: Asked, step: Step | None) -> bool:
    """Whether the provider said what it counted, or refused what nobody bills."""
    if step is None:
        return True
    if step.status != 200:
        return step.error.get("code") != "content_filter"
    is_silent = not step.has_usage and asked.route != "anthropic"
    return not (step.is_cut or step.stream_error or is_silent)


def _invoice(asked: Asked, counted: Counted) -> str:
    """The provider's own count of a request, at the public price."""
    units = Usage(
        input_tokens=counted.input,
        cached_tokens=counted.cached,
        cache_write_tokens=counted.cache_write,
        output_tokens=counted.output,
    )
    route = asked.route
    return price(TABLES[route], MODELS[route], units, {}, at=1_800_000_000.0)[0] or "nan"


def _sum(prices: Iterable[str | None]) -> Decimal:
    return sum((Decimal(one) for one in prices if one is not None), Decimal(0))


async def _over(db: Database, count: int) -> None:
    """Until so many questions are answered, and every entry is in the books."""
    async with asyncio.timeout(180):
        while True:
            row = await db.fetch_one(
                "SELECT count(*) AS n FROM inbox WHERE state IN ('done', 'failed')"
            )
            if row is not None and row["n"] >= count:
                return
            await db.wait("test", 0.05)


def main(turns: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(books(Path(folder), turns))
    print(f"{turns:,} turns, {found.requests:,} requests, {len(found.rows):,} ledger entries")
    print(f"said by the provider      booked ${found.booked}   counted by it ${found.billed}")
    print(f"{found.broken:,} answers broke off: ${found.said} of them was said and booked, of")
    print(f"  ${found.unsaid} by the provider's own count; estimated ${found.likely} in all")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
