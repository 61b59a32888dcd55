"""One whole approval under planted secrets: from the question to the mail that went out, no secret
is anywhere that it should not be."""

import asyncio
import json
import re
import sqlite3
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from bot.workspace.microsoft.records import Registration
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from bot.workspace.slack.records import App
from bot.workspace.slack_server import SlackStandIn
from tests.chaos.mutants import ROOT, Mutant, broken
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.security.canaries import CANARIES, files_under, leaks
from tests.turn.reading import MENTION
from tests.whole.process import Process, free_port, running

MARK = "Nordics-lead-4711"
"""Stands in the mail: no secret, and to be found wherever the search is to look."""
POLICY = 'policy: {domains: ["larkspur.example"], rules: [{offer: "tool:*"}]}\n'
UNSEALED = Mutant(
    "what is sealed lies in clear",
    "core/identity/vault.py",
    "keys[name] = AESGCM(_key(name, encoded))",
    'keys[name] = type("Clear", (), {"encrypt": lambda s, n, d, a: d + bytes(16),'
    ' "decrypt": lambda s, n, d, a: d[:-16]})()',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    slack: SlackStandIn
    microsoft: MicrosoftStandIn
    models: ModelServer
    planted: dict[str, str]


@asynccontextmanager
async def surrounded(port: int) -> AsyncGenerator[Surroundings]:
    """Everybody whom the bot talks to, each holding a planted secret."""
    app = App(bot_token=CANARIES["bot token"], signing_secret=CANARIES["signing secret"])
    registration = Registration(secret=CANARIES["client secret"])
    back = f"http://127.0.0.1:{port}/connect/callback"
    async with (
        SlackStandIn(app=app) as slack,
        MicrosoftStandIn(registration=registration, redirect_uris=(back,)) as microsoft,
        ModelServer(dimensions=1536) as models,
    ):
        mail = {"to": ["priya@larkspur.example"], "subject": "Q3 summary", "body": MARK}
        models.script(
            [
                call("office_send_mail", **mail),
                say("It waits for you as #1."),
                say("It went out."),
            ]
        )
        names = ("bot token", "signing secret", "client secret", "sealing key", "model key")
        yield Surroundings(
            slack=slack,
            microsoft=microsoft,
            models=models,
            planted={name: CANARIES[name] for name in names},
        )


def environment(around: Surroundings, port: int) -> dict[str, str]:
    return {
        "COUNTERSIGN_PORT": str(port),
        "COUNTERSIGN_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "SLACK_BOT_TOKEN": around.slack.app.bot_token,
        "SLACK_SIGNING_SECRET": around.slack.app.signing_secret,
        "SLACK_API_URL": around.slack.api_url,
        "COUNTERSIGN_MODEL": "openai:gpt-5.5",
        "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
        "COUNTERSIGN_KEYS": f"one:{CANARIES['sealing key']}",
        "OPENAI_API_KEY": CANARIES["model key"],
        "OPENAI_BASE_URL": around.models.openai_url,
        "ENTRA_TENANT_ID": around.microsoft.tenant.id,
        "ENTRA_CLIENT_ID": around.microsoft.app.client_id,
        "ENTRA_CLIENT_SECRET": CANARIES["client secret"],
        "ENTRA_AUTHORITY": f"{around.microsoft.entra_url}/{around.microsoft.tenant.id}",
        "GRAPH_API_URL": around.microsoft.graph_url,
    }


async def approve(around: Surroundings) -> None:
    """Question, card, Connect, Send, and what came of it asked about."""
    slack, microsoft = around.slack, around.microsoft
    ts = await slack.say("mara", "sales", f"{MENTION} mail the Q3 summary to Priya")

    def card(button: str) -> dict[str, object] | None:
        found = [m for m in slack.replies("sales", ts) if f"call.{button}" in str(m["blocks"])]
        return found[0] if found else None

    await slack.click("mara", await slack.wait_for(lambda: card("connect"), 30), "call.connect")
    link = await slack.wait_for(
        lambda: re.search(
            r"http://127\.0\.0\.1:\d+/connect/start\?[^\s\"|>\\]+",
            json.dumps(slack.ephemerals("mara", "sales")),
        ),
        10,
    )
    around.planted.update(await signed_in(microsoft, link.group()))
    await slack.click("mara", await slack.wait_for(lambda: card("send"), 10), "call.send")
    await slack.wait_for(lambda: microsoft.effects("mail.sent"), 20)
    await slack.wait_for(lambda: "Handed to Outlook" in str(slack.replies("sales", ts)), 20)
    await slack.say("mara", "sales", f"{MENTION} did it go out?", thread_ts=ts)
    await slack.wait_for(lambda: "It went out" in str(slack.replies("sales", ts)), 20)
    entra = microsoft.entra
    around.planted.update({f"Graph token {m.uti}": m.text for m in entra.access_tokens.values()})
    around.planted.update({f"refresh token {n}": t for n, t in enumerate(entra.refresh_tokens)})


async def signed_in(microsoft: MicrosoftStandIn, link: str) -> dict[str, str]:
    """Follow the private link as Mara; what was secret on the way."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
        async with browser.get(link, allow_redirects=False) as response:
            onward = response.headers["Location"]
            cookies = [cookie.value for cookie in response.cookies.values()]
        sent = microsoft.sign_in(onward, "mara")
        async with browser.get(sent.url) as response:
            assert "You are signed in" in await response.text()
    asked = {name: values[0] for name, values in parse_qs(urlsplit(onward).query).items()}
    return {
        "OAuth code": sent.fields["code"],
        "OAuth state": asked["state"],
        "OAuth nonce": asked["nonce"],
        **{f"cookie {number}": value for number, value in enumerate(cookies)},
    }


def copied(state: Path, backup: Path) -> None:
    """Both ways in which an operator copies a running bot's database."""
    backup.mkdir()
    db = sqlite3.connect(state / "countersign.db")
    try:
        db.execute("VACUUM INTO ?", (str(backup / "vacuumed.db"),))
        with sqlite3.connect(backup / "copied.db") as other:
            db.backup(other)
        other.close()
    finally:
        db.close()


def places(around: Surroundings, bot: Process, *folders: Path) -> Mapping[str, bytes]:
    calls = [(one.method, one.args) for one in around.slack.world.calls]
    alone = around.slack.ephemerals("mara", "sales")
    return {
        "log": "".join(bot.log).encode(),
        "prompts": "".join(asked.text for asked in around.models.asked).encode(),
        "cards and messages": json.dumps([calls, alone], default=str).encode(),
        **files_under(folders),
    }


async def searched(folder: Path, source: Path) -> tuple[Mapping[str, bytes], dict[str, str]]:
    """The places where secrets may have gone in a whole approval, and the secrets."""
    port, backup = free_port(), folder / "backup"
    (folder / "countersign.yaml").write_text(POLICY)
    async with surrounded(port) as around:
        given = environment(around, port) | {"PYTHONPATH": str(source)}
        async with running(folder, environment=given) as bot:
            around.slack.connect(f"{bot.bot}/slack/events")
            await approve(around)
            await asyncio.to_thread(copied, folder / ".state", backup)
            found = places(around, bot, folder / ".state", backup)
            assert await bot.stop() == 0
        after = places(around, bot, folder / ".state", backup)
        return found | {f"{name}, stopped": content for name, content in after.items()}, (
            around.planted
        )


@pytest.mark.promise("S1", "bot", "core.approvals", "core.identity")
async def test_no_secret_of_a_whole_approval_leaves_the_place_it_belongs_to(
    tmp_path: Path,
) -> None:
    """Peers' case 45."""
    found, planted = await searched(tmp_path, ROOT)
    assert len(planted) >= 11, planted.keys()
    assert leaks(found, planted) == []
    # The search looks where things are: what is no secret is found in every kind of place.
    names = {Path(leak.where).name for leak in leaks(found, {"mark": MARK})}
    databases = {"countersign.db, stopped", "countersign.db-wal", "vacuumed.db", "copied.db"}
    assert names >= {"prompts", "cards and messages", *databases}
    assert b"call.moved" in found["log"]


async def test_a_token_that_lies_unsealed_is_found(tmp_path: Path) -> None:
    with broken(UNSEALED) as source:
        found, planted = await searched(tmp_path, source)
    leaked = {leak.canary.partition(" token")[0] for leak in leaks(found, planted)}
    assert "refresh" in leaked
