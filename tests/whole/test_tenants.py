"""Nobody sees anything of another workspace, although all ids are the same in both."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.fakes.model_script import Asked, Step, say
from tests.fakes.model_server import ModelServer
from tests.whole.two_tenants import ALDER, LARKSPUR, Tenants, tenants

SECRETS = {LARKSPUR: "elderberry", ALDER: "marzipan"}
THREADS = 16


def played(asked: Asked) -> Step:
    """Says back everything that it was shown."""
    return say(f"I have seen {', '.join(sorted(set(re.findall(SECRET, asked.text))))}.")


SECRET = r"(?:elderberry|marzipan)\d+"


async def talk(both: Tenants, team: str, number: int) -> str:
    """A question with a secret and one that asks for it; the thread."""
    slack = both.slacks[team]
    ts = await slack.say("mara", "sales", f"@Countersign remember {SECRETS[team]}{number}")
    await slack.wait_for(lambda: len(slack.replies("sales", ts)) >= 1, 30)
    await slack.say("mara", "sales", "@Countersign what did I say?", ts)
    await slack.wait_for(lambda: len(slack.replies("sales", ts)) >= 2, 30)
    return ts


@pytest.mark.promise("I7", "adapters.slack", "core.storage")
async def test_the_same_ids_in_two_workspaces_share_nothing(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, tenants(tmp_path, models) as both:
        models.answer(played)
        stamps: dict[str, list[str]] = {LARKSPUR: [], ALDER: []}
        for number in range(THREADS):
            async with asyncio.TaskGroup() as group:
                asked = {t: group.create_task(talk(both, t, number)) for t in SECRETS}
            for team, task in asked.items():
                stamps[team].append(task.result())
        # The very same channel, person and thread, as far as their ids go.
        assert stamps[LARKSPUR][0] == stamps[ALDER][0]
        own = dict(zip(SECRETS, reversed(SECRETS.values()), strict=True))
        for team, foreign in own.items():
            slack = both.slacks[team]
            for command in ("/approvals", "/countersign"):
                await slack.command("mara", "sales", command, "usage")
            seen = repr([(c.messages, c.ephemerals) for c in slack.world.channels.values()])
            assert foreign not in seen and seen.count(SECRETS[team]) > THREADS
            calls = repr([call.args for call in slack.world.calls])
            assert foreign not in calls
        for prompt in models.asked:
            assert not all(secret in prompt.text for secret in SECRETS.values())
        await no_row_of_both(both)
        await nothing_foreign_is_found(both)


async def no_row_of_both(both: Tenants) -> None:
    """Every table: what holds one workspace's secret names the other one nowhere."""
    db, looked = both.bot.rooms.db, 0
    tables = await db.fetch("SELECT name FROM sqlite_master WHERE type = 'table'")
    for table in (row["name"] for row in tables):
        for row in await db.fetch(f"SELECT * FROM {table}"):  # pyright: ignore[reportArgumentType]
            text = repr(dict(row))
            for team, secret in SECRETS.items():
                other = next(one for one in SECRETS if one != team)
                if secret in text:
                    looked += 1
                    assert other not in text and SECRETS[other] not in text, table
    assert looked > 4 * THREADS


async def nothing_foreign_is_found(both: Tenants) -> None:
    """500 searches of each workspace's threads for what the other one said."""
    db, index = both.bot.rooms.db, both.bot.rooms.index
    scopes = [row["scope"] for row in await db.fetch("SELECT DISTINCT scope FROM embeddings")]
    pairs = 0
    for team, secret in SECRETS.items():
        foreign = [scope for scope in scopes if team not in scope]
        for scope in foreign:
            for number in range(THREADS):
                found = await index.search([scope], [], f"{secret}{number}")
                assert not any(secret in chunk.text for chunk in found)
                pairs += 1
        ours = [scope for scope in scopes if team in scope]
        assert any(secret in c.text for c in await index.search(ours, [], f"{secret}0"))
    assert pairs >= 500
