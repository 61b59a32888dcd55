"""What people and admins order in chat, on both platforms: usage, why, switches, budgets."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.storage import acts, entries
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.sides import MENTION, text_of
from tests.turn.reading import chat
from tests.turn.steering import OFFERED, buttons_of, ordered, words_of


@pytest.fixture
async def bot(tmp_path: Path, models: ModelServer, side: str) -> AsyncIterator[House]:
    async with house(tmp_path, models=models, side=side, yaml=OFFERED) as running:
        yield running


async def asked_and_paid(bot: House, models: ModelServer, person: str = "tomas") -> None:
    models.script([call("sample_list_products"), say("Twelve. [1]")])
    await bot.ask(f"{MENTION} list the products", person=person)


async def test_an_admin_sees_who_used_what_and_goes_into_it_by_buttons(
    bot: House, models: ModelServer
) -> None:
    await asked_and_paid(bot, models)
    shown = await ordered(bot, "mara", "usage 7d")
    said = words_of(shown)
    assert "in 7 days" in said and "2 model calls" in said and "Tomás" in said
    typed = buttons_of(shown)
    person = bot.side.person("tomas")
    assert f"usage 7d by model of person:{person}" in typed.values()
    assert {"Today", "30 days", "By model", "By channel", "CSV"} <= set(typed)
    inner = words_of(await ordered(bot, "mara", typed["By purpose"]))
    assert "answer" in inner and "retrieve" in inner
    file = await taken(bot, "mara", typed["CSV"], "usage-by-person.csv")
    assert f"{person},Tom" in file and "USD,unpriced" in file


async def taken(bot: House, person: str, words: str, name: str) -> str:
    """What is in the file that the order led to, once they have agreed to take it."""
    shown = words_of(await ordered(bot, person, words))
    if bot.side.name == "slack":
        assert name in shown
        [content] = [one.content for one in bot.slack.world.files.values() if one.name == name]
        return content.decode("utf-8-sig")
    [asked] = [
        one
        for one in bot.teams.by_bot(f"@{person}")
        for attached in one.get("attachments", ())
        if attached.get("name") == name
    ]
    await bot.teams.take_file(person, asked["id"])
    uploads = bot.teams.world.uploads
    await bot.side.wait_for(lambda: uploads.get(name), 10.0)
    return uploads[name].decode("utf-8-sig")


async def test_whoever_is_no_admin_sees_their_own_and_nothing_else(
    bot: House, models: ModelServer
) -> None:
    await asked_and_paid(bot, models)
    own = words_of(await ordered(bot, "tomas", "usage today"))
    assert "You have used $" in own and "gpt-5.5" in own
    assert "used nothing" in words_of(await ordered(bot, "priya", "usage 30d by person"))
    person = bot.side.person("tomas")
    refused = words_of(await ordered(bot, "priya", f"usage of {person}"))
    assert "Only admins see what others use" in refused
    assert "Tomás" not in json.dumps([*bot.side.public("sales")])


async def test_why_names_the_rule_with_its_line_for_what_is_offered_and_what_is_not(
    bot: House,
) -> None:
    offered = words_of(await ordered(bot, "tomas", "why sample/list_products"))
    assert "sample/list_products is offered to you here" in offered
    assert "rule 1 offers server:sample (line 5)" in offered
    withheld = words_of(await ordered(bot, "tomas", "why sample/export_sheet"))
    assert "is not offered to you here" in withheld
    assert "rule 2 withholds tool:sample/export_sheet in place:public (line 6)" in withheld
    other = words_of(
        await ordered(bot, "mara", f"why sample/list_products for {bot.side.person('tomas')}")
    )
    assert "is offered to Tomás" in other
    refused = await ordered(bot, "tomas", f"why sample/list_products for {bot.side.person('mara')}")
    assert "Only admins are told about others" in words_of(refused)


async def test_a_question_that_begins_like_an_order_is_a_question(
    bot: House, models: ModelServer
) -> None:
    models.script([say("Because of the rain.")])
    [answer] = await bot.ask(f"{MENTION} why did sales fall in March?")
    assert text_of(answer) == "Because of the rain."


async def test_a_switch_holds_from_the_next_question_and_is_named_by_why(
    bot: House, models: ModelServer
) -> None:
    refused = words_of(await ordered(bot, "tomas", "disable sample/list_products"))
    assert "Only admins" in refused
    shown = await ordered(bot, "mara", "disable sample/list_products wrong prices")
    assert "Switched off" in words_of(shown)
    why = words_of(await ordered(bot, "tomas", "why sample/list_products"))
    assert f"a switch ({bot.side.person('mara')}," in why and "wrong prices" in why

    models.script([say("I cannot look.")])
    await bot.ask(f"{MENTION} list the products")
    tools = chat(models)[-1].tools
    assert "sample_sales_by" in tools and "sample_list_products" not in tools

    await ordered(bot, "mara", "enable sample/list_products")
    assert "is offered" in words_of(await ordered(bot, "tomas", "why sample/list_products"))
    found = await acts.latest(bot.bot.rooms.db)
    assert [(act.topic, act.subject, act.value, act.person) for act in found] == [
        ("switch", "tool:sample/list_products", "", bot.side.person("mara")),
        ("switch", "tool:sample/list_products", "off", bot.side.person("mara")),
    ]


async def test_a_name_that_somebody_shows_makes_nobody_an_admin(bot: House) -> None:
    person = bot.side.person("tomas").rpartition("/")[2]
    if bot.side.name == "slack":
        bot.slack.member("tomas").real_name = "U0MARA"
    else:
        bot.teams.member("tomas").name = bot.teams.member("mara").name
    assert "Only admins" in words_of(await ordered(bot, "tomas", "disable everything"))
    assert bot.bot.rooms.setup.rules.has_effects and person


async def test_the_policy_is_shown_with_what_lies_over_it(bot: House) -> None:
    await ordered(bot, "mara", "disable effects audit")
    shown = words_of(await ordered(bot, "mara", "policy show"))
    assert "rule 1 offers server:sample (line 5)" in shown
    assert "effects is off" in shown and "audit" in shown and "nothing is carried out" in shown
    assert "Only admins" in words_of(await ordered(bot, "tomas", "policy"))


async def test_a_channel_gets_another_model_by_a_word(
    tmp_path: Path, models: ModelServer, side: str
) -> None:
    yaml = f"{OFFERED}\nmodels:\n  openai:gpt-5.5-mini: {{}}\n"
    async with house(tmp_path, models=models, side=side, yaml=yaml) as bot:
        told = words_of(await ordered(bot, "mara", "channel model openai:gpt-5.5-mini"))
        assert "From the next question on openai:gpt-5.5-mini answers here" in told
        await bot.ask(f"{MENTION} hello there, who are you?")
        assert chat(models)[-1].body["model"] == "gpt-5.5-mini"
        await ordered(bot, "mara", "channel file")
        assert bot.bot.rooms.setup.channels == {}


async def test_the_home_tells_spend_budget_tools_and_connections(
    bot: House, models: ModelServer
) -> None:
    await asked_and_paid(bot, models)
    await ordered(bot, "mara", "budget each 5 a day")
    home = await ordered(bot, "tomas", "home")
    said = words_of(home)
    assert "What you have used" in said and "2 model calls" in said
    assert "$5.00 a day for each person" in said
    assert "Microsoft account" in said and "What you may use here" in said
    assert {"Export my data", "Forget me", "Connect Microsoft"} <= set(buttons_of(home))


async def test_the_thread_total_is_told_on_request(bot: House, models: ModelServer) -> None:
    models.script([say("One."), say("Two.")])
    thread = await bot.side.say("mara", "sales", f"{MENTION} first")
    await bot.answers("sales", thread)
    await bot.side.say("mara", "sales", f"{MENTION} second", thread_ts=thread)
    await bot.answers("sales", thread, 2)
    before = len(bot.side.told("mara", "sales"))
    await bot.side.say("mara", "sales", f"{MENTION} usage thread", thread_ts=thread)
    await bot.side.wait_for(lambda: bot.side.told("mara", "sales")[before:] or None, 10.0)
    db = bot.bot.rooms.db
    [row] = await db.fetch("SELECT DISTINCT thread FROM entries")
    cost = await entries.cost_of_thread(db, row["thread"])
    shown = json.dumps([*bot.slack.ephemerals("mara", "sales"), *bot.teams.by_bot("@mara")])
    assert f"${cost.price}" in shown and "2 model calls" in shown
