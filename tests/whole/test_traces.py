"""One trace leads from a delivery to its answer and to what an approval set off, and nothing that \
anybody wrote is in it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp.server.mcpserver import Context, MCPServer

from core.approvals.desk import Desk
from core.parked import Click
from core.records import PersonId
from core.specialists.server import tags
from core.storage import outbox, parked
from tests.fakes.mcp_modern import modern_server
from tests.fakes.model_script import Asked, Step, calls, failing, say
from tests.fakes.model_server import ModelServer
from tests.fakes.otlp_collector import Collector, Heard, collecting
from tests.house import House, house
from tests.turn.reading import MENTION, turn_ids

WRITTEN = {
    "question": "heliotrope",
    "said": "marzipan",
    "argument": "quicksilver",
    "result": "obsidian",
    "answer": "tamarind",
    "failure": "vermilion",
    "parked": "gossamer",
}
"""A word in each place where somebody writes."""
PERSON = PersonId("slack:T00000001/U0MARA")


def crm(heard: list[str]) -> MCPServer:
    server = MCPServer("crm", log_level="ERROR")

    def find(name: str, ctx: Context) -> str:
        """Find somebody."""
        meta = ctx.request_context.meta or {}
        heard.append(str(dict(meta).get("traceparent", "")))
        return f"Found: {WRITTEN['result']}"

    def create_lead(name: str) -> str:
        """Create a lead."""
        return f"Created: {WRITTEN['result']}"

    server.add_tool(find, structured_output=False)
    server.add_tool(create_lead, meta=tags("requires_approval"), structured_output=False)
    return server


@asynccontextmanager
async def traced(
    folder: Path, collector: Collector, tools: list[str]
) -> AsyncIterator[tuple[House, ModelServer]]:
    """A house that traces to the collector; stopping it sends what it has. `tools` hears in which
    span a tool was called."""
    async with ModelServer(dimensions=1536) as models, modern_server(crm(tools)) as url:
        yaml = f"servers: {{crm: {{url: '{url}', accept: first}}}}\n"
        given = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20of-the-collector",
        }
        async with house(folder, models=models, yaml=yaml, environment=given) as bot:
            yield bot, models


def busy(asked: Asked) -> Step:
    if any(message["role"] == "tool" for message in asked.messages):
        return say(f"All of it: {WRITTEN['answer']}. [1]")
    return calls(
        ("crm_find", {"name": WRITTEN["argument"]}),
        ("crm_create_lead", {"name": WRITTEN["parked"]}),
        ("crm_find", {"nome": WRITTEN["argument"]}),
        text=f"I say {WRITTEN['said']}",
    )


async def approve(bot: House) -> None:
    """Send what is parked, and wait until that is over."""
    db = bot.bot.rooms.db
    [turn] = await turn_ids(bot)
    approvals = bot.bot.rooms.approvals
    assert approvals is not None
    [call] = await parked.of_turn(db, turn)
    click = Click(
        delivery="d", person=PERSON, place="", call=call.id, revision=call.revision, button="send"
    )
    assert (await Desk(approvals).decide(click)).kind == "recorded"
    while (await parked.of_turn(db, turn))[0].state in ("parked", "approved", "executing"):
        await db.wait(outbox.channel("nothing"), 0.05)


async def posted(bot: House, count: int = 1) -> None:
    db = bot.bot.rooms.db
    sql = "SELECT 1 FROM outbox WHERE id LIKE '%.answer' AND state = 'sent'"
    while len(await db.fetch(sql)) < count:
        await db.wait(outbox.channel("nothing"), 0.05)


def lineage(span: Heard, spans: list[Heard]) -> list[str]:
    """The names from the span up to the first of its trace."""
    by_id = {one.id: one for one in spans}
    names = [span.name]
    while span.parent:
        span = by_id[span.parent]
        names.append(span.name)
    return names


@pytest.mark.promise("X4", "core.telemetry")
async def test_one_trace_leads_from_the_delivery_to_the_answer_and_the_effect(
    tmp_path: Path,
) -> None:
    tools: list[str] = []
    async with collecting() as collector:
        async with traced(tmp_path, collector, tools) as (bot, models):
            models.answer(busy)
            await bot.ask(f"{MENTION} find {WRITTEN['question']}")
            await posted(bot)
            await approve(bot)
            [turn] = await turn_ids(bot)

    [root] = [one for one in collector.named("POST /slack/events") if _children(one, collector)]
    whole = [one for one in collector.spans if one.trace == root.trace]
    names = [one.name for one in whole]
    for name in (
        "POST /slack/events", "accept", "invoke_agent countersign", "resolve", "retrieve",
        "embeddings text-embedding-3-small", "loop", "chat gpt-5.5",
        "execute_tool crm/find", "execute_tool crm/create_lead", "finish", "deliver answer",
        "deliver card", "effect crm/create_lead",
    ):  # fmt: skip
        assert name in names, name
    assert all(lineage(one, whole)[-1] == "POST /slack/events" for one in whole)
    answer = next(one for one in whole if one.name == "deliver answer")
    assert lineage(answer, whole) == [
        "deliver answer", "invoke_agent countersign", "accept", "POST /slack/events",
    ]  # fmt: skip
    # The server of the tool was told in which span it is called.
    assert tools[0].split("-")[1] == root.trace
    chat = next(one for one in whole if one.name == "chat gpt-5.5")
    assert chat.attributes["gen_ai.provider.name"] == "openai"
    assert chat.attributes["gen_ai.usage.input_tokens"] > 0
    agent = next(one for one in whole if one.name.startswith("invoke_agent"))
    assert agent.attributes["countersign.turn"] == turn
    assert agent.attributes["gen_ai.operation.name"] == "invoke_agent"

    everything = "\n".join(one.raw for one in collector.spans)
    assert [place for place, word in WRITTEN.items() if word in everything] == []
    assert "Mara" not in everything
    assert {"Bearer of-the-collector"} == {h["Authorization"] for h in collector.headers}


def _accepting(collector: Collector) -> list[Heard]:
    """Slack tells of a mention twice; the second time it is a duplicate."""
    found = collector.named("accept")
    return [one for one in found if one.attributes["countersign.outcome"] == "accepted"]


def _children(span: Heard, collector: Collector) -> bool:
    return any(one.parent == span.id for one in _accepting(collector))


@pytest.mark.promise("X4", "core.telemetry")
async def test_every_turn_has_its_one_trace_whatever_becomes_of_it(tmp_path: Path) -> None:
    # Five hundred of them: tests.whole.five_hundred_traces.
    await each_is_traced(tmp_path, 40)


async def each_is_traced(folder: Path, turns: int) -> None:
    """Ask as many questions, forty at once, and look at the traces of all of them."""

    def step(asked: Asked) -> Step:
        if "number 7 " in asked.text:
            return failing(400, "bad", WRITTEN["failure"])
        return busy(asked)

    async with collecting() as collector:
        async with traced(folder, collector, []) as (bot, models):
            models.answer(step)
            for first in range(0, turns, 40):
                async with asyncio.TaskGroup() as group:
                    for number in range(first, min(first + 40, turns)):
                        text = f"{MENTION} {WRITTEN['question']} number {number} please"
                        group.create_task(bot.slack.say("mara", "sales", text))
            async with asyncio.timeout(30 + turns):
                await posted(bot, turns)
            ids = await turn_ids(bot)

    assert len(ids) == turns
    by_turn: dict[str, set[str]] = {turn: set() for turn in ids}
    names: dict[str, set[str]] = {turn: set() for turn in ids}
    for one in collector.spans:
        if (turn := one.attributes.get("countersign.turn")) in by_turn:
            by_turn[turn].add(one.trace)
            names[turn].add(one.name)
    assert {len(traces) for traces in by_turn.values()} == {1}
    assert len({next(iter(traces)) for traces in by_turn.values()}) == turns
    assert all({"accept", "finish", "deliver answer"} <= found for found in names.values())
    everything = "\n".join(one.raw for one in collector.spans)
    assert [place for place, word in WRITTEN.items() if word in everything] == []


async def test_a_turn_that_another_process_takes_up_goes_on_in_the_same_trace(
    tmp_path: Path,
) -> None:
    async with collecting() as collector:
        async with traced(tmp_path, collector, []) as (bot, models):
            models.answer(busy)
            await bot.ask(f"{MENTION} find {WRITTEN['question']}")
            await posted(bot)
            # As if the process had gone before the turn's end was written.
            db = bot.bot.rooms.db
            await db.execute(
                "UPDATE inbox SET state = 'running', owner = 'gone', lease = 1e12,"
                " finished_at = NULL"
            )
            await db.execute("DELETE FROM turns")
            await db.execute("DELETE FROM notes")
            await db.execute("DELETE FROM outbox")
        async with traced(tmp_path, collector, []) as (bot, models):
            models.answer(busy)
            while not await bot.bot.rooms.db.fetch("SELECT 1 FROM turns"):
                await bot.bot.rooms.db.wait(outbox.channel("nothing"), 0.05)
    [accept] = _accepting(collector)
    first, second = collector.named("invoke_agent")
    assert [one.attributes["countersign.attempt"] for one in (first, second)] == [1, 2]
    for agent in (first, second):
        assert (agent.trace, agent.parent) == (accept.trace, accept.id)


async def test_a_collector_that_does_not_answer_holds_up_nobody(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.answer(lambda _: say("Done."))
        nowhere = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
        async with asyncio.timeout(30):
            async with house(tmp_path, models=models, environment=nowhere) as bot:
                [answer] = await bot.ask(f"{MENTION} hm")
    assert answer["blocks"]
