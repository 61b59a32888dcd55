"""What a start does not wait for."""

import subprocess
import sys

SAID = """
import sys
import bot.wiring, adapters.teams.app
print(sorted({name.partition(".")[0] for name in sys.modules} & {"botbuilder", "msrest"}))
"""


def test_the_bot_framework_is_not_loaded_by_a_start():
    ended = subprocess.run(
        [sys.executable, "-c", SAID], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.strip() == "[]"


async def test_a_question_is_acknowledged_before_the_library_is_there(bot, teams):
    await teams.say("mara", "sales", "hello")
    await teams.wait_for(lambda: bot.door.questions or None)
    assert bot.adapter.connector._clients == {}
