"""What is posted may be fetched by anybody's link preview: no address of ours decides anything."""

import json
import re
from pathlib import Path

import aiohttp

from core.storage import parked
from tests.fakes.model_script import calls, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION, turn_ids
from tests.whole.test_approval import buttons, cards

ADDRESS = re.compile(r"https?://[^\s\"|<>\\)]+")
MAIL = ("office_send_mail", {"to": ["priya@larkspur.example"], "subject": "Q3", "body": "Up."})


def posted(bot: House) -> set[str]:
    """Every address in whatever was said to Slack, also to one person alone."""
    world = bot.slack.world
    said = [call.args for call in world.calls]
    return set(ADDRESS.findall(json.dumps(said, default=str)))


async def test_fetching_every_address_that_was_posted_approves_and_connects_nothing(
    tmp_path: Path,
) -> None:
    """Peers' case 26."""
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        assert bot.bot.workspace is not None
        models.script(
            [calls(MAIL, ("office_search_mail", {"query": "Q3"})), say("#1 waits. Connect first.")]
        )
        [first, *_] = await bot.ask(f"{MENTION} mail the Q3 to Priya")
        ts = first["thread_ts"]
        [card] = await bot.slack.wait_for(lambda: cards(bot, ts), 10)
        assert "connect" in buttons(card)
        await bot.slack.click("mara", card, "call.connect")
        await bot.slack.settled()
        ours = {one for one in posted(bot) if one.startswith(bot.address)}
        # Both links: the one for reading, and that of the card.
        assert len(ours) == 2
        async with aiohttp.ClientSession() as preview:
            for address in ours:
                for method in ("HEAD", "GET"):
                    async with preview.request(method, address) as response:
                        await response.read()
        db = bot.bot.rooms.db
        [turn] = await turn_ids(bot)
        [call] = await parked.of_turn(db, turn)
        assert (call.state, call.agreed, call.moves) == ("parked", (), 0)
        for table in ("decisions", "links", "tokens"):
            assert await db.fetch(f"SELECT * FROM {table}") == []  # pyright: ignore[reportArgumentType]
        assert bot.bot.workspace.microsoft.graph.effects == []
