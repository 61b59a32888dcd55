"""The books of random turns, with faults on the way, are what the provider counted."""

import asyncio
import random
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest

from core.ledger.prices import price
from core.records import Usage
from core.storage import usage
from tests.fakes.model_script import (
    Asked,
    Counted,
    Step,
    call,
    failing,
    filtered_answer,
    malformed_call,
    rate_limited,
    say,
    truncated,
)
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.sides import MENTION

TURNS = 150
"""As many as a gate has time for."""
AT_ONCE = 25


def step(dice: random.Random, asked: Asked) -> Step:
    cached, written = dice.randrange(0, 2_000), dice.randrange(0, 300)
    counted = Counted(
        input=cached + written + dice.randrange(1, 5_000),
        cached=cached,
        cache_write=written,
        output=dice.randrange(1, 900),
        reasoning=0,
    )
    words: list[Step] = [say("words", usage=counted)] * 6
    # A stream that breaks off says nothing of what was counted: it is booked as unpriced, and
    # tests/llm holds that; here everything that a provider said has to be found again.
    faults: list[Step] = [rate_limited(), failing(500), filtered_answer(), truncated("half")]
    calls = [call("sample_list_products"), malformed_call("sample_sales_by")] if asked.tools else []
    return dice.choice([*words, *faults, *calls * 2])


@pytest.fixture
async def bot(tmp_path: Path, models: ModelServer) -> AsyncIterator[House]:
    async with house(tmp_path, models=models) as running:
        yield running


@pytest.mark.promise("L4", "core.ledger")
async def test_random_turns_with_faults_cost_what_the_provider_counted(
    bot: House, models: ModelServer
) -> None:
    dice = random.Random(47)
    models.answer(lambda asked: step(dice, asked))
    db = bot.bot.rooms.db
    for start in range(0, TURNS, AT_ONCE):
        async with asyncio.TaskGroup() as group:
            for number in range(start, start + AT_ONCE):
                words = f"{MENTION} question {number}?"
                group.create_task(bot.slack.say("tomas", "sales", words))
        await over(bot, start + AT_ONCE)

    rows = await db.fetch("SELECT * FROM entries")
    counted = {
        "input": sum(row["input_tokens"] for row in rows),
        "output": sum(row["output_tokens"] for row in rows),
        "cached": sum(row["cached_tokens"] for row in rows),
    }
    total = models.total
    assert counted == {"input": total.input, "output": total.output, "cached": total.cached}
    booked = sum((Decimal(row["price"]) for row in rows if row["price"]), Decimal(0))
    assert booked.quantize(Decimal("0.01")) == invoice(models).quantize(Decimal("0.01"))
    whole = usage.total(await usage.sums(db, "person", 0.0))
    assert Decimal(whole.picos) / 10**12 == booked
    assert whole.uses == len(rows) == len(models.asked)


def invoice(server: ModelServer) -> Decimal:
    """The provider's own count of each request, at the public price."""
    total = Decimal(0)
    for asked, counted in zip(server.asked, server.billed, strict=True):
        name = "text-embedding-3-small" if asked.route == "embeddings" else "gpt-5.5"
        units = Usage(
            input_tokens=counted.input,
            cached_tokens=counted.cached,
            cache_write_tokens=counted.cache_write,
            output_tokens=counted.output,
        )
        total += Decimal(price("openai", name, units, {}, at=1_800_000_000.0)[0] or "nan")
    return total


async def over(bot: House, count: int) -> None:
    """Until so many questions are answered, and every entry is in the books."""
    async with asyncio.timeout(120):
        db = bot.bot.rooms.db
        while True:
            row = await db.fetch_one(
                "SELECT count(*) AS n FROM inbox WHERE state IN ('done', 'failed')"
            )
            if row is not None and row["n"] >= count:
                return
            await db.wait("test", 0.05)
