"""The way of a click, whole: a parked mail, a private sign-in, Send, and the mail has gone once."""

import asyncio
import json
import re
from typing import Any

import aiohttp

from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION, text_of


def cards(bot: House, ts: str) -> list[dict[str, Any]]:
    """The thread's messages that carry a card's buttons or what came of it."""
    return [m for m in bot.slack.replies("sales", ts) if "#1" in json.dumps(m["blocks"])]


def buttons(message: dict[str, Any]) -> list[str]:
    return re.findall(r"call\.(\w+)", json.dumps(message["blocks"]))


async def follow(bot: House, address: str, person: str) -> str:
    """Open the private link in a browser and sign in as this person; the last page."""
    assert bot.bot.workspace is not None
    microsoft = bot.bot.workspace.microsoft
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
        async with browser.get(address, allow_redirects=False) as response:
            page, onward = await response.text(), response.headers.get("Location", "")
        if not onward:
            raise AssertionError(page)
        sent = microsoft.sign_in(onward, person)
        async with browser.get(sent.url) as response:
            return await response.text()


async def test_a_mail_waits_for_an_account_and_a_click_and_goes_out_once(tmp_path) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.script(
            [
                call(
                    "office_send_mail",
                    to=["priya@larkspur.example"],
                    subject="Q3 summary",
                    body="Nordics lead.",
                ),
                say("It waits for you as #1."),
            ]
        )
        async with house(tmp_path, models=models) as bot:
            assert bot.bot.workspace is not None
            microsoft = bot.bot.workspace.microsoft
            answers = await bot.ask(f"{MENTION} mail the Q3 summary to Priya")
            ts = answers[0]["thread_ts"]
            [card] = await bot.slack.wait_for(lambda: cards(bot, ts), 10)
            shown = json.dumps(card["blocks"], ensure_ascii=False)
            for part in ("priya@larkspur.example", "Q3 summary", "Nordics lead."):
                assert part in shown
            said = await bot.answers("sales", ts, 2)
            assert any("waits for you" in text_of(message) for message in said)
            assert microsoft.effects("mail.sent") == []

            # Without an account, the card asks for one first; connecting sends nothing.
            assert "send" not in buttons(card)
            await bot.slack.click("mara", card, "call.connect")
            link = await bot.slack.wait_for(
                lambda: re.search(
                    r"http://127\.0\.0\.1:\d+/connect/start\?[^\s\"|>\\]+",
                    json.dumps(bot.slack.ephemerals("mara", "sales")),
                ),
                10,
            )
            page = await follow(bot, link.group(), "mara")
            assert "You are signed in" in page
            assert microsoft.effects("mail.sent") == []

            waiting = await bot.slack.wait_for(
                lambda: next((m for m in cards(bot, ts) if "send" in buttons(m)), None), 10
            )
            # A colleague's click changes nothing, and they are told so.
            await bot.slack.click("tomas", waiting, "call.send")
            await bot.slack.wait_for(lambda: bot.slack.ephemerals("tomas", "sales"), 10)
            assert microsoft.effects("mail.sent") == []

            async with asyncio.TaskGroup() as group:
                for _ in range(5):
                    group.create_task(bot.slack.click("mara", waiting, "call.send"))
            await bot.slack.wait_for(lambda: microsoft.effects("mail.sent"), 10)
            await bot.slack.wait_for(lambda: buttons(cards(bot, ts)[0]) == [], 10)
            await bot.slack.settled()

            assert len(microsoft.effects("mail.sent")) == 1
            [mail] = [m for m in microsoft.mails("priya") if m["subject"] == "Q3 summary"]
            assert "Nordics lead." in json.dumps(mail)
