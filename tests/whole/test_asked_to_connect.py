"""A question that needs an account gets its person a private link at once, and nothing else."""

import json
import re
from pathlib import Path
from urllib.parse import unquote

import aiohttp
import pytest

from bot.workspace.microsoft.records import Fault
from bot.workspace.slack.records import Fault as SlackFault
from tests.fakes.model_script import call, calls, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION, text_of
from tests.whole.test_approval import follow

LINK = re.compile(r"http://127\.0\.0\.1:\d+/connect/start\?[^\s\"|>\\]+")
SEARCH = ("office_search_mail", {"query": "Q3"})


def links(bot: House, person: str, channel: str) -> list[str]:
    return LINK.findall(json.dumps(bot.slack.ephemerals(person, channel)))


def seen(bot: House, channel: str) -> str:
    """All that Mara reads of the bot."""
    posted = list(bot.slack.channel(channel).messages.values())
    return json.dumps([bot.slack.ephemerals("mara", channel), posted])


def told(models: ModelServer) -> list[str]:
    """What the model was told of the calls of its last round."""
    return [m["content"] for m in models.asked[-1].body["messages"] if m["role"] == "tool"]


@pytest.mark.parametrize("is_dm", [False, True])
async def test_the_person_is_shown_one_link_and_reads_with_it(tmp_path: Path, is_dm: bool) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        assert bot.bot.workspace is not None
        microsoft = bot.bot.workspace.microsoft
        where = bot.slack.direct("mara") if is_dm else "sales"
        models.script([calls(SEARCH, SEARCH), say("I asked you to connect your account.")])
        # A first direct message is greeted in its thread as well.
        said = await bot.ask(
            f"{MENTION} what did Priya write about Q3?", channel=where, answers=int(is_dm)
        )
        answer = said[-1]
        assert text_of(answer) == "I asked you to connect your account."
        [link], asked = links(bot, "mara", where), len(models.asked)
        for text in told(models):
            assert "private link to connect it just now. Nothing was read." in text
        assert all(link not in one.text for one in models.asked)
        assert links(bot, "tomas", where) == []
        [key] = re.findall(r"[?&]\w+=([\w-]{20,})", link)
        kept = [file.read_bytes() for file in (tmp_path / ".state").glob("*.db*")]
        assert kept and all(key.encode() not in content for content in kept)

        assert "You are signed in" in await follow(bot, link, "mara")
        await bot.slack.wait_for(lambda: "is connected. Nothing was sent" in seen(bot, where), 10)
        assert microsoft.graph.effects == [] and len(models.asked) == asked

        models.script([calls(SEARCH), say("She wrote this. [1]")])
        thread = answer["thread_ts"]
        so_far = len(bot.slack.replies(where, thread))
        await bot.ask(f"{MENTION} and now?", channel=where, thread_ts=thread, answers=so_far)
        [found] = told(models)
        assert "Error" not in found
        assert links(bot, "mara", where) == [link]


async def test_a_further_proof_that_a_source_asks_for_is_asked_of_the_person(
    tmp_path: Path,
) -> None:
    """The mailbox answers 401 with a claims challenge in the middle of a reading call."""
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        assert bot.bot.workspace is not None
        microsoft = bot.bot.workspace.microsoft
        models.script([calls(SEARCH), say("Connect first.")])
        await bot.ask(f"{MENTION} what did Priya write about Q3?")
        assert "You are signed in" in await follow(bot, links(bot, "mara", "sales")[0], "mara")

        wanted = '{"access_token":{"acrs":{"essential":true,"value":"c25"}}}'
        microsoft.graph.faults.add("GET /me/messages", *[Fault(claims=wanted)] * 2)
        models.script([calls(SEARCH, SEARCH), say("A further proof is needed.")])
        await bot.ask(f"{MENTION} and now?")
        for text in told(models):
            assert "further proof" in text and "private link" in text and "c25" not in text
        _, link = links(bot, "mara", "sales")
        assert links(bot, "tomas", "sales") == []
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            async with browser.get(link, allow_redirects=False) as response:
                onward = response.headers["Location"]
            assert "c25" in unquote(onward)
            async with browser.get(microsoft.sign_in(onward, "mara").url) as response:
                assert "You are signed in" in await response.text()

        models.script([calls(SEARCH), say("She wrote this. [1]")])
        await bot.ask(f"{MENTION} and now?")
        [found] = told(models)
        assert "Error" not in found


async def test_a_sign_in_that_a_source_no_longer_takes_is_asked_for_again(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        assert bot.bot.workspace is not None
        models.script([calls(SEARCH), say("Connect first.")])
        await bot.ask(f"{MENTION} what did Priya write about Q3?")
        assert "You are signed in" in await follow(bot, links(bot, "mara", "sales")[0], "mara")

        bot.bot.workspace.microsoft.graph.faults.add("GET /me/messages", Fault(status=401))
        models.script([calls(SEARCH), say("It is needed again.")])
        await bot.ask(f"{MENTION} and now?")
        [text] = told(models)
        assert "no longer takes this sign-in" in text and "private link" in text
        assert len(links(bot, "mara", "sales")) == 2


async def test_a_writing_tool_that_looks_something_up_gets_its_person_the_link_too(
    tmp_path: Path,
) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        cancel = call("office_cancel_event", event_id="AAMkAGI", comment="No.")
        models.script([cancel, say("I asked you to connect your account.")])
        await bot.ask(f"{MENTION} cancel the Badger Trail launch")
        [text] = told(models)
        assert "private link to connect it just now." in text
        [link] = links(bot, "mara", "sales")
        assert "You are signed in" in await follow(bot, link, "mara")
        assert await bot.bot.rooms.db.fetch("SELECT id FROM parked") == []


async def test_who_cannot_be_shown_the_link_is_told_in_the_answer(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.script([say("Good.")])
        await bot.ask(f"{MENTION} how was the quarter?")
        await bot.slack.wait_for(lambda: bot.slack.ephemerals("mara", "sales"), 10)
        bot.slack.fail("chat.postEphemeral", SlackFault(error="user_not_in_channel"))
        bot.slack.fail("conversations.open", SlackFault(error="user_disabled"))
        models.script(
            [call("office_list_events", start="2026-12-01", end="2026-12-02"), say("No.")]
        )
        await bot.ask(f"{MENTION} am I free tomorrow?")
        [text] = told(models)
        assert "Tell them to write `connect` to you" in text
        assert links(bot, "mara", "sales") == []
