"""The ledger and the provider's bill agree."""

import random
from collections.abc import Callable
from decimal import Decimal

import pytest

from core.errors import ModelFailed, Unavailable
from core.ledger.meter import Meter
from core.ledger.prices import Rates, price
from core.llm import models
from core.llm.chat import ChatDoor
from core.records import LedgerEntry, ModelMessage, Usage
from tests.fakes.model_script import (
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
from tests.llm.conftest import BILLING, KEY, NAMES, SEARCH, Desk


def random_step(dice: random.Random) -> Step:
    cached = dice.randrange(0, 2000)
    written = dice.randrange(0, 300)
    usage = Counted(
        input=cached + written + dice.randrange(1, 5000),
        cached=cached,
        cache_write=written,
        output=dice.randrange(1, 900),
    )
    return dice.choice(
        [
            say("words", usage=usage),
            say("more words", usage=usage),
            call("search", query="x"),
            malformed_call("search"),
            truncated("cut off"),
            filtered_answer(),
            rate_limited(),
            failing(500),
        ]
    )


@pytest.mark.promise("L4", "core.llm", "core.ledger")
async def test_a_thousand_random_calls_sum_to_the_providers_bill(
    server: ModelServer, desk_for: Callable[..., Desk]
) -> None:
    dice = random.Random(20)
    server.answer(lambda asked: random_step(dice))
    desks = [desk_for(provider) for provider in NAMES]
    while len(server.asked) < 1000:
        try:
            await dice.choice(desks).ask("question", SEARCH)
        except ModelFailed as failure:
            assert failure.kind in {"blocked", "rate_limited", "server_error"}

    entries = [entry for desk in desks for entry in desk.entries]
    assert len(entries) == len(server.asked)
    booked = Counted(
        input=sum(e.usage.input_tokens for e in entries),
        cached=sum(e.usage.cached_tokens for e in entries),
        cache_write=sum(e.usage.cache_write_tokens for e in entries),
        output=sum(e.usage.output_tokens for e in entries),
    )
    assert booked == server.total
    assert sum(Decimal(e.price or 0) for e in entries) == invoice(server)


def invoice(server: ModelServer) -> Decimal:
    """What the fake provider charges: its own count of each request, at the public price. A
    deployment on Azure reports its own name, for which there is none."""
    names = {"openai": "gpt-4.1", "anthropic": "claude-sonnet-5"}
    total = Decimal(0)
    for asked, counted in zip(server.asked, server.billed, strict=True):
        if asked.route in names and counted.input:
            usage = Usage(
                input_tokens=counted.input,
                cached_tokens=counted.cached,
                cache_write_tokens=counted.cache_write,
                output_tokens=counted.output,
            )
            amount, _ = price(asked.route, names[asked.route], usage, {}, at=1_800_000_000.0)
            total += Decimal(amount or "nan")
    return total


async def test_an_azure_deployment_is_priced_by_the_model_that_answered(
    server: ModelServer, desk_for: Callable[..., Desk]
) -> None:
    desk = desk_for("azure")
    server.script([say("words", model="gpt-4.1-2025-04-14", usage=Counted(input=1000, output=0))])

    reply = await desk.ask("question")

    assert reply.model == "gpt-4.1-2025-04-14"
    assert (desk.entries[0].model, desk.entries[0].price) == ("gpt-4.1-2025-04-14", "0.002")


async def test_a_negotiated_price_goes_by_the_name_that_was_configured(
    server: ModelServer,
) -> None:
    entries: list[LedgerEntry] = []

    async def add(entry: LedgerEntry) -> None:
        entries.append(entry)

    settings = models.ModelSettings(
        provider="openai",
        name="in-house",
        base_url=server.openai_url,
        rates=Rates(input="1", output="2"),
    )
    meter = Meter(add, lambda: 0.0, models.rates([settings]))
    door = ChatDoor(models.known([settings]), meter, lambda: 0.0)
    server.script([say("x", model="llama-9", usage=Counted(input=500_000, output=1_000_000))])

    await door.ask("in-house", [ModelMessage(role="user", text="hi")], [], BILLING, 20)
    await door.close()

    assert (entries[0].model, entries[0].price) == ("llama-9", "2.5")
    assert entries[0].price_table == "configured"


async def test_an_answer_that_cannot_be_booked_is_not_handed_back(server: ModelServer) -> None:
    async def add(entry: LedgerEntry) -> None:
        raise Unavailable("the disk is full")

    settings = models.ModelSettings(
        provider="openai", name="gpt-4.1", base_url=server.openai_url, api_key=KEY
    )
    door = ChatDoor(models.known([settings]), Meter(add, lambda: 0.0), lambda: 0.0)

    with pytest.raises(Unavailable, match="disk is full"):
        await door.ask(NAMES["openai"], [ModelMessage(role="user", text="hi")], [], BILLING, 20)
    await door.close()
    assert len(server.asked) == 1


async def test_an_entry_says_whose_call_it_was(server: ModelServer, desk: Desk) -> None:
    server.script([say("words")])

    await desk.ask("question")

    [entry] = desk.entries
    assert entry.billing == BILLING
    assert (entry.kind, entry.attempt, entry.is_reported) == ("chat", 1, False)


async def test_tracing_that_the_environment_asks_for_sends_nothing(
    server: ModelServer, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2_canary")
    clients: list[object] = []
    monkeypatch.setattr("langsmith.client.Client.__init__", lambda self, **_: clients.append(self))
    server.script([say("words")])

    await desk.ask("question")

    assert clients == []
