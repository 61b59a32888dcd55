"""Asks and clicks in a real Teams client: `python -m tests.acceptance`.

Bot and client are processes of their own on this machine; each step is a line, with a picture in
`tests/shots`. Without Node, the client or a Chromium it says so and is skipped.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from bot.workspace.microsoft.seed import ACCOUNTS
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from tests.acceptance import playground, steps
from tests.acceptance.playground import Absent
from tests.browser import chromium, launched
from tests.fakes.mcp_modern import free_port
from tests.whole.process import running

APP = "5c1a7b60-2f1e-4a52-9d0f-7d9f6a1e4c11"


def people() -> tuple[str, playground.Person, list[playground.Person]]:
    """The tenant of the workspace's Microsoft, Mara, and five others, most of whom it knows."""
    stand_in = MicrosoftStandIn(is_planted=False)
    known = {
        one.name: playground.Person(one.display_name, one.oid, one.upn)
        for one in ACCOUNTS
        if not one.is_shared_mailbox
    }
    me = known.pop("mara")
    others = list(known.values())[:5]
    while len(others) < 5:
        number = len(others)
        oid = f"00000000-0000-4000-8000-{number:012d}"
        others.append(playground.Person(f"Guest Number{number}", oid, f"guest{number}@x.example"))
    return stand_in.tenant.id, me, others


async def main() -> int:
    try:
        if not chromium():
            raise Absent("there is no Chromium on this machine")
        command = await asyncio.to_thread(playground.installed)
    except Absent as reason:
        print(f"SKIPPED: no acceptance in a real Teams client, because {reason}.")
        return 0
    port, listens = free_port(), free_port()
    tenant, me, others = people()
    environment = {
        "COUNTERSIGN_PORT": str(listens),
        "COUNTERSIGN_WORKSPACE_PORT": str(free_port()),
        "TEAMS_APP_ID": APP,
        "TEAMS_TENANT_ID": tenant,
        "TEAMS_AUTHENTICATION": "off",
        "TEAMS_SERVICE_ORIGINS": f"http://127.0.0.1:{port},http://localhost:{port}",
    }
    with tempfile.TemporaryDirectory() as folder:
        async with (
            running(Path(folder), "--workspace", environment=environment) as bot,
            playground.running(
                command,
                port,
                f"{bot.bot}/api/messages",
                playground.config(tenant, me, others),
            ) as page,
            launched() as browser,
        ):
            failed = await steps.walk(browser, page)
            if failed:
                print("\n".join(bot.log[-30:]), file=sys.stderr)
    print(f"{failed} of {steps.COUNT} steps failed." if failed else "Every step holds.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
