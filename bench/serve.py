"""The bot with a scripted model as a process: `python -m bench.serve FOLDER [held]`.

With `held` questions are accepted and no turn is begun.
"""

import asyncio
import os
import sys
from pathlib import Path

from bench.scripted import Scripted
from bench.stand import built
from bot import lifecycle
from bot.server import Server

MODEL_SECONDS = 0.1


async def main(folder: Path, *, is_held: bool) -> None:
    chat = {
        name: value for name, value in os.environ.items() if name.startswith(("SLACK_", "TEAMS_"))
    }
    async with built(folder, Scripted(seconds=MODEL_SECONDS), slack=chat) as wired:
        standing = lifecycle.Standing()
        port = int(os.environ["COUNTERSIGN_PORT"])
        server = Server(wired, standing, host="127.0.0.1", port=port)
        parts = [part for part in wired.parts if not is_held or part.name != "lanes"]
        await lifecycle.run([*parts, server], standing)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), is_held="held" in sys.argv))
