"""A use that ended is an entry that is committed."""

from core.ledger.meter import Meter
from core.records import Billing, LedgerEntry, PersonId, ThreadId, TurnId, Usage

BILLING = Billing(
    turn=TurnId("t"), thread=ThreadId("th"), person=PersonId("p"), place="slack:T/C", round=2
)


class Books:
    def __init__(self) -> None:
        self.entries: list[LedgerEntry] = []
        self.now = 100.0
        self.meter = Meter(self._add, lambda: self.now)

    async def _add(self, entry: LedgerEntry) -> None:
        self.entries.append(entry)


async def test_an_entry_has_the_time_the_use_took() -> None:
    books = Books()
    use = books.meter.begin(BILLING, kind="chat", provider="openai", model="gpt-4.1", attempt=2)
    books.now = 103.5

    entry = await books.meter.end(use, Usage(input_tokens=1000), outcome="ok")

    assert books.entries == [entry]
    assert (entry.started_at, entry.seconds, entry.attempt) == (100.0, 3.5, 2)
    assert entry.price == "0.002"


async def test_a_clock_that_was_set_back_makes_no_negative_time() -> None:
    books = Books()
    use = books.meter.begin(BILLING, kind="chat", provider="openai", model="gpt-4.1")
    books.now = 40.0

    assert (await books.meter.end(use, Usage(), outcome="timeout")).seconds == 0.0


async def test_units_that_nobody_counted_have_no_price() -> None:
    books = Books()
    use = books.meter.begin(BILLING, kind="chat", provider="openai", model="gpt-4.1")

    entry = await books.meter.end(use, None, outcome="timeout")

    assert (entry.usage, entry.price, entry.is_partial) == (Usage(), None, True)


async def test_an_estimate_stands_beside_what_is_known_and_never_in_its_place() -> None:
    books = Books()
    use = books.meter.begin(BILLING, kind="chat", provider="openai", model="gpt-4.1")

    known, likely = Usage(input_tokens=1000), Usage(input_tokens=1000, output_tokens=500)
    entry = await books.meter.end(use, known, outcome="cut_stream", likely=likely)

    assert (entry.usage, entry.price, entry.is_partial) == (known, "0.002", True)
    assert (entry.likely_tokens, entry.likely_price) == (1500, "0.006")


async def test_nothing_used_costs_nothing_even_where_no_price_is_known() -> None:
    books = Books()
    use = books.meter.begin(BILLING, kind="chat", provider="openai", model="llama3")

    assert (await books.meter.end(use, Usage(), outcome="unreachable")).price == "0"
    assert (await books.meter.end(use, Usage(output_tokens=1), outcome="ok")).price is None
