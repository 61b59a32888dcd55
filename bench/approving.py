"""A bot that mails on agreement, in a process of its own: \
`python -m bench.approving SUBJECT FOLDER PROVIDER SCENE`.

SCENE is `clicks` (a mail is asked for, two clicks at once, a late third), `once` (asked for, one
click) or `again` (after a restart, one click). Prints as JSON what the bot says of its mails.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from aiohttp import ClientSession

from bench.peers.mailing import opened


async def main(subject: str, folder: Path, provider: str, scene: str) -> None:
    async with ClientSession() as web:

        async def send(text: str) -> str:
            body = {"text": text, "process": os.getpid()}
            async with web.post(f"{provider}/send", json=body) as answer:
                return await answer.text()

        async with opened(subject, folder, send) as mail:
            if scene != "again":
                await mail.ask()
            await mail.settled()
            async with asyncio.TaskGroup() as group:
                for _ in range(2 if scene == "clicks" else 1):
                    group.create_task(mail.click())
            await mail.settled()
            if scene == "clicks":
                await mail.click()
                await mail.settled()
            print(json.dumps({"unknown": await mail.unknown()}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
