"""Microsoft breaks at the moment of the click: the card says so, and nothing is taken for sent."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.workspace.microsoft.records import Fault
from core.parked import ParkedCall
from core.records import PersonId
from core.storage import parked
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION, turn_ids
from tests.whole.test_approval import buttons, follow

MAIL = call("office_send_mail", to=["priya@larkspur.example"], subject="Q3", body="Nordics lead.")


async def connect(bot: House, *scopes: str) -> None:
    approvals, slack = bot.bot.rooms.approvals, bot.slack
    assert approvals is not None and approvals.accounts is not None
    person = PersonId(f"slack:{slack.world.team.id}/{slack.member('mara').id}")
    where = {
        "team": slack.world.team.id,
        "channel": slack.direct("mara"),
        "thread_ts": "",
        "message_ts": "",
        "user": slack.member("mara").id,
        "is_dm": "true",
    }
    link = (await approvals.accounts.offer(person, scopes, where)).url
    assert "You are signed in" in await follow(bot, link, "mara")


async def card(bot: House, ts: str, number: int, *shown: str, says: str = "") -> dict[str, Any]:
    """The card of that number, once it has exactly these buttons and says this."""

    def found() -> dict[str, Any] | None:
        for message in bot.slack.replies("sales", ts):
            text = json.dumps(message["blocks"])
            if f"#{number} " in text and says in text and buttons(message) == list(shown):
                return message
        return None

    return await bot.slack.wait_for(found, 20)


async def calls_of(bot: House) -> list[ParkedCall]:
    [turn] = await turn_ids(bot)
    return await parked.of_turn(bot.bot.rooms.db, turn)


@pytest.mark.parametrize(
    ("scopes", "breaks", "state", "said", "offered"),
    [
        # Asked to send at once, it may have done so before it broke.
        (["Mail.Send"], "POST /me/sendMail", "unknown", "Sent Items", ["was_sent", "again"]),
        # A draft that was not made was certainly not sent.
        (["Mail.ReadWrite"], "POST /me/messages", "failed", "Nothing was sent", ["again"]),
    ],
)
async def test_a_click_that_microsoft_breaks_on_is_not_used_up(
    tmp_path: Path, scopes: list[str], breaks: str, state: str, said: str, offered: list[str]
) -> None:
    """Peers' case 23."""
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        assert bot.bot.workspace is not None
        microsoft = bot.bot.workspace.microsoft
        await connect(bot, "Mail.Send", *scopes)
        models.script([MAIL, say("It waits as #1.")])
        [first, *_] = await bot.ask(f"{MENTION} mail the Q3 to Priya")
        ts = first["thread_ts"]
        waiting = await card(bot, ts, 1, "send", "edit", "cancel")

        microsoft.graph.faults.add(breaks, Fault(status=500))
        await bot.slack.click("mara", waiting, "call.send")
        broken = await card(bot, ts, 1, *offered, says=said)
        [one] = await calls_of(bot)
        assert one.state == state
        assert microsoft.effects("mail.sent") == []

        await bot.slack.click("mara", broken, "call.again")
        again = await card(bot, ts, 2, "send", "edit", "cancel")
        assert microsoft.effects("mail.sent") == []
        await bot.slack.click("mara", again, "call.send")
        await card(bot, ts, 2, says="to priya@larkspur.example.")
        old, new = await calls_of(bot)
        assert (old.state, new.state) == ("void", "done")
        assert len(microsoft.effects("mail.sent")) == 1
