"""An answer that is shown in a one-to-one chat while it is being written."""

import asyncio
import time
from contextlib import asynccontextmanager

import pytest

from adapters.teams.render import limits, live, messages
from adapters.teams.stream import Manner
from bot.workspace.teams.records import Fault
from bot.workspace.teams_server import cards
from core.records import Answer
from tests.teams.conftest import running
from tests.teams.test_outbound import post, question

QUICK = Manner(long=20, every=0.0, closing=0.2)
FIRST = "The Nordics lead in the third quarter.\n\n"
SECOND = "The Alps come right behind them, as in the year before.\n\n"
WHOLE = f"{FIRST}{SECOND}That is all."


class Model:
    """Says more whenever it is told to."""

    def __init__(self):
        self.text = ""

    def words(self):
        return self.text


@pytest.fixture
async def live_bot(teams):
    teams.world.clock = _Ticking()
    async with running(teams, manner=QUICK) as made:
        yield made


class _Ticking:
    """A clock on which two looks are never less than two seconds apart."""

    def __init__(self):
        self.now = time.time()

    def __call__(self):
        self.now += 2.0
        return self.now


@asynccontextmanager
async def streaming(bot, asked, *, texts=(FIRST, FIRST + SECOND)):
    """Everything of `texts` was said, piece by piece."""
    model = Model()
    surface = bot.adapter.surface
    async with surface.showing("t_1.answer", asked.address, model.words) as showing:
        for text in texts:
            before = len(bot.teams.calls)
            model.text = text
            showing.more()
            await bot.teams.wait_for(lambda b=before: len(bot.teams.calls) > b or None)
        yield showing


def pieces(teams):
    """What was streamed: (sequence or final, text)."""
    return [
        (entity.get("streamSequence", entity["streamType"]), call.body)
        for call in teams.calls
        for entity in call.body.get("entities") or []
        if entity["type"] == "streaminfo"
    ]


async def test_a_chat_sees_the_words_grow_into_the_answer(live_bot, teams):
    asked = await question(live_bot, teams, place="@mara")
    async with streaming(live_bot, asked) as showing:
        [shown] = teams.by_bot("@mara")
        assert shown["text"] == (FIRST + SECOND).strip() and shown["is_streaming"]
    assert showing.has_begun
    where = await live_bot.adapter.surface.deliver(post(asked, WHOLE, may_have_begun=True), None)

    [said] = teams.by_bot("@mara")
    assert "is_streaming" not in said and said["text"].startswith(WHOLE)
    assert where.endswith(f"/{said['id']}")
    sent = pieces(teams)
    assert [number for number, _ in sent] == [1, 2, "final"]
    # What Teams takes at the end alone.
    for number, body in sent:
        kinds = {entity["type"] for entity in body["entities"]}
        is_end = number == "final"
        assert ("https://schema.org/Message" in kinds) == is_end
        assert ("feedbackLoop" in (body.get("channelData") or {})) == is_end


@pytest.mark.parametrize("place", ["sales", "planning"])
async def test_elsewhere_nothing_is_streamed_and_the_sign_of_work_becomes_the_answer(
    live_bot, teams, place
):
    asked = await question(live_bot, teams, place=place)
    await live_bot.adapter.surface.progress(asked.address, "reading…")
    model = Model()
    model.text = WHOLE
    surface = live_bot.adapter.surface
    async with surface.showing("t_1.answer", asked.address, model.words) as showing:
        showing.more()
        await asyncio.sleep(0.05)
    assert not showing.has_begun and pieces(teams) == []
    await surface.deliver(post(asked, WHOLE), None)
    [said] = teams.by_bot(place)
    assert said["text"].startswith(WHOLE)


async def test_a_short_answer_is_one_message_and_no_stream(live_bot, teams):
    asked = await question(live_bot, teams, place="@mara")
    model = Model()
    surface = live_bot.adapter.surface
    async with surface.showing("t_1.answer", asked.address, model.words) as showing:
        model.text = "Twelve."
        showing.more()
        await asyncio.sleep(0.05)
    await surface.deliver(post(asked, "Twelve."), None)
    assert pieces(teams) == [] and len(teams.by_bot("@mara")) == 1


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("status", [403, 500, 429])
async def test_a_stream_that_fails_at_any_piece_leaves_the_answer_once(
    live_bot, teams, number, status
):
    asked = await question(live_bot, teams, place="@mara")
    faults = [Fault(status=status, code="ContentStreamNotAllowed", method="POST")]
    texts = [FIRST, FIRST + SECOND]
    if number == 1:
        teams.world.faults += faults
    async with streaming(live_bot, asked, texts=texts[:1]) as showing:
        if number == 2:
            teams.world.faults += faults
            before = len(teams.calls)
            showing._words.__self__.text = FIRST + SECOND
            showing.more()
            await teams.wait_for(lambda: len(teams.calls) > before or None)
    await live_bot.adapter.surface.deliver(post(asked, WHOLE, may_have_begun=True), None)
    [said] = teams.by_bot("@mara")
    assert said["text"].startswith(WHOLE) and "is_streaming" not in said


async def test_a_stream_whose_time_is_over_is_replaced_by_the_answer(live_bot, teams):
    asked = await question(live_bot, teams, place="@mara")
    async with streaming(live_bot, asked, texts=[FIRST]):
        teams.world.clock.now += 130.0
    await live_bot.adapter.surface.deliver(post(asked, WHOLE, may_have_begun=True), None)
    [said] = teams.by_bot("@mara")
    assert said["text"].startswith(WHOLE) and "is_streaming" not in said
    assert teams.calls[-1].method == "PUT"


async def test_words_that_changed_behind_what_was_shown_are_put_in_its_place(live_bot, teams):
    asked = await question(live_bot, teams, place="@mara")
    async with streaming(live_bot, asked, texts=[FIRST]):
        pass
    await live_bot.adapter.surface.deliver(post(asked, f"Sorry. {WHOLE}"), None)
    [said] = teams.by_bot("@mara")
    assert said["text"].startswith("Sorry.") and "is_streaming" not in said


async def test_a_process_that_comes_after_finds_what_was_streamed(live_bot, teams):
    asked = await question(live_bot, teams, place="@mara")
    async with streaming(live_bot, asked):
        pass
    live_bot.adapter.surface._streams._open.clear()
    for attempt in (0, 1):
        again = post(asked, WHOLE, may_have_begun=True, attempt=attempt)
        await live_bot.adapter.surface.deliver(again, None)
    [said] = teams.by_bot("@mara")
    assert said["text"].startswith(WHOLE) and "is_streaming" not in said


async def test_an_end_whose_answer_was_lost_is_not_said_twice(live_bot, teams):
    asked = await question(live_bot, teams, place="@mara")
    async with streaming(live_bot, asked):
        pass
    teams.world.faults.append(Fault(status=502, method="POST", is_done=True))
    with pytest.raises(Exception, match="502"):
        await live_bot.adapter.surface.deliver(post(asked, WHOLE), None)
    await live_bot.adapter.surface.deliver(post(asked, WHOLE, attempt=1), None)
    assert len(teams.by_bot("@mara")) == 1


async def test_stop_under_a_stream_stops_the_turn(live_bot, teams):
    asked = await question(live_bot, teams, place="@mara")
    async with streaming(live_bot, asked, texts=[FIRST]) as showing:
        teams.press_stop("mara")
        showing._words.__self__.text = WHOLE
        showing.more()
        await teams.wait_for(lambda: live_bot.door.stops or None)
    [stop] = live_bot.door.stops
    assert (stop.person, stop.place, stop.thread) == (
        asked.person.id,
        asked.place.id,
        asked.thread,
    )


async def test_a_turn_that_is_cut_off_ends_its_stream(live_bot, teams):
    asked = await question(live_bot, teams, place="@mara")
    with pytest.raises(asyncio.CancelledError):
        async with streaming(live_bot, asked, texts=[FIRST]):
            raise asyncio.CancelledError
    [said] = teams.by_bot("@mara")
    assert said["text"].endswith("_Stopped here._") and "is_streaming" not in said


def test_what_is_streamed_is_always_the_beginning_of_the_finished_message():
    answers = [
        WHOLE,
        "One.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nTwo.",
        "Code:\n\n```sql\nselect 1 | 2\n```\n\nDone <at>Dana</at>.",
        "  leading\r\nlines [1]\n\n* a\n* b\n",
        "\n".join(f"line {n} of many" for n in range(3_000)),
    ]
    for text in answers:
        whole = messages.render(Answer(text=text))[0]["text"]
        for cut in range(0, len(text), max(1, len(text) // 60)):
            beginning = text[: text.rfind("\n", 0, cut) + 1]
            said = live.shown(beginning)
            assert whole.startswith(said) and limits.weight(said) <= limits.STREAM_UNITS


async def test_a_table_comes_with_the_finished_message(live_bot, teams):
    table = f"{FIRST}| a | b |\n| --- | --- |\n| 1 | 2 |\n\n"
    asked = await question(live_bot, teams, place="@mara")
    async with streaming(live_bot, asked, texts=[table]):
        assert teams.by_bot("@mara")[0]["text"] == FIRST.strip()
    await live_bot.adapter.surface.deliver(post(asked, f"{table}That is all."), None)
    [said] = teams.by_bot("@mara")
    assert said["text"].startswith(FIRST.strip()) and len(cards(said)) == 1
