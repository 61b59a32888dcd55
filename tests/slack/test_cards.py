"""A card in Slack is decided by the right click, once, and shows everywhere what came of it."""

import asyncio
from collections import Counter as Count

import pytest

from adapters.slack import deciding
from bot.workspace.slack.records import Fault
from core.connectors.outcome import Failed, Unknown
from core.errors import Unavailable
from core.parked import Click, Verdict
from core.storage import decisions
from tests.approvals.office import MAIL
from tests.slack.counter import (
    MARA,
    PRIYA,
    STRANGER,
    TEAM,
    TOMAS,
    buttons_of,
    counter,
    text_of,
)


async def test_a_card_shows_the_mail_and_one_click_sends_it(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        shown = text_of(at.card(call))
        for piece in ("Send a mail", "priya@larkspur.example", "Q3", "Attached.", "Larkspur"):
            assert piece in shown
        assert buttons_of(at.card(call)) == ["send", "edit", "cancel"]

        delivery = await at.press("mara", at.card(call))
        assert (delivery.status, delivery.body) == (200, "")
        assert (await at.office.now(call)).state == "approved"
        await at.office.carry_out()
        ended = await at.until(call, "Sent.")

    assert len(at.office.box.sent) == 1
    assert buttons_of(ended) == []
    assert "https://mail.example/1" in str(ended["blocks"])
    assert slack.ephemerals("mara", "sales") == []


async def test_twenty_clicks_at_once_send_one_mail(sqlite, slack):
    """Case 40, on Slack."""
    async with counter(sqlite, slack) as at:
        call = await at.park()
        card = dict(at.card(call))
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(at.press("mara", card)) for _ in range(20)]
        await at.office.carry_out()
        await at.until(call, "Sent.")

    assert {task.result().status for task in tasks} == {200}
    assert len(at.office.box.sent) == 1
    assert len(await decisions.of_call(sqlite, call.id)) == 1
    assert len(slack.ephemerals("mara", "sales")) == 19


async def test_the_clicks_of_others_move_nothing_and_are_answered_privately(sqlite, slack):
    slack.add_member(STRANGER)
    slack.channel("sales").members += ["U0JONAS", "U0FAR"]
    async with counter(sqlite, slack) as at:
        call = await at.park()
        card = dict(at.card(call))
        for person in ("tomas", "jonas", "far"):
            for number, word in enumerate(("send", "cancel", "edit"), start=1):
                assert (await at.press(person, card, word)).status == 200
                assert at.window(person) == {}
                assert len(slack.ephemerals(person, "sales")) == number
        assert await at.office.now(call) == call
        assert at.card(call) == card
        assert await decisions.export(sqlite) == []
    assert slack.ephemerals("mara", "sales") == []


async def test_guests_and_outsiders_decide_nothing_even_where_anybody_may(sqlite, slack):
    """Case 34: the rule says `group:everyone`, and means colleagues."""
    slack.add_member(STRANGER)
    slack.channel("sales").members += ["U0JONAS", "U0FAR"]
    rule = {"approve": "tool:mail/send", "by": "group:everyone"}
    async with counter(sqlite, slack, rule) as at:
        call = await at.park()
        for person in ("jonas", "far"):
            for word in ("send", "cancel", "edit"):
                await at.press(person, at.card(call), word)
                assert at.told(person) == deciding.OUTSIDERS
                assert at.window(person) == {}
        assert await at.office.now(call) == call
        await at.press("tomas", at.card(call))
        assert (await at.office.now(call)).decided_by == TOMAS


async def test_the_same_id_in_another_workspace_is_somebody_else(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        await at.press("tomas", at.card(call))
        payload = at.clicked()
        for user, team in (
            ({"id": "U0MARA", "team_id": "T0OTHER"}, payload["team"]),
            ({"id": "U0MARA"}, {"id": "T0OTHER"}),
            ({"id": "U0MARA", "team_id": "T0OTHER"}, {"id": "T0OTHER"}),
        ):
            before = len(slack.ephemerals("mara", "sales"))
            await slack.carrier.interaction({**payload, "user": user, "team": team})
            assert at.told("mara") == deciding.OUTSIDERS
            assert len(slack.ephemerals("mara", "sales")) == before + 1
        assert await at.office.now(call) == call


async def test_nobody_decides_while_slack_does_not_say_who_they_are(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        slack.fail("users.info", Fault(error="internal_error"))
        await at.press("mara", at.card(call))
        assert at.told("mara") == deciding.WHO
        assert await at.office.now(call) == call
        await at.press("mara", at.card(call))
        assert (await at.office.now(call)).state == "approved"


async def test_an_approver_of_one_kind_decides_nothing_about_another(sqlite, slack):
    """Case 36."""
    finance = {"approve": "tool:mail/send", "by": f"person:{TOMAS}"}
    it = {"approve": "tool:crm/create_lead", "by": f"person:{PRIYA}"}
    async with counter(sqlite, slack, finance, it) as at:
        lead = await at.park({"name": "Acme", "revenue": 1.0}, key="crm/create_lead")
        await at.press("tomas", at.card(lead))
        assert "Nothing changed" in at.told("tomas")
        assert await at.office.now(lead) == lead
        letter = await at.park()
        await at.press("tomas", at.card(letter))
        assert (await at.office.now(letter)).state == "approved"


async def test_a_button_of_a_card_that_was_replaced_decides_nothing(sqlite, slack):
    """Case 35."""
    async with counter(sqlite, slack) as at:
        call = await at.park()
        old = dict(at.card(call))
        await at.press("mara", old, "edit")
        assert await at.submit("mara", {"f1.0": "Q4"}) == {}
        await at.until(call, "Q4")
        payload = next(one.payload for one in slack.deliveries if one.kind == "interaction")
        assert payload["actions"][0]["value"] == old["blocks"][-1]["elements"][0]["value"]
        stale = {**payload, "actions": [{**payload["actions"][0], "action_id": "call.send"}]}
        await slack.carrier.interaction(stale)
        assert "older than revision 2" in at.told("mara")
        assert (await at.office.now(call)).state == "parked"


async def test_a_click_that_could_not_be_recorded_asks_for_another(sqlite, slack):
    class Out:
        """A desk whose database is away."""

        def __init__(self, room):
            self.desk, self.outages = room.desk, 1

        async def decide(self, click: Click) -> Verdict:
            if self.outages:
                self.outages -= 1
                raise Unavailable
            return await self.desk.decide(click)

    async with counter(sqlite, slack, desk=Out) as at:
        call = await at.park()
        await at.press("mara", at.card(call))
        assert at.told("mara") == deciding.AGAIN
        assert await at.office.now(call) == call
        await at.press("mara", at.card(call))
        assert (await at.office.now(call)).state == "approved"


async def test_a_click_that_was_neither_recorded_nor_told_is_no_200(sqlite, slack):
    class Out:
        def __init__(self, room):
            pass

        async def decide(self, click: Click) -> Verdict:
            raise Unavailable

    async with counter(sqlite, slack, desk=Out) as at:
        call = await at.park()
        slack.fail("chat.postEphemeral", Fault(error="internal_error"))
        slack.world.hooks.clear()
        payload_hook = slack.world.hook
        slack.world.hook = lambda hook: slack.base + "/hooks/gone"
        assert (await at.press("mara", at.card(call))).status == 503
        slack.world.hook = payload_hook


async def test_who_cannot_be_told_beside_the_card_is_told_by_the_address_of_the_click(
    sqlite, slack
):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        slack.fail("chat.postEphemeral", Fault(error="internal_error"))
        await at.press("tomas", at.card(call))
        assert "decides about this" in at.told("tomas")


@pytest.mark.parametrize("word", ["invalid_blocks", "msg_too_long"])
async def test_a_change_that_slack_refuses_is_shown_in_words_and_nothing_is_sent_twice(
    sqlite, slack, word
):
    """Case 37."""
    async with counter(sqlite, slack) as at:
        call = await at.park({**MAIL, "body": "word " * 400})
        slack.fail("chat.update", Fault(error=word))
        await at.press("mara", at.card(call))
        await slack.wait_for(lambda: "being carried out" in at.card(call)["text"])
        plain = dict(at.card(call))
        assert plain.get("blocks", []) == []
        await at.office.carry_out()
        await slack.wait_for(lambda: "Sent." in at.card(call)["text"])
    assert len(at.office.box.sent) == 1


async def test_a_first_card_that_slack_refuses_says_where_to_decide(sqlite, slack):
    async with counter(sqlite, slack) as at:
        slack.fail("chat.postMessage", Fault(error="invalid_blocks"))
        call = await at.park()
        assert "`/approvals`" in at.card(call)["text"]
        assert at.card(call).get("blocks", []) == []


async def test_a_card_that_was_deleted_comes_again_and_is_changed_from_then_on(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        await slack.delete("sales", at.card(call)["ts"])
        await at.office.click(call, "edit", MARA, is_edit=True, values={"subject": "Q4"})
        await slack.wait_for(lambda: at.cards(call))
        await at.until(call, "Q4")
        await at.press("mara", at.card(call))
        await at.office.carry_out()
        await at.until(call, "Sent.")
    assert len(at.cards(call)) == 1


@pytest.mark.parametrize("drop", ["before", "after"])
async def test_a_card_whose_posting_was_cut_off_stands_once(sqlite, slack, drop):
    async with counter(sqlite, slack) as at:
        fault = Fault(drop=drop, error="lost" if drop == "before" else "")
        slack.fail("chat.postMessage", fault)
        call = await at.park()
        await at.press("mara", at.card(call))
        await at.office.carry_out()
        await at.until(call, "Sent.")
    assert len(at.cards(call)) == 1


BY_TWO = {"approve": "tool:mail/send", "by": ["person:U0TOMAS", "person:U0PRIYA"]}


async def test_approvers_get_a_copy_of_their_own_and_all_copies_change_together(sqlite, slack):
    """Case 43: nowhere else."""
    async with counter(sqlite, slack, BY_TWO) as at:
        call = await at.park()
        direct = {name: slack.direct(name) for name in ("tomas", "priya")}
        await slack.wait_for(lambda: all(slack.messages(one) for one in direct.values()))
        (copy,) = slack.messages(direct["tomas"])
        assert buttons_of(copy) == ["send", "edit", "cancel"]
        await at.press("tomas", copy)
        await at.office.carry_out()
        await at.until(call, "Sent.")
        for one in direct.values():
            await slack.wait_for(lambda one=one: "Sent." in text_of(slack.messages(one)[0]))
    shown = Count(call.args["channel"] for call in slack.calls("chat.postMessage"))
    assert shown == {"C0SALES": 1, direct["tomas"]: 1, direct["priya"]: 1}


async def test_after_a_crash_between_click_and_update_all_copies_are_right(sqlite, slack):
    async with counter(sqlite, slack, BY_TWO) as at:
        call = await at.park()
        await slack.wait_for(lambda: slack.messages(slack.direct("tomas")))
        await slack.wait_for(lambda: slack.messages(slack.direct("priya")))
        card = dict(at.card(call))
    # The courier is gone: the decision is recorded, and nobody brings the news.
    await at.office.click(call, "send", TOMAS)
    assert at.card(call) == card
    async with counter(sqlite, slack, BY_TWO) as again:
        await again.office.carry_out()
        await again.until(call, "Sent.")
        for name in ("tomas", "priya"):
            where = slack.direct(name)
            await slack.wait_for(lambda where=where: "Sent." in text_of(slack.messages(where)[0]))
            assert len(slack.messages(where)) == 1
    assert len(again.office.box.sent) == 1


async def test_an_unknown_outcome_is_said_and_can_be_settled_or_prepared_again(sqlite, slack):
    """Case 41."""
    async with counter(sqlite, slack) as at:
        call = await at.park()
        at.office.box.answers.append(Unknown(sentence="I did not hear back.", look_at="Sent Items"))
        await at.press("mara", at.card(call))
        await at.office.carry_out()
        shown = await at.until(call, "I did not hear back.")
        assert buttons_of(shown) == ["was_sent", "again"]
        await at.press("mara", shown, "was_sent")
        await at.until(call, "says that it was sent")
    assert len(at.office.box.sent) == 1


async def test_a_failed_call_is_tried_again_as_a_new_card(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        at.office.box.answers.append(Failed(reason="The mailbox is full."))
        await at.press("mara", at.card(call))
        await at.office.carry_out()
        await at.until(call, "The mailbox is full.")
        again = at.card(call)
        label = [one["text"]["text"] for one in again["blocks"][-1]["elements"]]
        assert label == ["Try again"]
        await at.press("mara", again, "again")
        await slack.wait_for(lambda: len(at.cards(call)) == 2)
        new = at.cards(call)[-1]
        assert buttons_of(new) == ["send", "edit", "cancel"]


async def test_connecting_is_offered_to_the_one_who_clicks_and_to_nobody_else(sqlite, slack):
    """Case 42."""
    async with counter(sqlite, slack) as at:
        at.office.box.needs = ("Mail.Send",)
        call = await at.park()
        assert buttons_of(at.card(call)) == ["connect", "edit", "cancel"]
        await at.press("tomas", at.card(call), "connect")
        await at.press("mara", at.card(call), "connect")
        assert await at.office.now(call) == call
        offer = slack.ephemerals("mara", "sales")[-1]
        assert (await slack.click("mara", offer, "link.connect")).status == 200
    (offer,) = slack.ephemerals("mara", "sales")
    assert offer["blocks"][-1]["elements"][0]["url"] == "https://connect.example/once"
    assert "connect.example" not in str(slack.ephemerals("tomas", "sales"))
    assert "connect.example" not in str(slack.messages("sales")) + str(at.cards(call))


@pytest.mark.parametrize("is_there", [True, False])
async def test_slacks_own_block_connects_where_the_workspace_has_it(sqlite, slack, is_there):
    async with counter(sqlite, slack, has_auth_provider=True) as at:
        at.office.box.needs = ("Mail.Send",)
        call = await at.park()
        if not is_there:
            slack.fail("chat.postEphemeral", Fault(error="invalid_blocks"))
        await at.press("mara", at.card(call), "connect")
        (offer,) = slack.ephemerals("mara", "sales")
        block = offer["blocks"][-1]
        if is_there:
            assert (block["type"], block["is_connected"]) == ("auth_provider", False)
            assert block["auth_url"] == "https://connect.example/once"
            (block,) = block["fallback"]
        assert block["elements"][0]["url"] == "https://connect.example/once"
    assert "connect.example" not in str(slack.ephemerals("tomas", "sales"))


async def test_a_button_carries_the_call_and_its_revision_and_nothing_else(sqlite, slack):
    """Case 39: no button that decides is an address to open."""
    async with counter(sqlite, slack) as at:
        call = await at.park()
        row = at.card(call)["blocks"][-1]["elements"]
    assert {one["value"] for one in row} == {f"{call.id}:1"}
    assert not [one for one in row if "url" in one]


async def test_who_clicked_is_taken_from_the_envelope_and_not_from_the_message(sqlite, slack):
    async with counter(sqlite, slack) as at:
        call = await at.park()
        await at.press("tomas", at.card(call))
        payload = at.clicked()
        forged = {**payload, "message": {**payload["message"], "user": "U0MARA"}}
        forged["actions"][0]["value"] += ":U0MARA"
        await slack.carrier.interaction(forged)
        assert await at.office.now(call) == call
        assert PRIYA.startswith(f"slack:{TEAM}/")
