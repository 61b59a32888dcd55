"""Who may read the numbers, and what they say."""

import re
from pathlib import Path

import aiohttp
import pytest

from bot import observing, settings
from core.errors import Misconfigured
from core.storage.database import Database
from tests.bot.test_settings import SAFE
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.turn.reading import MENTION

TOKEN = "of-the-one-who-scrapes"


async def read(address: str, token: str = "") -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{address}/metrics", headers=headers) as response,
    ):
        return response.status, await response.text()


def value(text: str, line: str) -> float:
    found = re.search(rf"^{re.escape(line)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


async def test_without_a_token_there_are_no_numbers(tmp_path: Path) -> None:
    async with house(tmp_path) as bot:
        assert (await read(bot.address))[0] == 404


async def test_numbers_are_for_those_with_the_token_and_count_what_happened(
    tmp_path: Path,
) -> None:
    given = {"COUNTERSIGN_METRICS_TOKEN": TOKEN}
    async with ModelServer(dimensions=1536) as models:
        models.script([call("sample_list_products"), say("Twelve marzipan bicycles. [1]")])
        async with house(tmp_path, models=models, environment=given) as bot:
            assert (await read(bot.address))[0] == 401
            assert (await read(bot.address, "something-else"))[0] == 401
            status, before = await read(bot.address, TOKEN)
            assert status == 200
            await bot.ask(f"{MENTION} list the heliotrope products")
            _, after = await read(bot.address, TOKEN)

    def grown(line: str) -> float:
        return value(after, line) - value(before, line)

    assert grown('countersign_questions_total{outcome="accepted"}') == 1
    assert grown('countersign_turns_total{outcome="done"}') == 1
    tool = 'tool="sample/list_products",outcome="kept"'
    assert grown(f"countersign_tool_calls_total{{{tool}}}") == 1
    chat = 'kind="chat",provider="openai",model="gpt-5.5",outcome="ok"'
    assert grown(f"countersign_model_calls_total{{{chat}}}") == 2
    assert grown('countersign_model_tokens_total{model="gpt-5.5",direction="input"}') > 0
    assert grown('countersign_model_cost_usd_total{model="gpt-5.5"}') > 0
    for gauge in ("questions_waiting", "outbox_lag_seconds", "event_loop_lag_seconds"):
        assert f"\ncountersign_{gauge} " in after
    for word in ("heliotrope", "marzipan", "U0MARA", TOKEN):
        assert word not in after


def test_a_short_token_and_strange_headers_are_refused(tmp_path: Path) -> None:
    given = SAFE | {"COUNTERSIGN_METRICS_TOKEN": "short", "OTEL_EXPORTER_OTLP_HEADERS": "x"}
    with pytest.raises(Misconfigured) as refused:
        settings.read(given, folder=tmp_path, is_workspace=False)
    assert "COUNTERSIGN_METRICS_TOKEN is too short" in str(refused.value)
    assert "OTEL_EXPORTER_OTLP_HEADERS is not of the form" in str(refused.value)


def test_a_collector_in_clear_is_this_machines_alone(tmp_path: Path) -> None:
    given = SAFE | {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example:4318"}
    with pytest.raises(Misconfigured, match="uses http"):
        settings.read(given, folder=tmp_path, is_workspace=False)


async def test_nothing_is_watched_unless_the_settings_ask_for_it(
    tmp_path: Path, sqlite: Database
) -> None:
    read_settings = settings.read(SAFE, folder=tmp_path, is_workspace=False)
    assert observing.watched(read_settings.observing, sqlite, float, str) == ([], [])
