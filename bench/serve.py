"""The bot with a scripted model as a process: `python -m bench.serve FOLDER [held]`.

It is Slack's, installed in ten workspaces, or Teams' where the environment names that. With `held`
questions are accepted and no turn is begun.
"""

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.scripted import Scripted
from bench.slack_side import SECRET, TOKEN, WORKSPACES
from bench.stand import KEYS, built
from bot import lifecycle
from bot.server import Server
from bot.wiring import Wired
from core.identity.installations import Installations
from core.identity.vault import KeyRing
from core.ports import Installation

MODEL_SECONDS = 0.1


async def main(folder: Path, *, is_held: bool) -> None:
    port = int(os.environ["COUNTERSIGN_PORT"])
    teams = {name: value for name, value in os.environ.items() if name.startswith("TEAMS_")}
    chat, workspaces = (teams, ()) if teams else (_slack(port), WORKSPACES)
    model = Scripted(seconds=MODEL_SECONDS)
    async with built(folder, model, slack=chat, workspaces=workspaces) as wired:
        await _install(wired, workspaces)
        standing = lifecycle.Standing()
        server = Server(wired, standing, host="127.0.0.1", port=port)
        parts = [part for part in wired.parts if not is_held or part.name != "lanes"]
        await lifecycle.run([*parts, server], standing)


def _slack(port: int) -> dict[str, str]:
    return {
        "SLACK_CLIENT_ID": "1.2",
        "SLACK_CLIENT_SECRET": "6" * 32,
        "SLACK_SIGNING_SECRET": SECRET,
        "SLACK_API_URL": os.environ["SLACK_API_URL"],
        "COUNTERSIGN_PUBLIC_URL": f"http://127.0.0.1:{port}",
    }


async def _install(wired: Wired, workspaces: Sequence[str]) -> None:
    """As the install page does it once an administrator has agreed."""
    kept = Installations(wired.rooms.db, KeyRing.parse(KEYS), time.time)
    for team in workspaces:
        await kept.keep(Installation(team=team, name=team, bot_token=TOKEN))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), is_held="held" in sys.argv))
