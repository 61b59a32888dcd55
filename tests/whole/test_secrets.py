"""The whole bot under planted secrets: none of them is anywhere that it should not be."""

import json
from pathlib import Path

import pytest
from mcp.server.mcpserver import Context, MCPServer

from bot.workspace.slack.records import App
from bot.workspace.slack_server import SlackStandIn
from tests.fakes.mcp_modern import modern_server
from tests.fakes.model_script import bad_key, call, say
from tests.fakes.model_server import ModelServer
from tests.security.canaries import CANARIES, files_under, leaks
from tests.turn.reading import MENTION
from tests.whole.process import running
from tests.whole.test_crash import answers

PLANTED = {
    name: CANARIES[name]
    for name in ("bot token", "signing secret", "MCP token", "sealing key", "model key")
}


def echoing() -> MCPServer:
    """A server that says aloud which credentials it was given: a leak in itself."""
    server = MCPServer("crm", log_level="ERROR")

    def whoami(ctx: Context) -> str:
        """Who is asking."""
        headers = ctx.headers or {}
        return f"You are {headers.get('authorization', 'nobody')}."

    server.add_tool(whoami, structured_output=False)
    return server


@pytest.mark.promise("S1", "bot")
async def test_no_planted_secret_leaves_the_place_it_belongs_to(tmp_path: Path) -> None:
    """Peers' case 45."""
    app = App(bot_token=CANARIES["bot token"], signing_secret=CANARIES["signing secret"])
    async with (
        SlackStandIn(app=app) as slack,
        ModelServer(dimensions=1536) as models,
        modern_server(echoing()) as crm,
    ):
        models.script([call("crm_whoami"), say("I asked. [1]"), bad_key(CANARIES["model key"])])
        (tmp_path / "countersign.yaml").write_text(
            f"servers:\n  crm: {{url: '{crm}', accept: first,"
            " headers: {authorization: 'Bearer ${MCP_CRM}'}}\n"
        )
        environment = {
            "SLACK_BOT_TOKEN": app.bot_token,
            "SLACK_SIGNING_SECRET": app.signing_secret,
            "SLACK_API_URL": slack.api_url,
            "COUNTERSIGN_MODEL": "openai:gpt-5.5",
            "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
            "COUNTERSIGN_KEYS": f"one:{CANARIES['sealing key']}",
            "OPENAI_API_KEY": CANARIES["model key"],
            "OPENAI_BASE_URL": models.openai_url,
            "MCP_CRM": CANARIES["MCP token"],
        }
        async with running(tmp_path, environment=environment) as bot:
            slack.connect(f"{bot.bot}/slack/events")
            for text in ("who am I?", "and now?"):
                ts = await slack.say("mara", "sales", f"{MENTION} {text}")
                await slack.wait_for(lambda ts=ts: answers(slack, ts), 30)
            assert await bot.stop() == 0

        threads = [slack.replies("sales", m["ts"]) for m in slack.messages("sales")]
        said = json.dumps(threads) + json.dumps(slack.ephemerals("mara", "sales"))
        places = {
            "log": "".join(bot.log).encode(),
            "prompts": "".join(asked.text for asked in models.asked).encode(),
            "messages": said.encode(),
            **files_under([tmp_path / ".state"]),
        }
    assert len(places) > 4
    assert "could not answer" in said
    assert leaks(places, PLANTED) == []
