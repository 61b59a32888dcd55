"""What a turn can tell of itself when it is over: everything that happened, and nothing that it \
did not."""

import json
import re
from pathlib import Path

from mcp.server.mcpserver import MCPServer

from bot import inside_text
from bot.inside import plain
from core.context.prompts import evidence as numbered
from core.records import TurnId
from core.specialists.server import tags
from core.storage import evidence, notes, outbox
from core.storage.retention import DAY, Retention, sweep
from core.turn.inside import NO_EVIDENCE, NO_NOTES, Inside, look
from tests.fakes.mcp_modern import modern_server
from tests.fakes.model_script import Asked, Step, call, calls, failing, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION, chat, turn_ids

WITHHELD = """
policy:
  rules:
    - {offer: "tool:*"}
    - {withhold: "tool:sample/search_notes", in: ["place:public"]}
"""


def warehouse() -> MCPServer:
    """One result that is too long for a prompt, and one call that a person decides about."""
    server = MCPServer("warehouse", log_level="ERROR")

    def stock() -> str:
        """Every place in the warehouse with its stock."""
        rows = "\n".join(f"| P-{number:04} | {number * 7 % 100} |" for number in range(1, 1_001))
        return f"| place | pieces |\n| --- | --- |\n{rows}"

    def order(pieces: int) -> str:
        """Order more."""
        raise AssertionError(f"{pieces} were ordered unasked")

    server.add_tool(stock, structured_output=False)
    server.add_tool(order, meta=tags("requires_approval"), structured_output=False)
    return server


def busy(asked: Asked) -> Step:
    """A turn in which every kind of call occurs."""
    match sum(bool(message.get("tool_calls")) for message in asked.messages):
        case 0:
            wanted = [("warehouse_stock", {}), ("sample_sales_by", {"group_by": "planet"})]
            return calls(*wanted, text="Let me look.")
        case 1:
            shown = next(m["content"] for m in asked.messages if m["role"] == "tool")
            found = re.search(r"t_[0-9a-f]{16}\.1", shown)
            assert found is not None
            again = {"evidence": found.group(), "first_row": 900, "last_row": 902}
            return calls(("read_result", again), ("warehouse_order", {"pieces": 5}))
        case _:
            return say("Read, and #1 waits. [1]")


async def told(bot: House) -> Inside:
    """The turn from inside, once its answer is recorded as posted."""
    db = bot.bot.rooms.db
    [turn] = await turn_ids(bot)
    while True:
        found = await look(db, turn)
        assert found is not None
        if found.posted_at is not None:
            return found
        await db.wait(outbox.channel("nothing"), 0.05)


async def test_every_call_is_told_with_its_evidence_whole_and_as_the_model_saw_it(
    tmp_path: Path, models: ModelServer
) -> None:
    models.answer(busy)
    async with modern_server(warehouse()) as url:
        yaml = f"servers: {{warehouse: {{url: '{url}', accept: first}}}}\n{WITHHELD}"
        async with house(tmp_path, models=models, yaml=yaml) as bot:
            await bot.ask(f"{MENTION} show the stock")
            found = await told(bot)

    first, second, last = found.rounds
    stock, sales = first.calls
    read, order = second.calls
    assert (first.said, last.calls) == ("Let me look.", ())
    assert [one.outcome for one in (stock, sales, read, order)] == [
        "kept",
        "failed",
        "read",
        "parked",
    ]
    # Character for character what the provider was sent.
    seen = [m["content"] for m in chat(models)[-1].messages if m["role"] == "tool"]
    assert [one.shown for one in (stock, sales, read, order)] == seen
    assert [one.shown_size for one in (stock, sales, read, order)] == [len(one) for one in seen]
    assert stock.whole is not None
    assert "P-1000" in stock.whole
    assert sales.arguments == {"group_by": "planet"}
    assert sales.is_error
    assert order.arguments == {"pieces": 5}
    [waiting] = found.waiting
    assert (waiting.number, waiting.state, waiting.tool) == (1, "parked", "warehouse/order")

    assert "sample/sales_by" in found.offered
    [withheld] = [one for one in found.withheld if one.key == "sample/search_notes"]
    assert withheld.rule.startswith("rule 2 withholds tool:sample/search_notes in place:public")
    assert [use.billing.round for one in found.rounds for use in one.uses] == [1, 2, 3]
    assert len(found.ledger) == 4
    assert found.missing == ()

    words = inside_text.text(found, is_full=False)
    assert "more lines; --full shows them" in words
    assert "rule 2 withholds" in words
    assert "P-1000" not in words
    assert "P-1000" in inside_text.text(found, is_full=True)
    assert json.loads(json.dumps(plain(found)))["rounds"][0]["calls"][0]["whole"] == stock.whole


async def test_its_time_is_accounted_for_from_the_acceptance_to_the_post(
    bot: House, models: ModelServer
) -> None:
    models.script([call("sample_list_products"), say("Twelve. [1]")])
    await bot.ask(f"{MENTION} list the products")
    found = await told(bot)

    names = [step.name for step in found.steps]
    assert names[:3] == ["waited", "resolve", "retrieve"]
    assert names[3:6] == ["model", "tool", "model"]
    assert names[6:] == ["finish", "posted"]
    assert [step.round for step in found.steps if step.round] == [1, 1, 2]
    assert all(step.seconds >= 0 for step in found.steps)
    assert found.posted_at is not None
    assert found.accepted_at is not None
    for one, after in zip(found.steps, found.steps[1:], strict=False):
        # One after the other: what follows begins when the one before it is over, or later.
        assert one.began + one.seconds <= after.began + 1e-3


async def test_a_turn_that_failed_tells_how_far_it_came(bot: House, models: ModelServer) -> None:
    models.script([call("sample_list_products", text="First this."), failing(400, "bad")])
    await bot.ask(f"{MENTION} list the products")
    found = await told(bot)

    assert found.state == "failed"
    assert [one.tool for one in found.rounds[0].calls] == ["sample/list_products"]
    assert found.rounds[0].said == "First this."
    assert [use.outcome for use in found.rounds[1].uses] == ["rejected"]
    assert found.offered


async def test_what_is_past_its_time_is_named_as_missing(bot: House, models: ModelServer) -> None:
    models.script([call("sample_list_products"), say("Twelve. [1]")])
    await bot.ask(f"{MENTION} list the products")
    [turn] = await turn_ids(bot)
    db, now = bot.bot.rooms.db, bot.bot.rooms.clock()

    await sweep(db, Retention(evidence=0.0, turns=90), now=now + DAY)
    assert await notes.read(db, turn) is None
    found = await told(bot)
    assert found.missing == (NO_NOTES,)
    assert found.answer == "Twelve. [1]"
    assert len(found.ledger) == 3

    await sweep(db, Retention(), now=now + 60 * DAY)
    found = await look(db, turn)
    assert found is not None
    assert (found.state, found.question) == ("done", "list the products")


async def test_evidence_that_is_gone_is_named(bot: House, models: ModelServer) -> None:
    models.script([call("sample_list_products"), say("Twelve. [1]")])
    await bot.ask(f"{MENTION} list the products")
    await evidence.prune(bot.bot.rooms.db, 1e12)
    found = await told(bot)
    assert NO_EVIDENCE.format(count=1) in found.missing
    assert found.rounds[0].calls[0].whole is None


async def test_an_unknown_turn_has_no_inside(bot: House) -> None:
    assert await look(bot.bot.rooms.db, TurnId("t_0000000000000000")) is None


async def test_what_a_tool_said_cannot_command_the_terminal(
    tmp_path: Path, models: ModelServer
) -> None:
    def paint() -> str:
        """Paint."""
        return "red \x1b[31m and \x9b2J a bell \x07 and a turn \u202e"

    server = MCPServer("colours", log_level="ERROR")
    server.add_tool(paint, structured_output=False)
    models.script([call("colours_paint"), say("Painted. [1]")])
    async with modern_server(server) as url:
        yaml = f"servers: {{colours: {{url: '{url}', accept: first}}}}\n"
        async with house(tmp_path, models=models, yaml=yaml) as bot:
            await bot.ask(f"{MENTION} paint")
            found = await told(bot)
    words = inside_text.text(found, is_full=True)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", words)
    assert numbered(1, "").strip() in words
