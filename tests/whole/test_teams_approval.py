"""The way of a click in Teams, whole: a parked mail, a private sign-in, Edit, Send, sent once."""

import asyncio
import json
import re
from typing import Any

from bot.workspace.teams_server import actions, cards
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.sides import MENTION
from tests.whole.test_approval import follow

MAIL = {"to": ["priya@larkspur.example"], "subject": "Q3 summary", "body": "Nordics lead."}


def card_of(bot: House, place: str, root: str | None = None) -> dict[str, Any] | None:
    found = [one for one in bot.teams.by_bot(place, root) if cards(one)]
    return found[0] if found else None


def titles(message: dict[str, Any]) -> list[str]:
    return [str(action.get("title")) for action in actions(cards(message)[0])]


def words(card: Any) -> str:
    return json.dumps(card, ensure_ascii=False)


async def with_button(bot: House, place: str, title: str, root: str | None = None):
    def look():
        found = card_of(bot, place, root)
        return found if found and title in titles(found) else None

    return await bot.teams.wait_for(look, 15)


async def test_a_mail_is_edited_and_sent_once_and_only_by_the_one_whose_it_is(tmp_path) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.script([call("office_send_mail", **MAIL), say("It waits for you as #1.")])
        async with house(tmp_path, models=models, side="teams") as bot:
            assert bot.bot.workspace is not None
            microsoft, teams = bot.bot.workspace.microsoft, bot.teams
            root = await bot.side.say("mara", "sales", f"{MENTION} mail the Q3 summary to Priya")

            card = await with_button(bot, "sales", "Connect account", root)
            for part in ("priya@larkspur.example", "Q3 summary", "Nordics lead."):
                assert part in words(card)
            assert "Send" not in titles(card) and microsoft.effects("mail.sent") == []

            # The link goes to the one person, in their own chat, and nowhere else.
            told = await teams.click("mara", "sales", card["id"], "Connect account")
            assert told["http"] == 200 and "own chat" in told["value"]
            private = await teams.wait_for(lambda: link_in(teams.by_bot("@mara")), 10)
            assert link_in(teams.by_bot("sales")) is None
            assert link_in(teams.by_bot("@tomas")) is None
            assert "You are signed in" in await follow(bot, private, "mara")
            assert microsoft.effects("mail.sent") == []

            card = await with_button(bot, "sales", "Send", root)
            # A colleague's click changes nothing, and they are told so.
            refused = await teams.click("tomas", "sales", card["id"], "Send")
            assert refused["http"] == 200 and isinstance(refused["value"], str)
            assert microsoft.effects("mail.sent") == []

            # Edit: the inputs come in the card, for the one who asked for them.
            form = await teams.click("mara", "sales", card["id"], "Edit")
            assert form["type"] == "application/vnd.microsoft.card.adaptive"
            key = next(k for k, v in inputs(form["value"]).items() if v == "Nordics lead.")
            typed = {**inputs(form["value"]), key: "Nordics lead by far."}
            saved = await teams.click(
                "mara", "sales", card["id"], "Save", typed, card=form["value"]
            )
            assert saved["http"] == 200
            stale = cards(card)[0]
            edited = await teams.wait_for(
                lambda: (
                    now
                    if (now := card_of(bot, "sales", root)) and "by far" in words(cards(now))
                    else None
                ),
                10,
            )
            assert edited["id"] == card["id"], "the card is replaced where it stands"
            late = await teams.click("mara", "sales", card["id"], "Send", card=stale)
            assert late["http"] == 200 and microsoft.effects("mail.sent") == []

            async with asyncio.TaskGroup() as group:
                for _ in range(5):
                    group.create_task(teams.click("mara", "sales", card["id"], "Send"))
            await teams.wait_for(lambda: microsoft.effects("mail.sent") or None, 10)
            done = await teams.wait_for(
                lambda: (
                    now
                    if (now := card_of(bot, "sales", root)) and "Send" not in titles(now)
                    else None
                ),
                10,
            )
            await bot.settled()
            assert "✓" in words(cards(done)) or "▸" in words(cards(done))
            assert len(microsoft.effects("mail.sent")) == 1
            [mail] = [m for m in microsoft.mails("priya") if m["subject"] == "Q3 summary"]
            assert "by far" in json.dumps(mail)


def link_in(messages: list[dict[str, Any]]) -> str | None:
    found = re.search(r"http://127\.0\.0\.1:\d+/connect/start\?[^\s\"|>\\]+", json.dumps(messages))
    return found.group() if found else None


def inputs(value: Any) -> dict[str, Any]:
    """What a client sends back for inputs that nobody touched."""
    if isinstance(value, list):
        return {k: v for one in value for k, v in inputs(one).items()}
    if not isinstance(value, dict):
        return {}
    own = {value["id"]: value.get("value")} if str(value.get("type")).startswith("Input.") else {}
    return own | {k: v for one in value.values() for k, v in inputs(one).items()}
