"""What comes back from evidence, files, the ledger and the pins."""

from dataclasses import replace

from core.records import Evidence, EvidenceId, FileId, MadeFile, TurnId
from core.storage import entries, evidence, files, pins
from core.storage.database import Database
from tests.storage.examples import ADA, entry, thread


def result(id: str, made_at: float, text: str = "rows") -> Evidence:
    return Evidence(
        id=EvidenceId(id),
        turn=TurnId("t_1"),
        thread=thread(),
        person=ADA.id,
        tool="crm/list",
        title="Customers",
        arguments={"region": ["EMEA"], "limit": 5},
        text=text,
        structured={"rows": [[1, 2.5, None, "x"]], "total": 1},
        links=(("Customer 1", "https://example.com/1"),),
        files=(MadeFile(id=FileId("file_1"), name="a.csv", media_type="text/csv", size=3),),
        made_at=made_at,
    )


async def test_evidence_comes_back_whole(database: Database) -> None:
    kept = result("e_1", 1.0, text="long " * 100_000 + "日本")
    await evidence.keep(database, kept)
    assert await evidence.read(database, kept.id) == kept
    assert await evidence.read(database, EvidenceId("e_2")) is None


async def test_evidence_is_listed_by_turn_and_thread_in_order(database: Database) -> None:
    for n in (3, 1, 2):
        await evidence.keep(database, result(f"e_{n}", float(n)))
    assert [e.id for e in await evidence.of_turn(database, TurnId("t_1"))] == ["e_1", "e_2", "e_3"]
    newest = await evidence.of_thread(database, thread(), limit=2)
    assert [e.id for e in newest] == ["e_2", "e_3"]
    assert await evidence.of_thread(database, thread(2)) == []
    assert await evidence.prune(database, before=2.0) == 1


async def test_a_round_that_runs_again_replaces_its_evidence(database: Database) -> None:
    await evidence.keep(database, result("e_1", 1.0, text="first"))
    await evidence.keep(database, result("e_1", 2.0, text="second"))
    [kept] = await evidence.of_turn(database, TurnId("t_1"))
    assert (kept.text, kept.made_at) == ("second", 2.0)


async def test_another_turn_cannot_replace_evidence(database: Database) -> None:
    await evidence.keep(database, result("e_1", 1.0))
    await evidence.keep(database, replace(result("e_1", 2.0), turn=TurnId("t_2"), text="forged"))
    kept = await evidence.read(database, EvidenceId("e_1"))
    assert kept == result("e_1", 1.0)


async def test_a_file_comes_back_byte_for_byte(database: Database) -> None:
    content = bytes(range(256)) * 100
    made = MadeFile(id=FileId("file_1"), name="a.xlsx", media_type="x/y", size=len(content))
    await files.keep(database, TurnId("t_1"), made, content, made_at=1.0)
    assert await files.read(database, made.id) == content
    assert await files.read(database, FileId("file_2")) is None
    assert await files.prune(database, before=2.0) == 1


async def test_the_cost_of_a_turn_is_summed_exactly(database: Database) -> None:
    for _ in range(10):
        await entries.add(database, entry("t_1", price="0.1"))
    await entries.add(database, entry("t_1", price=None, kind="embedding"))
    await entries.add(database, entry("t_2", price="5"))
    cost = await entries.cost_of_turn(database, TurnId("t_1"))
    assert (cost.models, cost.calls, cost.tokens) == (("gpt-5.5",), 10, 1320)
    assert (cost.price, cost.unpriced, cost.seconds) == ("1", 1, 16.5)


async def test_small_prices_are_written_out(database: Database) -> None:
    await entries.add(database, entry("t_1", price="0.00000015"))
    assert (await entries.cost_of_turn(database, TurnId("t_1"))).price == "0.00000015"


async def test_a_turn_that_used_nothing_costs_nothing(database: Database) -> None:
    cost = await entries.cost_of_turn(database, TurnId("t_1"))
    assert (cost.models, cost.calls, cost.price, cost.unpriced) == ((), 0, "0", 0)


async def test_the_last_accepted_digest_counts(database: Database) -> None:
    await pins.accept(database, "crm/list", "one", "slack:T1/U1", 1.0)
    await pins.accept(database, "crm/add", "two", "slack:T1/U1", 2.0)
    await pins.accept(database, "crm/list", "three", "slack:T1/U1", 3.0)
    assert await pins.pinned(database) == {"crm/add": "two", "crm/list": "three"}
