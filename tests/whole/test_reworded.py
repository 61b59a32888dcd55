"""A question that its person rewrites is asked anew while it is not answered, and stands after."""

from pathlib import Path

from core.records import TurnId
from core.storage import parked
from tests.fakes.model_script import hang, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION
from tests.whole.test_taken_back import MAIL


async def rows(bot: House) -> list[tuple[str, str]]:
    found = await bot.bot.rooms.db.fetch("SELECT id, state FROM inbox ORDER BY seq")
    return [(row["id"], row["state"]) for row in found]


async def test_case_25_an_edit_while_the_turn_runs_restarts_it_once(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.script([MAIL, hang()])
        ts = await bot.slack.say("mara", "sales", f"{MENTION} mail the Q3 to Priya")
        await models.has_stalled.wait()
        models.script([say("Tomás it is.")])
        await bot.slack.edit("sales", ts, f"{MENTION} mail the Q3 to Tomás")
        await bot.slack.settled()
        [first, second] = await rows(bot)
        assert first[1] == "refused" and second[1] in ("new", "running", "done")
        [voided] = await parked.of_turn(bot.bot.rooms.db, TurnId(first[0]))
        assert (voided.state, voided.outcome) == (
            "void",
            "The question was changed. Nothing was sent.",
        )
        said = await bot.slack.wait_for(
            lambda: [m for m in bot.slack.replies("sales", ts) if "Tomás it is." in str(m)]
        )
        # Slack tells of the same edit again, and of a preview that the message got.
        edits = [d for d in bot.slack.deliveries if "message_changed" in str(d.payload)]
        for _ in range(2):
            assert (await bot.slack.deliver(edits[-1].payload, retry=1)).status == 200
        assert len(await rows(bot)) == 2 and len(said) == 1
        chats = [one for one in models.asked if one.route != "embeddings"]
        asked = [one for one in chats if "to Tomás" in one.text]
        assert len(asked) == 1 and "to Priya" not in asked[0].text


async def test_a_thread_that_waits_for_a_click_is_suspended_until_it_is_decided(
    tmp_path: Path,
) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.script([MAIL, say("It waits as #1.")])
        [first, *_] = await bot.ask(f"{MENTION} mail the Q3 to Priya")
        ts = first["thread_ts"]
        await bot.answers("sales", ts, 2)
        sessions = bot.slack.world.sessions

        def status() -> str:
            return sessions.get(("C0SALES", ts), {}).get("status", "")

        await bot.slack.wait_for(lambda: status() == "suspended", 10)
        await bot.slack.delete("sales", ts)
        await bot.slack.wait_for(lambda: status() == "active", 10)


async def test_case_25_an_edit_of_an_answered_question_changes_nothing(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.script([say("Four.")])
        [answer, *_] = await bot.ask(f"{MENTION} how many?")
        await bot.slack.edit("sales", answer["thread_ts"], f"{MENTION} how many bikes?")
        await bot.slack.settled()
        assert len(await rows(bot)) == 1


async def test_case_25_an_edit_that_adds_the_mention_starts_one_turn(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.script([say("Four.")])
        ts = await bot.slack.say("mara", "sales", "how many?")
        await bot.slack.edit("sales", ts, f"{MENTION} how many?")
        await bot.answers("sales", ts)
        await bot.slack.settled()
        assert len(await rows(bot)) == 1


async def test_a_reworded_question_that_is_deleted_takes_all_of_it_along(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.script([hang()])
        ts = await bot.slack.say("mara", "sales", f"{MENTION} mail the Q3 to Priya")
        await models.has_stalled.wait()
        models.script([MAIL, hang()])
        models.has_stalled.clear()
        await bot.slack.edit("sales", ts, f"{MENTION} mail the Q3 to Tomás")
        await models.has_stalled.wait()
        await bot.slack.delete("sales", ts)
        await bot.slack.settled()
        found = await rows(bot)
        assert [state for _, state in found] == ["refused", "refused"]
        [call] = await parked.of_turn(bot.bot.rooms.db, TurnId(found[1][0]))
        assert call.state == "void" and bot.bot.lanes.running == 0
