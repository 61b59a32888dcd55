"""What is a question, what is left alone, and what the words of a question are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.slack import inbound
from adapters.slack.inbound import Ignored, Outside
from core.records import Question
from tests.slack.envelopes import BOT, direct, envelope, mention, message, rich, section

ME = f"<@{BOT}>"


def asked(event, **fields) -> Question:
    found = inbound.question(envelope(event, **fields))
    assert isinstance(found, Question), found
    return found


def ignored(event, **fields) -> str:
    found = inbound.question(envelope(event, **fields))
    assert isinstance(found, Ignored), found
    return found.reason


def user(person: str, **fields):
    return {"type": "user", "user_id": person, **fields}


def text(words: str, **fields):
    return {"type": "text", "text": words, **fields}


NOT_QUESTIONS = [
    message(user=BOT),
    message(bot_id="B00000001", app_id="A00000001"),
    message(subtype="bot_message", bot_id="B00000009"),
    message(bot_id="B00000009"),
    message(bot_profile={"id": "B00000009"}),
    message(app_id="A00000009"),
    mention(bot_id="B00000009"),
    mention(user=BOT),
    message(user="USLACKBOT"),
    direct(user="USLACKBOT"),
    direct(user=BOT),
    direct(bot_id="B00000001"),
    *[
        message(subtype=subtype)
        for subtype in (
            "channel_join channel_leave channel_topic channel_purpose channel_name "
            "channel_archive channel_unarchive group_join group_leave pinned_item "
            "message_changed message_deleted message_replied me_message reminder_add "
            "file_comment ekm_access_denied assistant_app_thread huddle_thread bot_add "
            "tombstone document_mention sh_room_created channel_convert_to_private"
        ).split()
    ],
    message(hidden=True),
    message("no mention at all"),
    message("<@U0OTHERBOT> do it"),
    message(f"`{ME}` is how you call it"),
    message(f"```\n{ME} run\n```"),
    message(f"&gt; {ME} how many?\nsomebody asked that"),
    message(f"look: {ME}", blocks=rich(section(text("look"), user("U0TOMAS")))),
    message(
        f"> {ME} x",
        blocks=rich({"type": "rich_text_quote", "elements": [user(BOT)]}, section(text("x"))),
    ),
    mention(blocks=rich({"type": "rich_text_preformatted", "elements": [user(BOT)]})),
    mention(blocks=rich(section(user(BOT, style={"code": True})))),
    {"type": "reaction_added", "user": "U0MARA", "item": {"channel": "C0SALES"}},
    {"type": "member_joined_channel", "user": BOT, "channel": "C0SALES"},
    {"type": "file_shared", "user_id": "U0MARA", "file_id": "F1"},
    message(user=None),
    message(ts="soon"),
    message(channel="C0/../X"),
    {},
]


@pytest.mark.promise("O3", "adapters.slack")
@pytest.mark.parametrize("event", NOT_QUESTIONS)
def test_own_posts_other_bots_edits_joins_and_talk_among_people_start_nothing(event):
    assert len(NOT_QUESTIONS) >= 40
    assert isinstance(inbound.question(envelope(event)), Ignored)


def test_a_mention_and_the_channel_message_for_it_are_one_delivery():
    first, second = asked(mention()), asked(message())
    assert first.delivery == second.delivery == "slack:T00000001/C0SALES/1796000000.000100"
    assert first.thread == second.thread
    assert first.text == second.text == "how many?"


def test_a_reply_belongs_to_the_thread_of_its_root():
    reply = asked(mention(thread_ts="1795000000.000200"))
    assert reply.thread == "slack:T00000001/C0SALES/1795000000.000200"
    assert reply.delivery.endswith("/1796000000.000100")
    assert dict(reply.address) == {
        "team": "T00000001",
        "channel": "C0SALES",
        "thread_ts": "1795000000.000200",
        "message_ts": "1796000000.000100",
        "user": "U0MARA",
        "is_dm": "false",
    }


def test_a_direct_message_needs_no_mention():
    found = asked(direct())
    assert (found.text, found.place.kind, found.address["is_dm"]) == ("how many?", "dm", "true")
    assert found.person.id == "slack:T00000001/U0MARA"
    assert found.said_at == pytest.approx(1796000000.0001)


@pytest.mark.parametrize(
    ("channel", "channel_type", "kind"),
    [
        ("C0SALES", "channel", "public"),
        ("C0SALES", "group", "private"),
        ("G0BOARD", "mpim", "group"),
        ("D0MARA", "im", "dm"),
        ("C0SALES", "", "public"),
        ("G0BOARD", "", "private"),
        ("D0MARA", "", "dm"),
    ],
)
def test_the_kind_of_place_comes_from_the_channel_type_or_else_from_the_id(
    channel, channel_type, kind
):
    found = asked(message(channel=channel, channel_type=channel_type))
    assert found.place.kind == kind


def test_files_are_known_by_id_and_never_by_address():
    files = [
        {
            "id": "F01",
            "name": "q3.csv",
            "mimetype": "text/csv",
            "size": 90,
            "url_private": "https://files.slack.com/F01",
        },
        {"id": "F02", "file_access": "check_file_info"},
        {"id": "F03", "mode": "tombstone"},
        {"id": "../F04", "name": "x"},
    ]
    found = asked(message(subtype="file_share", files=files))
    assert [(file.id, file.name, file.size) for file in found.files] == [
        ("slack:T00000001/F01", "q3.csv", 90),
        ("slack:T00000001/F02", "file", 0),
    ]
    assert "files.slack.com" not in repr(found)


def test_a_broadcast_reply_is_a_question():
    assert asked(message(subtype="thread_broadcast")).text == "how many?"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (f"{ME} is 3 &lt; 5 &amp;&amp; true", "is 3 < 5 && true"),
        (f"{ME}: how many?", "how many?"),
        (f"hey {ME}, how many?", "hey how many?"),
        (f"how many? {ME}", "how many?"),
        (f"{ME} ask <@U0TOMAS> in <#C0FIN|finance>", "ask @U0TOMAS in #finance (C0FIN)"),
        (f"{ME} ask <@U0TOMAS|tomas>", "ask @tomas (U0TOMAS)"),
        (f"{ME} see <https://a.example/x?a=1&amp;b=2>", "see https://a.example/x?a=1&b=2"),
        (f"{ME} see <https://a.example|the plan>", "see the plan (https://a.example)"),
        (f"{ME} see <http://a.example|a.example>", "see http://a.example"),
        (f"{ME} mail <mailto:m@a.example|m@a.example>", "mail m@a.example"),
        (f"{ME} tell <!here> and <!subteam^S1|@sales>", "tell @here and @sales"),
        (f"{ME} by <!date^1796000000^{{date}}|28 Nov>", "by 28 Nov"),
        (f"{ME} &lt;@{BOT}&gt; was typed", f"<@{BOT}> was typed"),
        (f"{ME} what does `{ME}` mean?", f"what does `@{BOT}` mean?"),
        (f"{ME} &amp;lt; stays", "&lt; stays"),
        (f"{ME}\n```\n  indented\n```", "```\n  indented\n```"),
        (ME, ""),
    ],
)
def test_case_17_words_are_what_the_person_meant(raw, words):
    assert asked(mention(raw)).text == words


def test_case_26_a_mention_in_rich_text_outside_of_quotes_and_code_counts():
    spoken = {"type": "rich_text_list", "elements": [section(user(BOT), text("one"))]}
    quoted = {"type": "rich_text_quote", "elements": [text("before")]}
    assert asked(mention(blocks=rich(quoted, spoken)))


@pytest.mark.parametrize("channel_type", ["channel", "im"])
def test_people_of_another_organisation_are_not_answered(channel_type):
    shared = {"is_ext_shared_channel": True}
    for event in (message(user_team="T0ALDER", channel_type=channel_type), message(team=None)):
        assert isinstance(inbound.question(envelope(event, **shared)), Outside)
    assert ignored(message("no mention", user_team="T0ALDER"), **shared) == "not_addressed"
    assert asked(message(user_team="T00000001"), **shared)
    assert asked(message(team="T0OTHERWORKSPACE"))


def test_the_workspace_is_that_of_the_message_and_not_of_the_installation():
    elsewhere = [{"team_id": "T0ALPHA", "user_id": BOT, "is_bot": True}]
    found = asked(mention(team="T0BETA"), team_id="T0BETA", authorizations=elsewhere)
    assert found.person.id == "slack:T0BETA/U0MARA"
    assert asked(mention(team="T0BETA"), team_id=None).place.tenant == "T0BETA"
    assert ignored(mention(team=None), team_id=None, authorizations=None) == "incomplete"


INNER = "type elements user_id style code id name size mode team_id is_bot event text".split()
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("aU0<@>|`&!#:/.\n", max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(INNER), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = "type subtype user text ts thread_ts channel channel_type team files blocks bot_id".split()


@settings(deadline=None, derandomize=True)
@given(
    st.dictionaries(st.sampled_from(KEYS), ANY),
    st.dictionaries(st.sampled_from(["team_id", "api_app_id", "authorizations"]), ANY),
)
def test_whatever_slack_sends_is_read_without_a_crash(event, fields):
    for base in ({}, mention(), direct()):
        inbound.question(envelope({**base, **event}, **fields))
    inbound.question(envelope(event))


@pytest.mark.parametrize(
    "event",
    [
        mention(blocks=rich({"type": "rich_text_quote", "elements": [user(BOT)]})),
        mention(blocks=rich({"type": "rich_text_preformatted", "elements": [user(BOT)]})),
        message(f"&gt; {ME} how many?"),
        message(f"```{ME} how many?```"),
    ],
)
def test_case_26_a_mention_that_was_only_quoted_or_pasted_starts_nothing(event):
    assert ignored(event) == "not_addressed"


def test_case_27_another_bot_is_meant_and_ours_stands_in_code_alone():
    assert ignored(message(f"<@U0OTHERBOT> run `{ME} help`")) == "not_addressed"
