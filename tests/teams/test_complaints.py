"""What users of other bots in Teams have complained of, and the test that shows it of this one.

The numbers are those of our list of field reports. Where a test stands in another file it is named
here; that it is there is held by a test as well.
"""

import re
from pathlib import Path

import pytest

from bot.workspace.teams.records import Fault
from core.errors import DeliveryFailed
from core.records import PersonId
from tests.teams.conftest import running
from tests.teams.test_outbound import post, question

ROOT = Path(__file__).parents[1]
SHOWN = {
    1: "teams/test_clicks.py::test_every_kind_of_answer_has_a_status_a_type_and_a_value",
    2: "teams/test_outbound.py::test_an_answer_carries_label_source_cost_and_buttons_for_feedback",
    3: "whole/test_teams_slow.py::test_what_comes_again_while_the_model_thinks_is_one_turn",
    4: "whole/test_teams_slow.py::test_what_comes_again_while_the_model_thinks_is_one_turn",
    5: "teams/test_edge.py::test_a_roll_over_is_noticed_at_the_first_delivery",
    6: "teams/test_edge.py::test_keys_are_read_once_and_again_only_where_another_one_signs",
    7: "teams/test_credentials.py::test_a_token_is_renewed_before_it_ends",
    8: "teams/test_setting_up.py::test_what_is_unsafe_does_not_start_and_says_why",
    9: "teams/test_edge.py::test_forty_tokens_that_prove_nothing_are_401_and_leave_no_trace",
    10: "teams/test_complaints.py::test_10_a_chat_that_threw_the_bot_out_is_not_tried_again",
    11: "teams/test_complaints.py::test_11_nothing_is_sent_to_somebody_who_took_the_bot_out",
    12: "teams/test_outbound.py::test_two_threads_that_cross_get_their_own_answers",
    14: "teams/test_complaints.py::test_14_a_mention_inside_a_thread_is_answered_there",
    15: "teams/test_complaints.py::test_15_a_reply_in_a_group_chat_goes_to_the_chat_itself",
    16: "teams/test_files.py::test_a_file_posted_in_a_channel_is_seen_and_said_to_be_unreadable",
    17: "teams/test_outbound.py::test_a_post_that_is_asked_for_again_stands_there_once",
    18: "teams/test_stream.py::test_a_stream_that_fails_at_any_piece_leaves_the_answer_once",
    19: "teams/test_stream.py::test_a_stream_whose_time_is_over_is_replaced_by_the_answer",
    20: "teams/test_complaints.py::test_20_typing_stops_while_teams_asks_for_a_pause",
    21: "whole/test_teams_approval.py"
    "::test_a_mail_is_edited_and_sent_once_and_only_by_the_one_whose_it_is",
    22: "whole/test_teams_slow.py::test_a_process_that_dies_over_a_click_says_so_afterwards",
    23: "whole/test_teams_slow.py::test_a_click_is_answered_at_once_while_a_turn_runs",
    24: "whole/test_teams_approval.py"
    "::test_a_mail_is_edited_and_sent_once_and_only_by_the_one_whose_it_is",
    25: "teams/test_clicks.py::test_every_kind_of_answer_has_a_status_a_type_and_a_value",
    28: "teams/test_origins.py::test_everything_that_only_looks_like_one_is_refused",
    29: "teams/test_edge.py::test_another_tenant_is_403_also_where_only_one_place_names_it",
    30: "teams/test_edge.py::test_forty_tokens_that_prove_nothing_are_401_and_leave_no_trace",
    32: "teams/test_outbound.py::test_a_tables_rows_are_cells_with_lines_of_text_for_older_clients",
    34: "teams/test_outbound.py::test_a_long_answer_is_cut_at_a_paragraph_and_a_medium_one_is_not",
    35: "teams/test_targeted.py::test_where_the_tenant_does_not_take_it_it_is_said_in_the_own_chat",
    36: "teams/test_signing_in.py"
    "::test_a_failed_sign_in_is_told_to_the_person_and_logged_by_its_code",
    37: "teams/test_signing_in.py::test_where_that_fails_the_button_stays_and_is_for_one_person",
    38: "teams/test_complaints.py::test_38_an_answer_that_teams_puts_off_twice_comes_once",
    39: "teams/test_files.py::test_a_place_that_is_none_of_teams_gets_no_byte",
}


@pytest.mark.parametrize("number", SHOWN)
def test_each_complaint_has_its_test(number):
    file, _, name = SHOWN[number].partition("::")
    assert re.search(rf"^(?:async )?def {name}\(", (ROOT / file).read_text(), re.MULTILINE)


async def test_10_a_chat_that_threw_the_bot_out_is_not_tried_again(bot, teams):
    asked = await question(bot, teams, place="@mara")
    teams.place("@mara").has_bot = False
    private = post(asked, kind="private", address={"person": asked.person.id})
    with pytest.raises(DeliveryFailed) as failure:
        await bot.adapter.surface.deliver(private, None)
    assert failure.value.is_final
    known = await bot.adapter.directory.of(asked.person.id)
    assert known is not None and known.conversation == "", "the way there is forgotten"


async def test_11_nothing_is_sent_to_somebody_who_took_the_bot_out(bot, teams):
    asked = await question(bot, teams, place="@mara")
    await teams.happen("mara", "@mara", "installationUpdate", action="remove")
    private = post(asked, kind="private", address={"person": asked.person.id})
    with pytest.raises(DeliveryFailed) as failure:
        await bot.adapter.surface.deliver(private, None)
    assert failure.value.is_final and teams.by_bot("@mara") == []


@pytest.mark.parametrize("place", ["sales", "general"])
async def test_14_a_mention_inside_a_thread_is_answered_there(bot, teams, place):
    root = await teams.say("tomas", place, "Has anybody seen the figures?", is_mention=False)
    asked = await question(bot, teams, place=place, root=root, replyToId=root)
    await bot.adapter.surface.deliver(post(asked), None)
    assert len(teams.by_bot(place, root)) == len(teams.by_bot(place)) == 1


async def test_15_a_reply_in_a_group_chat_goes_to_the_chat_itself(bot, teams):
    first = await teams.say("tomas", "planning", "Has anybody?", is_mention=False)
    asked = await question(bot, teams, place="planning", replyToId=first)
    await bot.adapter.surface.deliver(post(asked), None)
    [call] = [call for call in teams.calls if call.method == "POST"]
    assert ";messageid=" not in call.path and call.status == 201


async def test_20_typing_stops_while_teams_asks_for_a_pause(bot, teams):
    asked = await question(bot, teams, place="@mara")
    teams.world.faults.append(Fault(status=429, code="429", retry_after=30, method="POST"))
    placeholders = bot.adapter.surface._placeholders
    for _ in range(5):
        placeholders._shown_at.clear()
        await bot.adapter.surface.progress(asked.address, "reading…")
    assert len(teams.calls) == 1, "the one that was refused"
    bot.hand.now += 31.0
    placeholders._shown_at.clear()
    await bot.adapter.surface.progress(asked.address, "reading…")
    assert len(teams.calls) == 2


async def test_38_an_answer_that_teams_puts_off_twice_comes_once(bot, teams):
    asked = await question(bot, teams)
    teams.world.faults += [Fault(status=429, code="429", retry_after=3) for _ in range(2)]
    for attempt in range(2):
        with pytest.raises(DeliveryFailed) as failure:
            await bot.adapter.surface.deliver(post(asked, attempt=attempt), None)
        assert not failure.value.is_final and failure.value.retry_after == 3.0
    before = bot.hand.now
    await bot.adapter.surface.deliver(post(asked, attempt=2), None)
    assert bot.hand.now - before >= 3.0, "not before the pause was over"
    assert len(teams.by_bot("sales")) == 1


async def test_29_a_person_of_another_tenant_is_another_person(teams):
    async with running(teams) as bot:
        asked = await question(bot, teams)
    assert asked.person.id.startswith(PersonId(f"teams:{teams.world.tenant}/"))
