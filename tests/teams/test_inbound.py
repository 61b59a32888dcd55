"""What a message in Teams means, and what is left alone."""

import json

import pytest

from adapters.teams import identity, inbound
from tests.teams.conftest import settings_for

AT = "<at>Countersign</at>"


def asked(teams, person, place, text="", **how):
    activity = teams.written(person, place, text, **how)
    return inbound.question(activity, teams.world.tenant, lambda: 1.0)


def mention(teams, text, *entities):
    """A message whose text and entities are written by hand; entities as (text, id)."""
    activity = teams.written("mara", "sales", "x")
    activity["text"] = text
    activity["entities"] = [
        {"type": "mention", "text": shown, "mentioned": {"id": id, "name": "x"}}
        for shown, id in entities
    ]
    return inbound.question(activity, teams.world.tenant, lambda: 1.0)


def test_a_question_carries_who_where_when_and_in_which_zone(teams):
    found = asked(teams, "tomas", "sales", "what did we sell?")
    oid = teams.member("tomas").oid
    assert found.person.id == f"teams:{teams.world.tenant}/{oid}"
    assert (found.person.name, found.person.time_zone) == ("Tomás Ferrer", "Europe/Madrid")
    assert found.person.locale == "en-GB"
    assert found.text == "what did we sell?"
    assert (found.place.kind, found.place.name) == ("public", "sales")
    assert found.said_at > 1_000_000


def test_a_thread_of_a_channel_is_a_conversation_of_its_own(teams):
    first = asked(teams, "mara", "sales", "one")
    root = first.address["message"]
    again = asked(teams, "tomas", "sales", "two", root=root)
    other = asked(teams, "mara", "sales", "three")
    assert first.thread == again.thread != other.thread
    assert again.address["conversation"].endswith(f";messageid={root}")
    assert first.place.id == again.place.id == other.place.id


def test_a_first_message_whose_conversation_names_no_thread_begins_one(teams):
    activity = teams.written("mara", "sales", "hello")
    plain = activity["conversation"]["id"].partition(";")[0]
    activity["conversation"]["id"] = plain
    found = inbound.question(activity, teams.world.tenant, lambda: 1.0)
    assert found.address["conversation"] == f"{plain};messageid={activity['id']}"
    activity["replyToId"] = "1700000000000"
    found = inbound.question(activity, teams.world.tenant, lambda: 1.0)
    assert found.address["conversation"] == f"{plain};messageid=1700000000000"


def test_chats_have_one_thread_each_and_a_group_wants_a_mention(teams):
    one, two = asked(teams, "mara", "@mara", "a"), asked(teams, "mara", "@mara", "b")
    assert one.thread == two.thread and one.place.kind == "dm"
    assert asked(teams, "mara", "planning", "a").place.kind == "group"
    ignored = asked(teams, "mara", "planning", "a", is_mention=False)
    assert ignored.reason == "not_addressed"


def test_our_mention_alone_is_taken_off_and_the_names_of_others_are_kept(teams):
    own = teams.world.bot
    cases = {
        f"{AT} rename the Countersign channel": "rename the Countersign channel",
        f"hey {AT}, hello": "hey , hello",
        f"{AT}&nbsp;hello": "hello",
        f"{AT} a &lt;b&gt; &amp; c": "a <b> & c",
        f"{AT} one\r\ntwo<br>three": "one\ntwo\nthree",
        f"{AT}": "",
    }
    for text, said in cases.items():
        assert mention(teams, text, (AT, own)).text == said
    dana = "<at>Dana</at>"
    assert mention(teams, f"{AT} tell {dana} hello", (AT, own), (dana, "29:d")).text == (
        "tell @Dana hello"
    )


def test_a_mention_may_be_split_numbered_or_broken(teams):
    own = teams.world.bot
    halves = ("<at>Ask</at>", "<at>Bot</at>")
    assert mention(teams, "<at>Ask</at> <at>Bot</at> hi", *((h, own) for h in halves)).text == "hi"
    assert mention(teams, '<at id="0">Bot</at> hi', ('<at id="0">Bot</at>', own)).text == "hi"
    assert mention(teams, '<at id="0">Bot</at> hi', ("<at>Bot</at>", own)).text == "hi"
    assert mention(teams, "<at>A+B (x)</at> hi", ("<at>A+B (x)</at>", own)).text == "hi"
    # A colleague who has the bot's name stays.
    twice = mention(teams, f"{AT} ask {AT}", (AT, own), (AT, "29:namesake"))
    assert twice.text == "ask @Countersign"


@pytest.mark.promise("O3", "adapters.teams")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"from": {"id": "28:other", "aadObjectId": "a"}}, "bot"),
        ({"from": {"id": "29:x", "aadObjectId": "a", "role": "bot"}}, "bot"),
        ({"type": "messageUpdate"}, "other_kind"),
        ({"type": "messageDelete"}, "other_kind"),
        ({"text": "", "value": {"a": 1}}, "submitted"),
        ({"text": None}, "empty"),
        ({"from": {"id": "29:x"}}, "incomplete"),
        ({"from": {"id": "29:x", "aadObjectId": "a/b"}}, "incomplete"),
        ({"id": ""}, "incomplete"),
        ({"id": "a/b"}, "incomplete"),
    ],
)
def test_what_is_no_question_is_left_alone(teams, change, reason):
    activity = {**teams.written("mara", "@mara", "hello"), **change}
    assert inbound.question(activity, teams.world.tenant, lambda: 1.0).reason == reason


@pytest.mark.promise("O3", "adapters.teams")
async def test_edits_deletions_reactions_and_joins_start_nothing(bot, teams):
    for kind in ("messageUpdate", "messageDelete", "messageReaction", "conversationUpdate"):
        found = await teams.happen("mara", "@mara", kind, text="changed")
        assert found.status == 200
    assert bot.door.questions == [] and teams.by_bot("@mara") == []


async def test_a_file_of_a_chat_comes_by_id_and_can_be_read(bot, teams):
    content = {
        "downloadUrl": f"{teams.base}/keys",
        "uniqueId": "1150D938-8870-4044-9F2C-5BBDEBA70C9D",
        "fileType": "csv",
    }
    kind = "application/vnd.microsoft.teams.file.download.info"
    file = {"contentType": kind, "content": content, "name": "orders.csv"}
    await teams.say("mara", "@mara", "read this", attachments=[file])
    [asked] = await teams.wait_for(lambda: bot.door.questions or None)
    [named] = asked.files
    assert (named.name, named.media_type) == ("orders.csv", "text/csv")
    assert teams.base not in named.id
    assert b"endorsements" in await bot.adapter.surface.fetch(
        named, limit=10_000, person=asked.person.id
    )


def test_a_person_of_no_known_zone_is_not_guessed(teams):
    activity = teams.written("mara", "@mara", "hi")
    activity["localTimezone"] = "../../etc"
    activity["entities"] = []
    found = identity.person(activity, teams.world.tenant)
    assert found is not None and found.time_zone == "UTC"


async def test_a_question_that_is_edited_is_asked_anew(bot, teams):
    activity = teams.written("mara", "sales", "hello")
    await teams.carrier.bring(activity)
    data = {**activity["channelData"], "eventType": "editMessage"}
    await teams.carrier.bring({**activity, "type": "messageUpdate", "channelData": data})
    [revised] = bot.door.revised
    assert revised.delivery == bot.door.questions[0].delivery
    data = {**activity["channelData"], "eventType": "undeleteMessage"}
    await teams.carrier.bring({**activity, "type": "messageUpdate", "channelData": data})
    assert len(bot.door.revised) == 1


async def test_what_somebody_used_is_told_to_them_alone(bot, teams):
    await teams.say("mara", "sales", "usage")
    [said] = await teams.wait_for(lambda: teams.by_bot("@mara") or None)
    assert "has used nothing" in json.dumps(said) and teams.by_bot("sales") == []


async def test_a_question_that_is_deleted_is_taken_back(bot, teams):
    activity = teams.written("mara", "sales", "hello")
    await teams.carrier.bring(activity)
    gone = {**activity, "type": "messageDelete", "channelData": activity["channelData"]}
    await teams.carrier.bring(gone)
    assert bot.door.taken_back == [bot.door.questions[0].delivery]


async def test_an_installation_greets_once_and_a_removal_ends_everything(bot, teams):
    for _ in range(2):
        await teams.happen("priya", "@priya", "installationUpdate", action="add")
    [greeting] = teams.by_bot("@priya")
    assert "orders" in greeting["text"]
    who = f"teams:{teams.world.tenant}/{teams.member('priya').oid}"
    assert await bot.adapter.directory.of(who) is not None

    await teams.happen("priya", "@priya", "installationUpdate", action="remove")
    assert await bot.adapter.directory.of(who) is None
    assert not any(key.startswith("person:") for key in bot.memory.kept)
    assert settings_for(teams).tenant_id == teams.world.tenant


async def test_a_slash_command_needs_no_mention_and_is_answered_in_private(bot, teams):
    activity = teams.written("mara", "sales", "/usage", is_mention=False)
    activity["recipient"]["isTargeted"] = True
    await teams.carrier.bring(activity)
    [said] = await teams.wait_for(lambda: teams.by_bot("@mara") or None)
    assert "has used nothing" in str(said["attachments"]) and teams.by_bot("sales") == []


async def test_a_question_that_nobody_else_saw_is_not_answered_for_all_to_see(bot, teams):
    activity = teams.written("mara", "sales", "what does Dana earn?", is_mention=False)
    activity["recipient"]["isTargeted"] = True
    await teams.carrier.bring(activity)
    [said] = await teams.wait_for(lambda: teams.by_bot("@mara") or None)
    assert "Ask me here" in said["text"]
    assert bot.door.questions == [] and teams.by_bot("sales") == []


async def test_accepting_a_tool_is_answered_privately_and_keeps_its_spelling(bot, teams):
    await teams.say("mara", "sales", "accept crm/Create_Lead")
    [said] = await teams.wait_for(lambda: teams.by_bot("@mara") or None)
    [order] = bot.door.orders
    assert order.words == "accept crm/Create_Lead" and "Accepted." in str(said["attachments"])
    assert order.person.id.endswith(teams.member("mara").oid)
    assert teams.by_bot("sales") == [] and bot.door.questions == []


async def test_accepting_in_other_words_is_a_question(bot, teams):
    await teams.say("mara", "sales", "accept the offer of crm/acme or not?")
    await teams.wait_for(lambda: bot.door.questions or None)
    assert bot.door.orders == []
