"""What is for one person: among the others where the tenant allows it, else in their own chat."""

import json

import pytest

from bot.workspace.teams.records import Fault
from core.errors import DeliveryFailed
from core.records import Answer
from tests.teams.conftest import running, settings_for
from tests.teams.test_outbound import post, question
from tests.teams.test_signing_in import LINK, Accounts


@pytest.fixture
async def bot(teams):
    given = settings_for(teams, is_targeting=True)
    async with running(teams, given, accounts=Accounts()) as made:
        yield made


def refusal(asked, **more):
    said = Answer(text="You may not ask that here.")
    return post(asked, kind="private", id="t_1.refusal", answer=said, **more)


@pytest.mark.parametrize("place", ["sales", "planning"])
async def test_a_private_sentence_stands_where_it_belongs_for_one_person(bot, teams, place):
    asked = await question(bot, teams, place=place)
    first = await bot.adapter.surface.deliver(refusal(asked), None)
    again = await bot.adapter.surface.deliver(refusal(asked, attempt=1), None)
    [said] = teams.whispers("mara", place)
    assert said["text"].startswith("You may not") and first == again
    assert teams.by_bot(place) == teams.by_bot("@mara") == []


async def test_where_the_tenant_does_not_take_it_it_is_said_in_the_own_chat(bot, teams):
    teams.world.is_targeting = False
    asked = await question(bot, teams)
    await bot.adapter.surface.deliver(refusal(asked), None)
    [said] = teams.by_bot("@mara")
    assert said["text"].startswith("You may not") and teams.by_bot("sales") == []


async def test_while_teams_is_busy_it_is_said_nowhere(bot, teams):
    asked = await question(bot, teams)
    teams.world.faults.append(Fault(status=502, method="POST"))
    with pytest.raises(DeliveryFailed):
        await bot.adapter.surface.deliver(refusal(asked), None)
    assert teams.by_bot("sales") == teams.by_bot("@mara") == []


async def test_a_command_is_answered_among_the_others_and_a_link_is_not(bot, teams):
    await teams.say("mara", "sales", "usage")
    await teams.wait_for(lambda: teams.whispers("mara", "sales") or None)
    assert teams.by_bot("sales") == teams.by_bot("@mara") == []

    await teams.say("mara", "sales", "connect")
    [link] = await teams.wait_for(lambda: teams.by_bot("@mara") or None)
    assert LINK in json.dumps(link)
    assert LINK not in json.dumps(teams.whispers("mara", "sales")) and not teams.by_bot("sales")


async def test_without_the_setting_nothing_is_targeted(teams):
    async with running(teams) as plain:
        asked = await question(plain, teams)
        await plain.adapter.surface.deliver(refusal(asked), None)
    assert teams.whispers("mara", "sales") == [] and len(teams.by_bot("@mara")) == 1
