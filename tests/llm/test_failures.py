"""Each way in which a provider fails has its own consequence, and its own ledger entries."""

import asyncio
from collections.abc import Callable
from decimal import Decimal

import pytest

from core.errors import ModelFailed
from core.records import Usage
from tests.fakes.model_script import (
    Counted,
    Step,
    bad_key,
    cut,
    error_in_stream,
    failing,
    filtered_answer,
    filtered_prompt,
    hang,
    malformed_call,
    overflow,
    rate_limited,
    refusal,
    say,
    stall,
    truncated,
)
from tests.fakes.model_server import ModelServer
from tests.llm.conftest import BILLING, KEY, SEARCH, Desk


async def failed(desk: Desk, **more: float) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await desk.ask("question", SEARCH, **more)
    return caught.value


@pytest.mark.promise("E9", "core.llm")
@pytest.mark.parametrize(
    "step", [filtered_prompt(), filtered_answer(), refusal()], ids=["prompt", "answer", "refusal"]
)
async def test_a_blocked_call_is_made_once_and_billed_once(
    server: ModelServer, desk: Desk, step: Step
) -> None:
    server.script([step, say("a second try got through")])

    failure = await failed(desk)

    assert failure.kind == "blocked"
    assert len(server.asked) == 1
    [entry] = desk.entries
    assert entry.outcome == "blocked"
    if step.status == 200:
        assert entry.usage.input_tokens == server.total.input > 0
        assert entry.usage.output_tokens == server.total.output > 0
    else:
        # Azure bills a filtered prompt and does not say how much: unpriced, not free.
        assert entry.price is None


async def test_a_conversation_that_is_too_long_is_not_sent_again(
    server: ModelServer, desk: Desk
) -> None:
    server.script([overflow(), say("no")])

    failure = await failed(desk)

    assert failure.kind == "context_overflow"
    assert len(server.asked) == 1
    assert desk.outcomes == ["context_overflow"]


@pytest.mark.parametrize(
    "text",
    [
        "Input tokens exceed the configured limit of 8192 tokens.",
        "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000",
        "the request exceeds the available context size, try increasing it",
        "litellm.ContextWindowExceededError: too long",
    ],
)
async def test_compatible_servers_say_too_long_in_their_own_words(
    server: ModelServer, desk_for: Callable[..., Desk], text: str
) -> None:
    server.script([failing(400, "", text)])

    assert (await failed(desk_for("openai"))).kind == "context_overflow"


async def test_a_full_provider_is_asked_again_after_the_time_it_names(
    server: ModelServer, desk: Desk
) -> None:
    server.script([rate_limited("1.5"), rate_limited(), say("now")])

    reply = await desk.ask("question")

    assert reply.message.text == "now"
    assert desk.outcomes == ["rate_limited", "rate_limited", "ok"]
    assert [entry.attempt for entry in desk.entries] == [1, 2, 3]
    assert [entry.price for entry in desk.entries[:2]] == ["0", "0"]
    assert desk.waits == [1.5, 0.5]


async def test_a_provider_that_stays_full_is_given_up_after_three_calls(
    server: ModelServer, desk: Desk
) -> None:
    server.answer(lambda asked: rate_limited("2"))

    failure = await failed(desk)

    assert (failure.kind, failure.retry_after) == ("rate_limited", 2.0)
    assert len(server.asked) == len(desk.entries) == 3


async def test_a_wait_that_outlasts_the_deadline_is_not_begun(
    server: ModelServer, desk: Desk
) -> None:
    server.answer(lambda asked: rate_limited("60"))

    assert (await failed(desk, deadline=20)).kind == "rate_limited"
    assert desk.waits == []
    assert len(server.asked) == 1


async def test_the_wait_may_be_named_as_a_date(server: ModelServer, desk: Desk) -> None:
    server.script([rate_limited("Fri, 15 Jan 2027 08:00:03 GMT"), say("now")])

    await desk.ask("question")

    assert desk.waits == [3.0]


async def test_an_account_without_credit_is_not_asked_again(
    server: ModelServer, desk_for: Callable[..., Desk]
) -> None:
    desk = desk_for("openai")
    server.answer(lambda asked: failing(429, "insufficient_quota", "You exceeded your quota"))

    failure = await failed(desk)

    assert failure.kind == "rejected"
    assert "credit" in str(failure)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [500, 503, 529])
async def test_a_fault_on_the_providers_side_is_tried_three_times(
    server: ModelServer, desk: Desk, status: int
) -> None:
    server.answer(lambda asked: failing(status))

    assert (await failed(desk)).kind == "server_error"
    assert len(server.asked) == 3
    assert desk.outcomes == ["server_error"] * 3


async def test_a_provider_that_cannot_be_reached_is_tried_three_times(
    desk_for: Callable[..., Desk], unused_tcp_port: int
) -> None:
    for provider in ("openai", "azure", "anthropic"):
        desk = desk_for(provider, base_url=f"http://127.0.0.1:{unused_tcp_port}")

        assert (await failed(desk)).kind == "unreachable"
        assert desk.outcomes == ["unreachable"] * 3
        assert [entry.price for entry in desk.entries] == ["0"] * 3


@pytest.mark.parametrize("step", [hang(), stall()], ids=["no first byte", "stall"])
@pytest.mark.parametrize("provider", ["openai", "azure", "anthropic"])
async def test_silence_is_given_up_and_tried_once_more(
    server: ModelServer, desk_for: Callable[..., Desk], provider: str, step: Step
) -> None:
    # Warm, so that the short time-out is spent on silence and not on imports.
    desk = desk_for(provider, timeout=0.15)
    server.script([say("warm"), step, step, say("too late")])
    await desk.ask("question")

    assert (await failed(desk)).kind == "timeout"
    assert desk.outcomes == ["ok", "timeout", "timeout"]
    assert "0" not in [entry.price for entry in desk.entries[1:]]


async def test_the_deadline_covers_all_attempts_together(server: ModelServer, desk: Desk) -> None:
    server.script([say("warm"), hang(), say("too late")])
    await desk.ask("question")

    assert (await failed(desk, deadline=0.3)).kind == "timeout"
    assert desk.outcomes == ["ok", "timeout"]


async def test_nothing_is_asked_when_no_time_is_left(server: ModelServer, desk: Desk) -> None:
    assert (await failed(desk, deadline=0)).kind == "timeout"
    assert server.asked == []
    assert desk.entries == []


@pytest.mark.parametrize("is_abrupt", [False, True])
async def test_an_answer_that_breaks_off_is_asked_for_once_more(
    server: ModelServer, desk: Desk, is_abrupt: bool
) -> None:
    server.script([cut(is_abrupt=is_abrupt), say("Half an answer is none.")])

    reply = await desk.ask("question")

    assert reply.message.text == "Half an answer is none."
    assert desk.outcomes == ["cut_stream", "ok"]


async def test_an_answer_that_breaks_off_is_billed_as_far_as_the_provider_said(
    server: ModelServer, desk_for: Callable[..., Desk]
) -> None:
    desk = desk_for("anthropic")
    counted = Counted(input=1250, cached=1000, cache_write=200, output=40)
    server.script([cut(usage=counted), say("whole")])

    await desk.ask("question")

    known = Usage(input_tokens=1250, cached_tokens=1000, cache_write_tokens=200, output_tokens=1)
    first, second = desk.entries
    assert first.usage == known
    assert (first.is_partial, second.is_partial) == (True, False)
    # Its words were more than the one token that was announced.
    assert first.likely_tokens == 1250 + len("Half an ans") // 4 + 1
    assert Decimal(0) < Decimal(first.price or 0) < Decimal(first.likely_price or 0)


async def test_an_answer_that_breaks_off_unsaid_is_unpriced_with_an_estimate_beside_it(
    server: ModelServer, desk_for: Callable[..., Desk]
) -> None:
    desk = desk_for("openai")
    question = "Wie lang wird das wohl sein? " * 40
    server.script([cut("Half an answer " * 20), say("whole")])

    await desk.ask(question)

    first, second = desk.entries
    assert (first.usage, first.price, first.is_partial) == (Usage(), None, True)
    assert first.likely_tokens == pytest.approx((len(question) + 300) / 4, abs=20)
    assert Decimal(first.likely_price or 0) > 0
    assert (second.is_partial, second.likely_price) == (False, None)


async def test_an_answer_that_breaks_off_twice_is_no_answer(
    server: ModelServer, desk: Desk
) -> None:
    server.answer(lambda asked: cut())

    assert (await failed(desk)).kind == "cut_stream"
    assert len(server.asked) == len(desk.entries) == 2


async def test_an_error_inside_the_answer_is_tried_again(server: ModelServer, desk: Desk) -> None:
    server.script([error_in_stream("overloaded_error"), say("whole")])

    assert (await desk.ask("question")).message.text == "whole"
    assert desk.outcomes == ["server_error", "ok"]


async def test_an_answer_at_its_length_limit_says_so(server: ModelServer, desk: Desk) -> None:
    server.script([truncated("As far as")])

    reply = await desk.ask("question")

    assert (reply.finish, reply.message.text) == ("length", "As far as")
    assert desk.outcomes == ["length"]


@pytest.mark.parametrize("raw", ['{"query": ', '{"query": "half a', "[1, 2]", "query=x"])
async def test_arguments_that_are_no_json_are_named_and_not_guessed(
    server: ModelServer, desk: Desk, raw: str
) -> None:
    server.script([malformed_call("search", raw)])

    reply = await desk.ask("question", SEARCH)

    [call] = reply.message.calls
    assert (call.name, call.arguments) == ("search", {})
    assert "arguments are not" in call.fault
    assert desk.outcomes == ["ok"]


async def test_a_refused_key_is_reported_without_the_key(server: ModelServer, desk: Desk) -> None:
    server.script([bad_key(KEY), say("no")])

    failure = await failed(desk)

    assert failure.kind == "rejected"
    assert "API_KEY" in str(failure)
    assert KEY not in str(failure)
    assert failure.__cause__ is None
    assert failure.__suppress_context__
    assert len(server.asked) == 1
    assert server.asked[0].headers.keys() & {"Authorization", "api-key", "X-Api-Key"}


async def test_a_rejected_request_repeats_the_providers_reason_without_the_key(
    server: ModelServer, desk: Desk
) -> None:
    server.script([failing(400, "invalid_value", f"tools[0] is wrong ({KEY})")])

    failure = await failed(desk)

    assert failure.kind == "rejected"
    assert "tools[0] is wrong" in str(failure)
    assert KEY not in str(failure)


async def test_a_model_that_is_not_configured_is_not_asked(server: ModelServer, desk: Desk) -> None:
    with pytest.raises(ModelFailed, match="There is no model `gpt-9`"):
        await desk.door.ask("gpt-9", [], [], BILLING, 5)
    assert server.asked == []


async def test_a_turn_that_is_cancelled_leaves_an_entry_behind(
    server: ModelServer, desk: Desk
) -> None:
    server.script([say("warm"), stall()])
    await desk.ask("question")

    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(desk.ask("question"))
        await server.has_stalled.wait()
        task.cancel()

    assert desk.outcomes == ["ok", "cancelled"]
    stopped = desk.entries[1]
    assert stopped.is_partial and Decimal(stopped.likely_price or 0) > 0
    assert (stopped.price is None) == (desk.provider != "anthropic")


@pytest.mark.parametrize("provider", ["openai", "azure"])
async def test_an_answer_without_usage_is_unpriced_and_not_free(
    server: ModelServer, desk_for: Callable[..., Desk], provider: str
) -> None:
    desk = desk_for(provider)
    server.script([say("words", has_usage=False)])

    reply = await desk.ask("question")

    assert reply.usage == Usage()
    assert (desk.entries[0].price, desk.entries[0].outcome) == (None, "ok")
    assert desk.entries[0].is_partial and desk.entries[0].likely_tokens > 0
