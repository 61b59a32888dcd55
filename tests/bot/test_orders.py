"""The orders of admins on the command line, beside a bot that holds the database."""

import csv
import io
import json
from pathlib import Path

from core.ledger.meter import Meter
from core.records import LedgerEntry, Usage
from core.storage import acts, entries, erase
from core.storage.database import Database
from tests.bot.test_admin import countersign
from tests.fakes.mcp_modern import modern_server
from tests.llm.conftest import BILLING
from tests.turn.test_accepting import crm

YAML = """
policy:
  rules:
    - {offer: "tool:*"}
    - {withhold: "server:office", in: ["place:public"]}
servers:
  crm: {url: "%s"}
"""


async def used(db: Database) -> None:
    async def add(entry: LedgerEntry) -> None:
        await entries.add(db, entry)

    meter = Meter(add, lambda: 1_764_590_400.0)
    use = meter.begin(BILLING, kind="chat", provider="demo", model="demo")
    await meter.end(use, Usage(input_tokens=900, output_tokens=100), outcome="ok")


async def test_usage_is_printed_and_written_as_csv(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    await used(database)
    words = ("usage", "2025-12-01", "2025-12-02", "by", "model")
    shown = await countersign(tmp_path, database_url, *words)
    assert "1 model call · 1,000 tokens" in shown.stdout, shown.stderr
    table = await countersign(tmp_path, database_url, *words, "--csv")
    [row] = csv.DictReader(io.StringIO(table.stdout))
    assert (row["model"], row["calls"], row["tokens"]) == ("demo", "1", "1000")


async def test_why_accept_and_switches_are_those_of_the_chat_and_stand_on_record(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    async with modern_server(crm("Create a lead.")) as url:
        (tmp_path / "countersign.yaml").write_text(YAML % url)

        async def run(*words: str) -> str:
            ended = await countersign(tmp_path, database_url, *words)
            assert ended.returncode == 0, ended.stderr
            return ended.stdout

        assert "nobody has accepted this tool yet" in await run("why", "crm/create_lead")
        assert "Accepted: crm/create_lead" in await run("accept", "crm/create_lead")
        place = ("--person", "slack:T1/U1", "--place", "slack:T1/C1")
        told = await run("why", "crm/create_lead", *place)
        assert "is offered to" in told and "rule 1 offers tool:* (line 4)" in told
        assert "Switched off" in await run("disable", "server:crm", "under", "repair")
        assert "under repair" in await run("why", "crm/create_lead", *place)
        assert "server:crm is off" in await run("policy", "show")
        assert "Switched on" in await run("enable", "server:crm")
        assert "Set: $5.00 a day" in await run("budget", "each", "5", "a", "day")

    lines = (await countersign(tmp_path, database_url, "export", "acts")).stdout.splitlines()
    topics = [json.loads(line)["topic"] for line in lines]
    assert topics == ["accept", "switch", "switch", "budget"]
    found = await acts.latest(database)
    assert all(act.person.startswith("operator:") for act in found)


async def test_a_price_list_is_brought_or_refused_with_what_is_wrong(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    (tmp_path / "prices.yaml").write_text(
        'version: "2026-12"\nprices: {"openai:x": {input: 1, output: 2, page: 0.01}}\n'
    )
    ended = await countersign(tmp_path, database_url, "prices", "update", "prices.yaml")
    assert "Prices of 1 models count" in ended.stdout, ended.stderr
    (tmp_path / "bad.yaml").write_text('version: "1"\nprices: {"openai:x": {input: -1}}\n')
    ended = await countersign(tmp_path, database_url, "prices", "update", "bad.yaml")
    assert ended.returncode == 2 and "prices.openai:x" in ended.stderr
    assert len(await database.fetch("SELECT * FROM price_lists")) == 1


async def test_an_erasure_is_put_on_record_for_the_bot(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    ended = await countersign(tmp_path, database_url, "erase", "slack:T1/U1", "teams:t/o")
    assert "is on record" in ended.stdout
    [one] = await erase.due(database)
    assert one.persons == ("slack:T1/U1", "teams:t/o")
