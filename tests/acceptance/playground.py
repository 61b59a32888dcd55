"""Microsoft 365 Agents Playground as a process: a real Teams client, fetched by npm on demand.

Its terms are those of a preview: it is installed into a folder that is never committed, and driven
through its page alone.
"""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import aiohttp

FOLDER = Path(__file__).parents[2] / ".playground"
PACKAGE = "@microsoft/m365agentsplayground"
VERSION = "0.2.28"
INSTALL_SECONDS = 300
UP_SECONDS = 90
CONFIG = ".m365agentsplayground.yml"


class Person(NamedTuple):
    name: str
    oid: str
    mail: str


class Absent(Exception):
    """It cannot be had on this machine; the message says why."""


def installed() -> Path:
    """Its command, fetched unless it is there. Raises `Absent`."""
    command = FOLDER / "node_modules" / PACKAGE / "cli.js"
    if command.is_file():
        return command
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Absent("there is no Node on this machine (20 or newer, with npm)")
    FOLDER.mkdir(exist_ok=True)
    words = ["install", "--prefix", str(FOLDER), "--no-save", "--ignore-scripts"]
    words += ["--no-audit", "--no-fund", f"{PACKAGE}@{VERSION}"]
    try:
        ended = subprocess.run(
            [npm, *words], capture_output=True, text=True, check=False, timeout=INSTALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise Absent("npm did not fetch the Playground in time") from None
    if ended.returncode or not command.is_file():
        last = (ended.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise Absent(f"npm cannot fetch the Playground: {last}")
    return command


def config(tenant: str, me: Person, others: Sequence[Person]) -> str:
    """Who is in it, and in which tenant; `me` sits before its page. It wants five others."""
    lines = ['version: "0.1.1"', f"tenantId: {tenant}", "bot:", "  id: bot", "  name: Countersign"]
    lines += ["currentUser:", *_person(me, "  "), "users:"]
    for one in others:
        first, *rest = _person(one, "    ")
        lines += [f"  - {first.strip()}", *rest]
    lines += ["personalChat:", "  id: personal-chat", "groupChat:", "  id: group-chat"]
    lines += ["  name: Group Chat", "team:", "  id: team", "  name: My Team"]
    lines += [f"  aadGroupId: {tenant}", "  channels:", "    - id: news", "      name: News"]
    return "\n".join(lines) + "\n"


def _person(one: Person, indent: str) -> list[str]:
    given, _, family = one.name.partition(" ")
    said = {
        "id": f"user-{one.oid}",
        "name": one.name,
        # Spelled so there.
        "userPrincipleName": one.mail,
        "aadObjectId": one.oid,
        "givenName": given,
        "surname": family,
        "email": one.mail,
    }
    return [f"{indent}{key}: {value}" for key, value in said.items()]


@asynccontextmanager
async def running(command: Path, port: int, bot: str, given: str) -> AsyncIterator[str]:
    """The Playground in front of the bot at this address; the address of its page."""
    out = FOLDER / "run"
    out.mkdir(exist_ok=True)
    (out / CONFIG).write_text(given, encoding="utf-8")
    environment = {
        "M365_AGENTS_PLAYGROUND_CONFIG_PATH": str(out / CONFIG),
        "PATH": str(Path(shutil.which("node") or "").parent),
        "HOME": str(out),
        "TEAMSAPPTESTER_BROWSER": "none",
        "M365_AGENTS_PLAYGROUND_LOGFILE": str(out / "playground.log"),
    }
    words = ["start", "--app-endpoint", bot, "--channel-id", "msteams", "--port", str(port)]
    with (out / "output").open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            "node",
            str(command),
            *words,
            "--disable-telemetry",
            env=environment,
            cwd=out,
            stdout=output,
            stderr=output,
        )
    try:
        await _up(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _up(address: str, process: asyncio.subprocess.Process) -> None:
    async with aiohttp.ClientSession() as session, asyncio.timeout(UP_SECONDS):
        while process.returncode is None:
            try:
                async with session.get(f"{address}/_debug/ping") as answer:
                    if "pong" in await answer.text():
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.3)
    raise Absent("the Playground ended before it was up: see .playground/run/output")
