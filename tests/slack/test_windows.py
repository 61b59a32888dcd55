"""What opens from a card: the edit form, the reason of a cancel, the whole text, the list."""

import json
from dataclasses import replace

import pytest

from adapters.slack import answers, clicks, deciding
from adapters.slack.render import forms, limits, waiting
from bot.workspace.slack.checks import check_view
from bot.workspace.slack.records import Fault
from core.cards import CallId
from core.errors import Unavailable
from core.parked import Form, FormField
from tests.approvals.office import MAIL
from tests.door import Door
from tests.slack.counter import MARA, TOMAS, buttons_of, counter, text_of
from tests.slack.envelopes import envelope, mention


async def test_an_edit_makes_the_next_revision_and_shows_what_was_before(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        await at.press("mara", at.card(call), "edit")
        assert await at.submit("mara", {"f0.0": "tomas@larkspur.example", "f2.0": "Hello."}) == {}
        shown = await at.until(call, "Hello.")
        now = await at.office.now(call)

    assert (now.revision, now.edited_by) == (2, MARA)
    assert now.arguments == {**MAIL, "to": ["tomas@larkspur.example"], "body": "Hello."}
    for piece in ("priya@larkspur.example", "tomas@larkspur.example", "✎ changed", "Edited by"):
        assert piece in text_of(shown)
    assert at.window("mara") == {}


async def test_what_does_not_fit_is_said_under_its_field_and_the_window_stays(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        await at.press("mara", at.card(call), "edit")
        answered = await at.submit("mara", {"f5.0": "12,5"})
        assert list(answered["errors"]) == ["f5.0"]
        assert "write 12.5" in answered["errors"]["f5.0"]
        answered = await at.submit("mara", {"f5.0": "", "f0.0": ""})
        assert list(answered["errors"]) == ["f0.0"]
        assert (await at.submit("mara", {"f0.0": "\n".join(MAIL["to"])}))["errors"]
        assert await at.office.now(call) == call
        assert at.window("mara") != {}


async def test_a_long_mail_is_edited_in_parts_and_stays_whole(sqlite, slack):
    body = "\n".join(f"line {number} " + "word " * 18 for number in range(100))
    async with counter(sqlite, slack) as at:
        call = await at.park({**MAIL, "body": body})
        await at.press("mara", at.card(call), "edit")
        labels = [one["label"]["text"] for one in at.window("mara")["blocks"]]
        assert next(one for one in labels if "part" in one) == "Body, part 1 of 5"
        first = next(one for one in at.window("mara")["blocks"] if one["block_id"] == "f2.0")
        part = first["element"]["initial_value"]
        state = {
            one["block_id"]: one["element"].get("initial_value", "").strip()
            for one in at.window("mara")["blocks"]
            if one["element"]["type"] == "plain_text_input"
        }
        state["f2.0"] = part.replace("line 0", "LINE 0").strip()
        assert await at.submit("mara", state) == {}
        assert (await at.office.now(call)).arguments["body"] == body.replace("line 0", "LINE 0", 1)


async def test_a_card_that_is_too_long_is_opened_and_sent_from_there(sqlite, slack):
    """Case 38: 10 kB with a changed list of recipients at the end."""
    body = "\n".join(f"{number}: " + "x" * 90 for number in range(110)) + "\nbcc: all"
    async with counter(sqlite, slack) as at:
        call = await at.park({**MAIL, "body": body, "bcc": ["eve@elsewhere.example"]})
        card = at.card(call)
        assert buttons_of(card) == ["open", "edit", "cancel"]
        assert "(shortened)" in text_of(card)
        forged = {**card["blocks"][-1]["elements"][0], "action_id": "call.send"}
        await at.press("mara", card, "open")
        window = at.window("mara")
        assert body in text_of(window) and "eve@elsewhere.example" in text_of(window)
        assert window["submit"]["text"] == "Send"
        await at.press("tomas", card, "open")
        assert at.window("tomas") == {} and "can open it" in at.told("tomas")
        assert forged["value"] == f"{call.id}:1"
        assert await at.submit("mara") == {}
        assert (await at.office.now(call)).state == "approved"
        await at.office.carry_out()
        await at.until(call, "Sent.")
        # Peers' case 29: nothing to decide with stays on a long card that was decided.
        assert buttons_of(at.card(call)) == ["open"]


async def test_a_forged_send_on_a_card_that_nobody_opened_is_refused(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park({**MAIL, "body": "x" * 9_000})
        await at.press("tomas", at.card(call), "open")
        payload = at.clicked()
        mine = {**payload, "user": {**payload["user"], "id": "U0MARA"}}
        mine["actions"] = [{**payload["actions"][0], "action_id": "call.send"}]
        await slack.carrier.interaction(mine)
        assert "read all of it first" in at.told("mara")
        assert await at.office.now(call) == call


async def test_a_very_long_text_has_pages_and_only_the_last_can_send(sqlite, slack):
    body = " ".join(f"w{number}" for number in range(6_000))
    async with counter(sqlite, slack) as at:
        call = await at.park({**MAIL, "body": body})
        await at.press("mara", at.card(call), "open")
        seen, pages = "", 1
        while "next" in str(buttons_of(at.window("mara"))):
            assert at.window("mara")["submit"] is None
            seen += text_of(at.window("mara"))
            view = at.window("mara")
            await act(at, view, "call.page.next")
            pages += 1
        seen += text_of(at.window("mara"))
        assert at.window("mara")["submit"]["text"] == "Send"
    assert pages > 2
    words = {piece for piece in seen.replace(":", " ").split() if piece.startswith("w")}
    assert len([one for one in words if one[1:].isdigit()]) >= 6_000 - 2 * pages


async def act(at, view, action):
    from bot.workspace.slack import modals

    block = next(
        one["block_id"]
        for one in view["blocks"]
        if one["type"] == "actions" and action in str(one["elements"])
    )
    return await modals.act(at.slack.world, at.slack.carrier, view, action, block, None)


async def test_a_cancel_takes_a_reason_and_the_one_who_asked_reads_it(sqlite, slack):
    rule = {"approve": "tool:mail/send", "by": "person:U0TOMAS"}
    async with counter(sqlite, slack, rule) as at:
        call = await at.park()
        await at.press("tomas", at.card(call), "cancel")
        assert await at.submit("tomas", {"reason": "Wrong numbers."}) == {}
        await at.until(call, "Wrong numbers.")
        await slack.wait_for(lambda: slack.ephemerals("mara", "sales"))
        assert "Wrong numbers." in at.told("mara")
        now = await at.office.now(call)
    assert (now.state, now.decided_by) == ("cancelled", TOMAS)
    assert at.office.box.sent == []


async def test_a_window_that_comes_too_late_says_so(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        await at.press("mara", at.card(call), "cancel")
        await at.office.click(call, "send", MARA)
        assert await at.submit("mara", {"reason": ""}) == {}
        assert "Nothing changed" in text_of(at.window("mara"))
        assert (await at.office.now(call)).state == "approved"


async def test_a_window_that_slack_does_not_open_is_said(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        for word in ("edit", "cancel"):
            slack.fail("views.open", Fault(error="expired_trigger_id"))
            await at.press("mara", at.card(call), word)
            assert at.told("mara") == deciding.NOT_OPENED
        assert await at.office.now(call) == call


async def test_an_edit_that_could_not_be_recorded_is_said_in_the_window(sqlite, slack):
    class Out:
        def __init__(self, room):
            self.form = room.desk.form

        async def decide(self, click):
            raise Unavailable

    async with counter(sqlite, slack, desk=Out) as at:
        call = await at.park()
        await at.press("mara", at.card(call), "edit")
        assert await at.submit("mara", {"f1.0": "Q4"}) == {}
        assert deciding.AGAIN in text_of(at.window("mara"))
        assert await at.office.now(call) == call


async def test_what_waits_can_be_asked_for_and_decided_there(sqlite, slack):
    async with counter(sqlite, slack) as at:
        first, second = await at.park(), await at.park({**MAIL, "subject": "Second"})
        delivery = await slack.command("mara", "sales", "/approvals")
        assert json.loads(delivery.body)["response_type"] == "ephemeral"
        (listed,) = slack.ephemerals("mara", "sales")
        assert text_of(listed).count("Send a mail") == 2
        assert "2 calls wait." in text_of(listed)
        block = next(one["block_id"] for one in listed["blocks"] if first.id in str(one))
        await slack.click("mara", listed, "call.send", block_id=block)
        (listed,) = slack.ephemerals("mara", "sales")
        assert "Recorded." in text_of(listed) and "1 call waits." in text_of(listed)
        await at.office.carry_out()
        await at.until(first, "Sent.")
        assert (await at.office.now(second)).state == "parked"
        assert at.door.questions == []


async def test_for_others_nothing_waits(sqlite, slack):
    async with counter(sqlite, slack) as at:
        await at.park()
        await slack.command("tomas", "sales", "/approvals")
        assert at.told("tomas") == waiting.NOTHING


async def test_a_long_list_is_shown_in_turns_and_every_card_in_it_is_whole(sqlite, slack):
    async with counter(sqlite, slack) as at:
        for number in range(9):
            await at.park({**MAIL, "subject": f"s{number}", "body": "y" * 2_000})
        await slack.command("mara", "sales", "/approvals")
        seen = ""
        for _ in range(5):
            (listed,) = slack.ephemerals("mara", "sales")
            seen += text_of(listed)
            more = listed["blocks"][-1]["elements"][0]
            if more["text"]["text"] != "Show more":
                break
            await slack.click("mara", listed, "call.more")
    assert [seen.count(f"s{number}") for number in range(9)] == [1] * 9
    assert "(shortened)" not in seen


async def test_connecting_and_disconnecting_are_answered_privately(sqlite, slack):
    async with counter(sqlite, slack) as at:
        await slack.command("mara", "sales", "/countersign", "connect")
        offer = slack.ephemerals("mara", "sales")[-1]
        assert offer["blocks"][-1]["elements"][0]["url"] == "https://connect.example/once"
        await slack.command("mara", "sales", "/countersign", "disconnect")
        assert at.told("mara") == "Gone."
        ts = await slack.say("mara", "sales", "@Countersign connect")
        await slack.settled()
        assert len(slack.ephemerals("mara", "sales")) == 3
        assert slack.replies("sales", ts) == []
        assert at.door.questions == []


async def test_a_spoken_command_that_could_not_be_answered_is_delivered_again(sqlite, slack):
    async with counter(sqlite, slack) as at:
        slack.fail("chat.postEphemeral", Fault(error="internal_error"))
        ts = await slack.say("mara", "sales", "@Countersign disconnect", is_told=False)
        event = slack.envelope_for("sales", ts)
        assert (await slack.deliver(event)).status == 503
        assert (await slack.deliver(event, retry=1)).status == 200
        assert (await slack.deliver(event, retry=2)).status == 200
        assert len(slack.ephemerals("mara", "sales")) == 1
        assert at.door.questions == []


async def test_without_desk_and_accounts_the_words_are_questions(slack, bot):
    for number, word in enumerate(("approvals", "connect", "disconnect")):
        event = mention(f"<@U0COUNTER> {word}", ts=f"1796000000.00020{number}")
        assert await bot.send_json(envelope(event)) == 200
    assert [one.text for one in bot.door.questions] == ["approvals", "connect", "disconnect"]
    for command, word in (("/approvals", ""), ("/countersign", "connect")):
        await slack.command("mara", "sales", command, word)
    assert len(slack.ephemerals("mara", "sales")) == 2
    assert isinstance(bot.door, Door)


def field(kind: str, value: object = None, **more: object) -> FormField:
    return replace(FormField(name="x", label="X", kind="text", value=value), kind=kind, **more)


FIELDS = [
    (field("text", "a"), {"value": "b"}, "b"),
    (field("text", "a"), {"value": None}, None),
    (field("long_text", "a\nb"), {"value": "c"}, "c"),
    (field("integer", 3), {"value": "4"}, "4"),
    (field("number", 1.5), {"value": "2.5"}, "2.5"),
    (field("number", 1e300), {"value": "1"}, "1"),
    (field("list", ["a", "b"]), {"value": "a\nc"}, "a\nc"),
    (field("flag", False), {"selected_options": [{"value": "yes"}]}, True),
    (field("flag", True), {"selected_options": []}, False),
    (field("choice", "b", choices=("a", "b")), {"selected_option": {"value": "0"}}, "a"),
    (
        field("choice", None, choices=tuple(f"{n}" * 90 for n in range(130))),
        {"selected_option": {"value": "128"}},
        "128" * 90,
    ),
    (
        field("datetime", "2026-10-01T09:30:00+02:00"),
        {"selected_date_time": 1_790_840_000},
        "2026-10-01T09:33:20+02:00",
    ),
    (field("datetime", "tomorrow"), {"value": "2026-10-01T09:30"}, "2026-10-01T09:30"),
]


@pytest.mark.parametrize(("one", "typed", "value"), FIELDS)
def test_each_kind_of_field_is_typed_and_read_back(one, typed, value):
    form = Form(call=CallId("c_1"), revision=1, title="Edit", fields=(one,))
    view = forms.view(form, "")
    check_view(view, "modal")
    element = view["blocks"][0]["element"]
    given = {"type": element["type"], **typed}
    state = {"state": {"values": {"f0.0": {forms.INPUT: given}}}}
    assert answers.values(form, state) == {"x": value}


@pytest.mark.parametrize(
    "one",
    [
        field("text", "a "),
        field("long_text", "line\n" * 2_000),
        field("flag", None),
        field("integer", 3),
        field("list", ["a", "b"]),
        field("choice", "b", choices=("a", "b")),
        field("datetime", "2026-10-01T09:30:15+02:00"),
        field("datetime", "2026-10-01T09:30"),
    ],
)
def test_what_was_not_touched_is_not_changed(one):
    form = Form(call=CallId("c_1"), revision=1, title="Edit", fields=(one,))
    view = forms.view(form, "")
    check_view(view, "modal")
    values = {}
    for block in view["blocks"]:
        element = block["element"]
        text = element.get("initial_value", "").strip()
        values[block["block_id"]] = {
            forms.INPUT: {
                "type": element["type"],
                "value": text or None,
                "selected_options": element.get("initial_options", []),
                "selected_option": element.get("initial_option"),
                "selected_date_time": element.get("initial_date_time"),
            }
        }
    assert answers.values(form, {"state": {"values": values}}) == {}


@pytest.mark.parametrize(
    "one",
    [
        field("text", {"a": 1}, is_fixed=True),
        field("list", ["two\nlines"]),
        field("list", ["a", ""]),
        field("list", [" a"]),
        field("long_text", "x" * 200_000),
    ],
)
def test_what_no_input_holds_exactly_is_shown_and_cannot_be_typed(one):
    form = Form(call=CallId("c_1"), revision=1, title="Edit", fields=(one, field("text", "a")))
    view = forms.view(form, "")
    check_view(view, "modal")
    assert [block["type"] for block in view["blocks"]] == ["rich_text", "input"]


def test_a_form_with_very_many_fields_still_opens():
    many = tuple(replace(field("text", "a" * 2_900), name=f"n{n}") for n in range(150))
    view = forms.view(Form(call=CallId("c"), revision=1, title="Edit", fields=many), "")
    assert len(view["blocks"]) <= 100
    assert limits.VIEW_TITLE == 24


def test_a_value_that_names_no_call_is_no_click():
    spot = clicks.Spot(user="U1")
    at = clicks.Pressed(
        word="send",
        value="",
        person=clicks.identity.person("T1", "U1"),
        is_foreign=False,
        spot=spot,
        trigger="",
        key="k",
    )
    for value in ("", "c_1", "c_1:x", "c_1:1:U2", ":1", "c 1:1", "c_1:" + "9" * 30):
        assert clicks.click(replace(at, value=value), "send") is None
