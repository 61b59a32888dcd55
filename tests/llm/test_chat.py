"""An answer arrives whole, whichever provider it comes from."""

import json
from collections.abc import Callable

import pytest

from core.errors import ModelFailed
from core.records import ModelMessage, ToolCall, Usage
from tests.fakes.model_script import Counted, Step, call, calls, filtered_answer, say, truncated
from tests.fakes.model_server import ModelServer
from tests.llm.conftest import SEARCH, Desk


async def test_words_come_back_with_the_tokens_that_were_billed(
    server: ModelServer, desk: Desk
) -> None:
    counted = Counted(input=1250, cached=1000, cache_write=200, output=40, reasoning=0)
    server.script([say("North sold most.", usage=counted)])

    reply = await desk.ask("Who sold most?")

    assert reply.message == ModelMessage(role="assistant", text="North sold most.")
    assert reply.finish == "stop"
    assert reply.usage == Usage(
        input_tokens=1250, cached_tokens=1000, cache_write_tokens=200, output_tokens=40
    )
    [entry] = desk.entries
    assert (entry.usage, entry.outcome, entry.provider) == (reply.usage, "ok", desk.provider)


async def test_tool_calls_come_back_in_order_with_ids_of_their_own(
    server: ModelServer, desk: Desk
) -> None:
    server.script([calls(("search", {"query": "a"}), ("search", {"query": "b"}), text="Looking.")])

    reply = await desk.ask("find both", SEARCH)

    assert reply.finish == "tools"
    assert reply.message.text == "Looking."
    assert [c.arguments for c in reply.message.calls] == [{"query": "a"}, {"query": "b"}]
    assert len({c.id for c in reply.message.calls}) == 2
    assert server.asked[0].tools == ["search"]


async def test_a_conversation_with_results_and_a_late_skill_reaches_the_model_whole(
    server: ModelServer, desk: Desk
) -> None:
    server.script([say("done")])
    asked = ToolCall(id="c1", name="search", arguments={"query": "a"})
    broken = ToolCall(id="c2", name="search", arguments={}, fault="not JSON")

    reply = await desk.ask(
        messages=[
            ModelMessage(role="system", text="You are Countersign."),
            ModelMessage(role="user", text="earlier question"),
            ModelMessage(role="assistant", text="earlier answer"),
            ModelMessage(role="system", text="Skill: write briefly."),
            ModelMessage(role="user", text="question"),
            ModelMessage(role="assistant", text="", calls=(asked, broken)),
            ModelMessage(role="tool", text="[evidence 1]\nrow", call_id="c1"),
            ModelMessage(role="tool", text="write JSON", call_id="c2", is_error=True),
        ]
    )

    assert reply.message.text == "done"
    seen = server.asked[0].text
    for part in ("You are Countersign.", "Skill: write briefly.", "earlier answer", "question"):
        assert part in seen
    assert "[evidence 1]" in seen
    assert "write JSON" in seen


async def test_no_tools_are_offered_when_none_are_bound(server: ModelServer, desk: Desk) -> None:
    server.script([say("in words")])

    await desk.ask("last call")

    assert "tools" not in server.asked[0].body


async def test_a_call_without_arguments_is_a_call_with_an_empty_object(
    server: ModelServer, desk: Desk
) -> None:
    server.script([call("search")])

    reply = await desk.ask("find", SEARCH)

    assert reply.message.calls[0].arguments == {}
    assert reply.message.calls[0].fault == ""


async def test_a_server_that_repeats_its_usage_is_billed_once(
    server: ModelServer, desk_for: Callable[..., Desk]
) -> None:
    server.script([say("words", usage=Counted(input=100, output=7), repeats_usage=True)])

    reply = await desk_for("openai").ask("question")

    assert reply.usage == Usage(input_tokens=100, output_tokens=7)
    assert reply.finish == "stop"


@pytest.mark.parametrize(
    ("step", "finish"),
    [
        (say("All of it."), "stop"),
        (calls(("search", {"query": "a"}), ("search", {"query": "b"})), "tools"),
        (truncated("Part of"), "length"),
    ],
)
async def test_the_responses_api_can_be_chosen(
    server: ModelServer, desk_for: Callable[..., Desk], step: Step, finish: str
) -> None:
    server.script([step])

    reply = await desk_for("openai", use_responses_api=True).ask("question", SEARCH)

    assert server.asked[0].route == "responses"
    assert (reply.finish, reply.message.text) == (finish, step.text)
    assert [(c.name, c.arguments) for c in reply.message.calls] == [
        (name, json.loads(raw)) for name, raw in step.calls
    ]
    assert reply.usage.input_tokens == server.total.input > 0


@pytest.mark.parametrize("name", ["gpt-5.5-pro", "gpt-5.1-codex", "gpt-6"])
async def test_no_name_of_a_model_makes_the_library_choose_another_api(
    server: ModelServer, desk_for: Callable[..., Desk], name: str
) -> None:
    server.script([say("words")])

    await desk_for("openai", name=name).ask("question", SEARCH)

    assert server.asked[0].route == "openai"


async def test_a_filtered_answer_of_the_responses_api_is_blocked(
    server: ModelServer, desk_for: Callable[..., Desk]
) -> None:
    server.script([filtered_answer()])

    with pytest.raises(ModelFailed) as caught:
        await desk_for("openai", use_responses_api=True).ask("question")
    assert caught.value.kind == "blocked"
