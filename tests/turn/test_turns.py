"""Whole turns: a mention in Slack, a scripted provider, the answer in the thread."""

import json
import re
from pathlib import Path

import pytest
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, TextContent

from core.storage import entries, evidence, inbox
from tests.fakes.mcp_modern import modern_server
from tests.fakes.model_script import (
    Asked,
    Step,
    call,
    calls,
    malformed_call,
    say,
    truncated,
)
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION, chat, cost_of, shown_of, text_of, turn_ids


async def test_a_mention_is_answered_in_its_thread_with_sources_and_cost(
    bot: House, models: ModelServer
) -> None:
    models.script(
        [call("sample_sales_by", group_by="region", period="2026-Q3"), say("Nordics lead. [1]")]
    )

    [answer] = await bot.ask(f"{MENTION} what did we sell per region in Q3?")

    assert text_of(answer) == "Nordics lead. [1]"
    assert "[1] Sales by" in shown_of(answer)
    assert re.match(r"gpt-5\.5\S* · 2 calls · \S+ tokens · \$0\.\d+ · \d", cost_of(answer))
    assert not any(asked.tools == [] for asked in chat(models))


@pytest.mark.promise("L1", "core.loop")
async def test_a_model_that_always_wants_tools_is_asked_five_times_and_ends_in_words(
    bot: House, models: ModelServer
) -> None:
    """Peers' cases 32 and 33."""

    def always(asked: Asked) -> Step:
        return call("sample_list_products") if asked.tools else say("That is all I know.")

    models.answer(always)

    [answer] = await bot.ask(f"{MENTION} list the products again and again")

    assert text_of(answer) == "That is all I know."
    assert [bool(asked.tools) for asked in chat(models)] == [True, True, True, True, False]
    [turn] = await turn_ids(bot)
    assert (await entries.cost_of_turn(bot.bot.rooms.db, turn)).calls == 5


@pytest.mark.promise("L4", "core.ledger")
async def test_every_use_of_a_turn_stands_in_the_ledger_with_its_purpose(
    bot: House, models: ModelServer
) -> None:
    """Peers' case 40."""
    models.answer(lambda asked: call("sample_list_products") if asked.tools else say("Done."))
    await bot.ask(f"{MENTION} list the products")

    rows = await bot.bot.rooms.db.fetch("SELECT * FROM entries ORDER BY seq")
    assert [(row["kind"], row["purpose"], row["round"]) for row in rows] == [
        ("embedding", "retrieve", 0),
        ("chat", "answer", 1),
        ("chat", "answer", 2),
        ("chat", "answer", 3),
        ("chat", "answer", 4),
        ("chat", "last_call", 5),
    ]
    assert all(row["price"] is not None and row["outcome"] == "ok" for row in rows)
    assert sum(row["input_tokens"] for row in rows) == models.total.input
    assert sum(row["output_tokens"] for row in rows) == models.total.output
    assert {row["person"] for row in rows} == {bot.side.person("mara")}


async def test_calls_of_one_round_run_side_by_side_and_keep_their_numbers(
    bot: House, models: ModelServer
) -> None:
    models.script(
        [
            calls(
                ("sample_sales_by", {"group_by": "region"}),
                ("sample_list_products", {}),
                ("sample_search_notes", {"query": "returns"}),
            ),
            say("Products [2], sales [1], notes [3]."),
        ]
    )

    [answer] = await bot.ask(f"{MENTION} tell me everything")

    shown = chat(models)[1].messages[-3:]
    assert [m["content"].splitlines()[0] for m in shown] == [
        "[evidence 1]",
        "[evidence 2]",
        "[evidence 3]",
    ]
    assert text_of(answer) == "Products [1], sales [2], notes [3]."


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (call("sample_no_such_tool"), "there is no tool sample_no_such_tool here"),
        (malformed_call("sample_sales_by"), "not valid JSON"),
        (call("sample_sales_by", group_by="planet"), "planet"),
        (call("sample_export_sheet", group_by="region"), "there is no tool"),
    ],
)
async def test_a_call_that_cannot_be_made_comes_back_as_an_error_that_the_model_can_mend(
    bot: House, models: ModelServer, step: Step, said: str
) -> None:
    models.script([step, say("I could not look that up.")])

    [answer] = await bot.ask(f"{MENTION} what did we sell?")

    assert said in chat(models)[1].last
    assert text_of(answer) == "I could not look that up."


async def test_an_answer_at_the_length_limit_says_that_it_is_cut(
    bot: House, models: ModelServer
) -> None:
    models.script([truncated("The first half")])
    [answer] = await bot.ask(f"{MENTION} write a book")
    assert text_of(answer).startswith("The first half")
    assert "length limit" in text_of(answer)


async def test_a_model_without_words_is_asked_once_more_without_tools(
    bot: House, models: ModelServer
) -> None:
    models.script([say(""), say("Now with words.")])
    [answer] = await bot.ask(f"{MENTION} hm")
    assert text_of(answer) == "Now with words."
    assert chat(models)[1].tools == []


@pytest.mark.promise("E1", "core.turn")
async def test_no_address_of_the_models_own_reaches_the_thread(
    bot: House, models: ModelServer
) -> None:
    models.script([say("See [this](https://evil.example/?q=secret) ![x](https://evil.example/i)")])
    [answer] = await bot.ask(f"{MENTION} where do I read more?")
    assert "evil" not in json.dumps(answer)


async def test_a_note_is_cited_with_the_address_that_the_tool_gave(
    bot: House, models: ModelServer
) -> None:
    models.script([call("sample_search_notes", query="returns"), say("60 days. [1]")])
    [answer] = await bot.ask(f"{MENTION} may dealers return bicycles?")

    [turn] = await turn_ids(bot)
    [piece] = await evidence.of_turn(bot.bot.rooms.db, turn)
    assert piece.links[0][1] in shown_of(answer)


def warehouse() -> MCPServer:
    """A foreign server with one result that is too long for a prompt."""
    server = MCPServer("warehouse", log_level="ERROR")

    def stock() -> str:
        """Every place in the warehouse with its stock."""
        rows = "\n".join(f"| P-{number:04} | {number * 7 % 100} |" for number in range(1, 1_001))
        return f"| place | pieces |\n| --- | --- |\n{rows}"

    server.add_tool(stock, structured_output=False)
    return server


@pytest.mark.promise("L2", "core.loop")
async def test_a_long_result_is_cut_for_the_model_kept_whole_and_read_on_by_handle(
    tmp_path: Path, models: ModelServer
) -> None:
    def step(asked: Asked) -> Step:
        match sum(message["role"] == "tool" for message in asked.messages):
            case 0:
                return call("warehouse_stock")
            case 1:
                found = re.search(r"t_[0-9a-f]{16}\.1", asked.last)
                assert found is not None
                return call("read_result", evidence=found.group(), first_row=900, last_row=902)
            case _:
                return say("Read. [1]")

    models.answer(step)
    async with modern_server(warehouse()) as url:
        yaml = f"servers: {{warehouse: {{url: '{url}', accept: first}}}}\n"
        async with house(tmp_path, models=models, yaml=yaml) as bot:
            await bot.ask(f"{MENTION} show the whole stock")
            [turn] = await turn_ids(bot)
            pieces = await evidence.of_turn(bot.bot.rooms.db, turn)

    assert "warehouse_stock" in chat(models)[0].tools, chat(models)[0].tools
    cut_short, read = (chat(models)[n].last for n in (1, 2))
    assert [len(piece.text) > 15_000 for piece in pieces] == [True]
    assert len(cut_short) <= 8_000
    assert "P-0900" not in cut_short
    assert "P-0900" in read
    assert "P-0903" not in read


async def test_a_follow_up_sees_question_and_answer_and_not_the_calls(
    bot: House, models: ModelServer
) -> None:
    models.script([call("sample_list_products"), say("Twelve products. [1]"), say("As I said.")])
    [first] = await bot.ask(f"{MENTION} how many products?")

    await bot.ask(f"{MENTION} sure?", thread_ts=first["thread_ts"], answers=1)

    roles = [m["role"] for m in chat(models)[-1].messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert "Twelve products." in chat(models)[-1].text
    assert "t_" in chat(models)[-1].messages[2]["content"]


@pytest.mark.parametrize("side", ["slack"])
async def test_a_file_that_a_tool_made_lies_in_the_thread_and_only_when_asked_for(
    bot: House, models: ModelServer
) -> None:
    models.answer(
        lambda asked: (
            call("sample_export_sheet", group_by="region")
            if "sample_export_sheet" in asked.tools and asked.messages[-1]["role"] != "tool"
            else say("Here it is.")
        )
    )
    await bot.ask(f"{MENTION} what did we sell per region?")
    assert "sample_export_sheet" not in chat(models)[0].tools

    [answer] = await bot.ask(f"{MENTION} put the sales per region into a spreadsheet")
    files = await bot.slack.wait_for(
        lambda: [
            file
            for m in bot.slack.replies("sales", answer["thread_ts"])
            for file in m.get("files", ())
        ],
        20,
    )
    assert files[0]["name"].endswith(".xlsx")
    assert "sample_export_sheet" in chat(models)[1].tools


async def test_agent_model_and_skill_come_from_the_file(
    tmp_path: Path, models: ModelServer
) -> None:
    yaml = """
models:
  openai:gpt-5.5-mini: {}
agents:
  analyst: {instructions: Answer in haiku., capabilities: ["format:xlsx"]}
channels:
  slack:T00000001/C0FINANCE: {model: "openai:gpt-5.5-mini"}
skills:
  memo: {text: Write it as a memo., when: [memo]}
"""
    models.answer(lambda _: say("Done."))
    async with house(tmp_path, models=models, yaml=yaml) as bot:
        await bot.ask(f"{MENTION} agent:analyst a memo on sales, please")
        asked = chat(models)[-1]
        assert asked.tools == ["read_result"]
        assert "Answer in haiku." in asked.messages[0]["content"]
        assert asked.messages[-2]["content"] == "Write it as a memo."

        await bot.ask(f"{MENTION} hello there", person="tomas", channel="finance")
        assert chat(models)[-1].model == "gpt-5.5-mini"


async def test_the_state_of_a_finished_turn_is_gone(bot: House, models: ModelServer) -> None:
    models.script([call("sample_list_products"), say("Done.")])
    await bot.ask(f"{MENTION} list the products")

    rows = await bot.bot.rooms.db.fetch("SELECT count(*) AS n FROM checkpoints")
    assert rows[0]["n"] == 0
    entry = await inbox.read(bot.bot.rooms.db, (await turn_ids(bot))[0])
    assert entry is not None
    assert entry.state == "done"


async def test_what_a_foreign_server_says_it_used_is_in_the_ledger_marked_as_reported(
    tmp_path: Path, models: ModelServer
) -> None:
    def translate() -> CallToolResult:
        """Translate something."""
        used = [{"provider": "openai", "model": "gpt-5.5", "input_tokens": 70, "output_tokens": 5}]
        return CallToolResult(
            content=[TextContent(text="Guten Tag")], _meta={"countersign/usage": used}
        )

    server = MCPServer("words", log_level="ERROR")
    server.add_tool(translate, structured_output=False)
    models.script([call("words_translate"), say("Guten Tag. [1]")])
    async with modern_server(server) as url:
        yaml = f"servers: {{words: {{url: '{url}', accept: first}}}}\n"
        async with house(tmp_path, models=models, yaml=yaml) as bot:
            await bot.ask(f"{MENTION} translate good day")
            rows = await bot.bot.rooms.db.fetch("SELECT * FROM entries WHERE is_reported = 1")

    [row] = rows
    assert (row["tool"], row["model"], row["input_tokens"]) == ("words/translate", "gpt-5.5", 70)
    assert row["round"] == 1
    assert row["price"] is not None


async def test_the_question_is_in_the_prompt_whatever_a_tool_says(
    tmp_path: Path, models: ModelServer
) -> None:
    """Peers' case 35."""

    def flood() -> str:
        """Say a lot."""
        return "water " * 1_500_000

    server = MCPServer("river", log_level="ERROR")
    server.add_tool(flood, structured_output=False)
    models.script([call("river_flood"), say("Wet.")])
    async with modern_server(server) as url:
        yaml = f"servers: {{river: {{url: '{url}', accept: first}}}}\n"
        async with house(tmp_path, models=models, yaml=yaml) as bot:
            await bot.ask(f"{MENTION} is the blue heron still standing in the river?")

    last = chat(models)[-1]
    assert "is the blue heron still standing in the river?" in last.text
    assert len(last.messages[-1]["content"]) <= 8_000
