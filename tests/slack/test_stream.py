"""An answer is shown while it is written, and stands there once and whole however that goes."""

import asyncio
import re

import pytest
from slack_sdk.models.blocks import PlanBlock

from adapters.slack.render import blocks, limits, split
from adapters.slack.stream import Manner
from bot.workspace.slack.checks import check_message
from bot.workspace.slack.records import Fault
from core.errors import DeliveryFailed
from core.ports import Step
from tests.slack.streaming import POST, QUICK, WORD, kinds, markdown, pen, post, prose, showing


def lost(drop: str) -> Fault:
    """The connection is cut before or after the effect."""
    return Fault(drop=drop, error="lost" if drop == "before" else "")


async def test_a_long_answer_appears_while_it_is_written_and_becomes_the_post(slack):
    async with pen(slack) as at:
        async with showing(at):
            await at.write(prose(3))
            (growing,) = at.replies()
            assert growing["streaming_state"] == "in_progress"
            assert "w0 w1" in markdown(growing)
        ts = await at.deliver()

        (reply,) = at.replies()
        assert reply["ts"] == ts and "streaming_state" not in reply
        assert kinds(reply) == ["plan", "markdown", "context", "context_actions"]
        assert markdown(reply) == prose(3).rstrip("\n")
        assert slack.calls("chat.postMessage") == [] and slack.calls("chat.update") == []


async def test_a_short_answer_is_one_post(slack):
    async with pen(slack, Manner(every=0.0)) as at:
        async with showing(at):
            await at.write("**17** orders.\n")
        await at.deliver()
        assert slack.calls("chat.startStream") == []
        assert kinds((at.replies())[0]) == ["markdown", "context", "context_actions"]


async def test_work_that_lasts_is_shown_as_a_plan_of_its_rounds(slack):
    async with pen(slack, Manner(every=0.0, patience=8.0)) as at:
        async with showing(at) as shown:
            shown.showing.step(Step(id="round1", title="Sales by <!channel>", state="in_progress"))
            await at.pause()
            assert slack.calls("chat.startStream") == []
            at.hand.now += 9.0
            await at.pause()
            (reply,) = at.replies()
            assert [task["status"] for task in reply["blocks"][0]["tasks"]] == ["in_progress"] * 2
            shown.showing.step(Step(id="round1", title="Sales by <!channel>", state="complete"))
            await at.pause()
        await at.deliver("17.")
        plan = at.replies()[0]["blocks"][0]
        assert [task["status"] for task in plan["tasks"]] == ["complete", "complete"]
        assert "<!channel>" not in plan["tasks"][0]["title"]
        assert markdown(at.replies()[0]) == "17."


async def test_case_32_who_it_is_for_is_named_and_nothing_is_streamed_to_nobody(slack):
    async with pen(slack) as at:
        async with showing(at):
            await at.write(prose(2))
        started = slack.calls("chat.startStream")[0].args
        assert (started["recipient_user_id"], started["recipient_team_id"]) == (
            "U0MARA",
            "T00000001",
        )
    async with pen(slack) as at:
        at.address["user"] = ""
        async with showing(at):
            await at.write(prose(2))
        await at.deliver()
        assert len(slack.calls("chat.startStream")) == 1
        assert WORD.findall(at.shown()) == WORD.findall(prose(2))


async def test_a_long_answer_goes_on_in_a_next_message_before_slack_refuses(slack):
    text = prose(30)
    async with pen(slack) as at:
        async with showing(at):
            await at.write(text)
        await at.deliver()
        assert all(limits.weight(markdown(reply)) <= limits.PART_TEXT for reply in at.replies())
        assert not any(call.answer.get("error") for call in slack.world.calls)
        assert WORD.findall(at.shown()) == WORD.findall(text)
        assert 1 < len(at.replies()) <= limits.PARTS


async def test_a_message_is_left_before_slack_ends_its_stream(slack):
    async with pen(slack) as at:
        async with showing(at):
            await at.write(prose(2))
            at.hand.now += 241.0
            await at.write(prose(2, 2))
            first, second = at.replies()
            assert "streaming_state" not in first and "streaming_state" in second
            assert plan_of(first) == ("Done", ["complete"])
            assert "continued" in second["blocks"][0]["elements"][0]["text"]
        await at.deliver()
        assert WORD.findall(at.shown()) == WORD.findall(prose(4))


def plan_of(message) -> tuple[str, list[str]]:
    plan = message["blocks"][0]
    return plan["title"], [task["status"] for task in plan["tasks"]]


@pytest.mark.parametrize("fault", [Fault(error="msg_too_long"), lost("after"), lost("before")])
async def test_a_message_that_is_mended_keeps_its_plan_and_says_where_it_goes_on(slack, fault):
    async with pen(slack) as at:
        async with showing(at):
            at.showing.step(Step(id="round1", title="Sales", state="in_progress"))
            await at.write(prose(2))
            at.showing.step(Step(id="round1", title="Sales", state="complete"))
            slack.fail("chat.appendStream", fault)
            await at.write(prose(2, 2))
            slack.fail("chat.appendStream", fault)
            await at.write(prose(2, 4))
        await at.deliver()
        first, second, *_ = at.replies()
        assert kinds(first) == ["plan", "markdown"]
        assert plan_of(first) == ("Done", ["complete", "complete"])
        assert kinds(second)[:2] == ["context", "markdown"]
        assert PlanBlock.parse(first["blocks"][0]).to_dict()["tasks"]
        assert WORD.findall(at.shown()) == WORD.findall(prose(6))


async def test_a_step_whose_news_met_a_rate_limit_is_shown_all_the_same(slack):
    async with pen(slack) as at:
        async with showing(at):
            at.showing.step(Step(id="round1", title="Sales", state="in_progress"))
            await at.write(prose(2))
            slack.fail("chat.appendStream", Fault(status=429, retry_after=0))
            at.showing.step(Step(id="round1", title="Sales", state="complete"))
            await at.pause()
            await at.write(prose(1, 2))
            assert plan_of(at.replies()[0])[1] == ["complete", "in_progress"]


async def test_a_code_block_and_a_table_go_on_in_the_next_message_as_what_they_are(slack):
    code = "".join(f"SELECT w{n} FROM orders;\n" for n in range(500))
    rows = "".join(f"| w{n} | {n} |\n" for n in range(500, 700))
    text = f"Look:\n\n```sql\n{code}```\n\n| a | b |\n|---|---|\n{rows}\nDone.\n"
    async with pen(slack) as at:
        async with showing(at):
            await at.write(text)
        await at.deliver()
        for reply in at.replies():
            shown = markdown(reply)
            assert shown.count("```") % 2 == 0
            assert "SELECT" not in shown or re.search("```sql\nSELECT", shown)
            check_message({"text": "x", "blocks": [blocks.markdown(shown)]})
            assert len(re.findall(r"^\|---\|---\|$", shown, re.M)) <= 1
            if "| w" in shown:
                assert "| a | b |\n|---|---|\n" in shown
        assert WORD.findall(at.shown()) == WORD.findall(text)


@pytest.mark.parametrize(
    "fault",
    [
        lost("before"),
        lost("after"),
        Fault(error="message_not_in_streaming_state"),
        Fault(error="msg_too_long"),
        Fault(error="internal_error"),
        Fault(status=429, retry_after=0),
    ],
    ids=["lost before", "lost after", "expired", "too long", "fault", "rate limited"],
)
@pytest.mark.parametrize("method", ["chat.startStream", "chat.appendStream", "chat.stopStream"])
async def test_a_call_that_fails_neither_loses_nor_doubles_a_word(slack, method, fault):
    text = prose(8)
    async with pen(slack) as at:
        async with showing(at):
            if method == "chat.startStream":
                slack.fail(method, fault)
            await at.write(prose(2))
            slack.fail(method, fault)
            await at.write(prose(6, 2))
        await delivered(at)
        assert WORD.findall(at.shown()) == WORD.findall(text)
        assert not any("streaming_state" in reply for reply in at.replies())


async def test_case_30_a_stream_that_slack_ended_goes_on_in_a_next_message(slack):
    """Slack's clock has passed five minutes and ours has not: the first it hears is a refusal."""
    text = prose(6)
    async with pen(slack) as at:
        async with showing(at):
            await at.write(prose(2))
            slack.move_clock(301.0)
            await at.write(prose(4, 2))
            assert len(at.replies()) == 2
        await at.deliver()
        words = [call.answer.get("error") for call in slack.calls("chat.appendStream")]
        assert "message_not_in_streaming_state" in words
        assert WORD.findall(at.shown()) == WORD.findall(text)


@pytest.mark.parametrize(
    "fault", [lost("before"), lost("after"), Fault(error="internal_error"), Fault(status=502)]
)
async def test_case_31_the_last_words_appear_although_their_flush_failed(slack, fault):
    """They are there once, with the closing that only the last message has."""
    text = prose(3)
    async with pen(slack) as at:
        async with showing(at):
            await at.write(prose(2))
            at.text = text
        slack.fail("chat.stopStream", fault)
        await delivered(at)
        assert WORD.findall(at.shown()) == WORD.findall(text)
        assert kinds(at.replies()[-1])[-1] == "context_actions"
        assert not any("streaming_state" in reply for reply in at.replies())


async def delivered(at, most: int = 8, **fields) -> int:
    """As the courier does it: again until it is there. How often."""
    for attempt in range(most):
        try:
            await at.deliver(attempt=attempt, **fields)
        except DeliveryFailed as failure:
            assert not failure.is_final
        else:
            return attempt
    raise AssertionError("never delivered")


FAULTS = {
    "chat.startStream": [None, lost("after"), None],
    "chat.appendStream": [
        None,
        lost("after"),
        None,
        Fault(error="msg_too_long"),
        None,
        Fault(error="message_not_in_streaming_state"),
        lost("before"),
    ],
    "chat.stopStream": [lost("after"), Fault(error="internal_error")],
    "chat.update": [lost("after"), None, Fault(error="internal_error")],
    "chat.postMessage": [lost("after"), lost("before")],
}


async def test_case_9_an_answer_of_25000_characters_appears_exactly_once_under_faults(slack):
    text = prose(43)[:25_000]
    for method, faults in FAULTS.items():
        slack.fail(method, *(fault or Fault() for fault in faults))
    async with pen(slack) as at:
        async with showing(at):
            await at.write(text)
        tries = await delivered(at)

        assert WORD.findall(at.shown()) == WORD.findall(text)
        assert not any("streaming_state" in reply for reply in at.replies())
        said = [reply for reply in at.replies() if "context_actions" in kinds(reply)]
        assert said == at.replies()[-1:]
        before = at.shown()
        await at.deliver(attempt=tries + 1)
        assert at.shown() == before


async def test_words_that_changed_behind_what_is_shown_are_put_in_its_place(slack):
    async with pen(slack) as at:
        async with showing(at):
            await at.write(prose(20))
            shown = len(at.replies())
        await at.deliver("Something else altogether.")
        assert shown > 1
        assert at.shown() == "Something else altogether."
        assert kinds(at.replies()[0]) == ["markdown", "context", "context_actions"]


async def test_what_a_dead_process_left_behind_becomes_the_answer(slack):
    async with pen(slack) as at:
        shown = at.adapter.surface.showing(POST, at.address, at.words)
        at.showing = await shown.__aenter__()
        await at.write(prose(20))
        left = len(at.replies())
        assert left == 2
        async with pen(slack) as later:
            later.address, later.text = at.address, prose(3, 50)
            await later.deliver(may_have_begun=True)
            assert later.shown() == prose(3, 50).rstrip("\n")
            assert len(later.replies()) == 1
        await shown.__aexit__(None, None, None)


async def test_a_crash_in_the_middle_of_that_ends_in_one_answer_as_well(slack):
    async with pen(slack) as at:
        async with showing(at):
            await at.write(prose(20))
        async with pen(slack) as later:
            later.address, later.text = at.address, prose(40, 50)
            slack.fail("chat.update", Fault(), lost("after"), lost("before"))
            await delivered(later, may_have_begun=True)
            assert WORD.findall(later.shown()) == WORD.findall(prose(40, 50))


async def test_an_answer_of_more_than_five_messages_ends_in_a_file(slack):
    text = prose(110)
    async with pen(slack) as at:
        async with showing(at):
            await at.write(text, piece=9_000)
        await at.deliver()
        *parts, file = at.replies()
        assert len(parts) == limits.PARTS
        assert split.LONG_NOTE in markdown(parts[-1])
        found = slack.world.files[file["files"][0]["id"]].content.decode()
        assert WORD.findall(found) == WORD.findall(text)


async def test_a_workspace_begins_fifteen_streams_a_minute_and_no_more(slack):
    async with pen(slack) as at:
        at.text = prose(1)
        for number in range(17):
            address = {**at.address}
            async with at.adapter.surface.showing(f"p{number}", address, at.words) as shown:
                at.showing = shown
                await at.pause()
            said = post(address, prose(1).rstrip("\n"), id=f"p{number}")
            await at.adapter.surface.deliver(said, None)
        assert len(slack.calls("chat.startStream")) == 15
        assert len(slack.calls("chat.postMessage")) == 2
        assert len(at.replies()) == 17


async def test_a_turn_that_is_cut_off_leaves_no_message_that_waits_for_more(slack):
    async with pen(slack) as at:
        with pytest.raises(asyncio.CancelledError):
            async with showing(at):
                await at.write(prose(2))
                raise asyncio.CancelledError
        (reply,) = at.replies()
        assert "streaming_state" not in reply
        assert reply["blocks"][0]["title"] == "Stopped"
        assert [task["status"] for task in reply["blocks"][0]["tasks"]] == ["error"]
        assert reply["blocks"][-1]["elements"][0]["text"] == "_Stopped here._"


@pytest.mark.promise("E5", "adapters.slack")
async def test_no_mention_in_the_words_of_a_stream_is_live(slack):
    async with pen(slack) as at:
        async with showing(at):
            await at.write("Ask <!channel> and @here now.\n" * 10)
        await at.deliver()
        sent = repr([call.args for call in slack.world.calls if "Stream" in call.method])
        assert "<!channel>" not in sent and "@here" not in sent


async def test_a_person_who_presses_stop_ends_the_stream(slack):
    async with pen(slack) as at:
        async with showing(at):
            await at.write(prose(2))
            slack.stop_session("mara", "sales", at.address["thread_ts"])
            await at.write(prose(2, 2))
            calls = len(slack.calls("chat.appendStream"))
            await at.write(prose(2, 4))
            assert len(slack.calls("chat.appendStream")) == calls
        assert QUICK.starts == 15
