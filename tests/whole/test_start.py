"""What the first click would wait for is loaded while nobody waits yet."""

import re
from pathlib import Path

from tests.capabilities.bridge import until
from tests.whole.process import running

NOTES_IMPORTS = {"PYTHONPROFILEIMPORTTIME": "1"}
"""Python writes a line for each module that it loads."""


def at(log: list[str], pattern: str) -> int:
    return next(number for number, line in enumerate(log) if re.search(pattern, line))


async def test_graph_and_the_sign_in_are_loaded_once_questions_are_accepted(tmp_path: Path) -> None:
    environment = {"COUNTERSIGN_WORKSPACE_PORT": "0", **NOTES_IMPORTS}
    async with running(tmp_path, "--workspace", environment=environment) as bot:

        async def is_up() -> bool:
            return any('"office.loaded"' in line for line in bot.log)

        await until(is_up)
        is_open, is_loaded = at(bot.log, '"server.listening"'), at(bot.log, '"office.loaded"')
        for library in ("msgraph", "msal"):
            assert is_open < at(bot.log, rf"\| +{library}\.") < is_loaded
        assert await bot.stop() == 0
