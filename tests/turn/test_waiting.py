"""Turns whose calls wait for a person: the round goes on, and later turns know what came of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp.server.mcpserver import MCPServer

from core.approvals.desk import Desk
from core.parked import Click, ParkedCall
from core.records import PersonId
from core.specialists.server import tags
from core.storage import outbox, parked
from tests.fakes.mcp_modern import modern_server
from tests.fakes.model_script import calls, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION, chat, text_of, turn_ids


class Crm:
    """A foreign server whose one tool needs an approval."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def server(self) -> MCPServer:
        server = MCPServer("crm", log_level="ERROR")

        def create_lead(name: str) -> str:
            """Create a lead."""
            self.made.append(name)
            return f"Lead {name} created."

        asks = tags("requires_approval")
        server.add_tool(create_lead, meta=asks, structured_output=False)
        return server


@asynccontextmanager
async def office(folder: Path, models: ModelServer, crm: Crm) -> AsyncIterator[House]:
    async with modern_server(crm.server()) as url:
        yaml = f"servers: {{crm: {{url: '{url}', accept: first}}}}\n"
        async with house(folder, models=models, yaml=yaml) as bot:
            yield bot


async def approve(bot: House, call: ParkedCall, person: PersonId) -> None:
    approvals = bot.bot.rooms.approvals
    assert approvals is not None
    click = Click(
        delivery="d", person=person, place="", call=call.id, revision=call.revision, button="send"
    )
    assert (await Desk(approvals).decide(click)).kind == "recorded"


async def until_ended(bot: House, call: ParkedCall) -> None:
    while True:
        found = await parked.read(bot.bot.rooms.db, call.id)
        assert found is not None
        if found.state not in ("parked", "approved", "executing"):
            return
        await bot.bot.rooms.db.wait(outbox.channel("nothing"), 0.05)


async def test_the_round_goes_on_and_nothing_is_carried_out_before_a_click(
    tmp_path: Path, models: ModelServer
) -> None:
    """Peers' case 21."""
    crm = Crm()
    models.script(
        [
            calls(
                ("crm_create_lead", {"name": "Acme"}),
                ("sample_list_products", {}),
                ("crm_create_lead", {"name": "Bolt"}),
            ),
            say("#1 and #2 wait for you."),
        ]
    )
    async with office(tmp_path, models, crm) as bot:
        ts = await bot.slack.say("mara", "sales", f"{MENTION} create leads for Acme and Bolt")
        await said(bot, ts, "wait for you")
        [turn] = await turn_ids(bot)
        waiting = await parked.of_turn(bot.bot.rooms.db, turn)
    assert crm.made == []
    # Side by side: which of the two is #1 is nobody's to say.
    assert sorted(call.arguments["name"] for call in waiting) == ["Acme", "Bolt"]
    told = [m["content"] for m in chat(models)[1].messages if m["role"] == "tool"]
    assert [text.startswith("Parked as #") for text in told] == [True, False, True]
    # One call of the model for the round, one for the answer, none for a click.
    assert len(chat(models)) == 2


async def test_later_turns_know_what_came_of_it_and_carry_nothing_out_again(
    tmp_path: Path, models: ModelServer
) -> None:
    """Peers' cases 19 and 25."""
    crm = Crm()
    models.script(
        [
            calls(("crm_create_lead", {"name": "Acme"})),
            say("#1 waits for you."),
            *(say(f"Small talk {n}.") for n in range(3)),
        ]
    )
    async with office(tmp_path, models, crm) as bot:
        ts = await bot.slack.say("mara", "sales", f"{MENTION} create a lead for Acme")
        await said(bot, ts, "waits for you")
        [turn] = await turn_ids(bot)
        [call] = await parked.of_turn(bot.bot.rooms.db, turn)
        await bot.slack.say("mara", "sales", f"{MENTION} is it done?", thread_ts=ts)
        await said(bot, ts, "Small talk 0.")
        await approve(bot, call, call.requester)
        await until_ended(bot, call)
        for n in (1, 2):
            await bot.slack.say("mara", "sales", f"{MENTION} did it go out?", thread_ts=ts)
            await said(bot, ts, f"Small talk {n}.")
    assert crm.made == ["Acme"]
    waiting, ended = chat(models)[2].text, chat(models)[3].text
    assert "#1 crm/create_lead (name: Acme): waits for a decision; it has NOT happened" in waiting
    assert "#1 crm/create_lead (name: Acme): HAS happened" in ended
    assert "Lead Acme created." in ended
    # A thread with a call that waits is answered like any other.
    assert len(chat(models)) == 5


async def said(bot: House, ts: str, text: str) -> None:
    def found() -> bool | None:
        messages = [m for m in bot.slack.replies("sales", ts) if m.get("bot_id")]
        return any(text in text_of(m) for m in messages if "blocks" in m) or None

    await bot.slack.wait_for(found, 20.0)
