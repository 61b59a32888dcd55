"""Microsoft takes the sign-in no longer at the moment of the click: the card stays, and asks."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.workspace.microsoft.entra import failures
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.turn.reading import MENTION
from tests.whole.test_approval import follow
from tests.whole.test_graph_fails import calls_of, card, connect

LINK = re.compile(r"http://127\.0\.0\.1:\d+/connect/start\?[^\s\"|>\\]+")
MAIL = call("office_send_mail", to=["priya@larkspur.example"], subject="Q3", body="Nordics lead.")


def revoked(ms: MicrosoftStandIn) -> None:
    ms.revoke("mara")


def asked_for_more(ms: MicrosoftStandIn) -> None:
    ms.entra.conditions[ms.person("mara").oid] = failures.MFA


def barred(ms: MicrosoftStandIn) -> None:
    ms.entra.conditions[ms.person("mara").oid] = failures.BLOCKED


def withdrawn(ms: MicrosoftStandIn) -> None:
    ms.entra.consents.withdraw(ms.person("mara"))


@pytest.mark.parametrize("happens", [revoked, asked_for_more, barred, withdrawn])
async def test_the_card_stays_parked_until_its_person_has_connected_again(
    tmp_path: Path, happens: Callable[[MicrosoftStandIn], None]
) -> None:
    """Case 42, with Entra's own refusals."""
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        assert bot.bot.workspace is not None
        microsoft = bot.bot.workspace.microsoft
        await connect(bot, "Mail.Send")
        models.script([MAIL, say("It waits as #1.")])
        [first, *_] = await bot.ask(f"{MENTION} mail the Q3 to Priya")
        ts = first["thread_ts"]
        waiting = await card(bot, ts, 1, "send", "edit", "cancel")

        happens(microsoft)
        await bot.slack.click("mara", waiting, "call.send")
        asking = await card(bot, ts, 1, "connect", "edit", "cancel")
        assert "Connect again" in json.dumps(asking["blocks"])
        [one] = await calls_of(bot)
        assert (one.state, one.agreed) == ("parked", ())

        # Somebody in charge lets her in again; the others are met by her own sign-in.
        microsoft.entra.conditions = {
            who: what
            for who, what in microsoft.entra.conditions.items()
            if what is not failures.BLOCKED
        }
        await bot.slack.click("mara", asking, "call.connect")
        link = await bot.slack.wait_for(
            lambda: LINK.search(json.dumps(bot.slack.ephemerals("mara", "sales"))), 10
        )
        assert "You are signed in" in await follow(bot, link.group(), "mara")
        again = await card(bot, ts, 1, "send", "edit", "cancel")
        assert microsoft.effects("mail.sent") == []

        await bot.slack.click("mara", again, "call.send")
        await card(bot, ts, 1, says="to priya@larkspur.example.")
        assert len(microsoft.effects("mail.sent")) == 1
