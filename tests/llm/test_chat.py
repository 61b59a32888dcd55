"""An answer arrives whole, whichever provider it comes from."""

from core.records import ModelMessage, ToolCall, Usage
from tests.fakes.model_script import Counted, call, calls, say
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

    await desk.ask(
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
