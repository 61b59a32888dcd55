"""The local workspace has the app that the manifest describes, and says when it cannot start."""

import pytest

from adapters.slack import manifest
from bot.workspace.local import LocalWorkspace
from bot.workspace.slack.install import installed
from bot.workspace.slack_server import SlackStandIn
from core.errors import Misconfigured
from tests.workspace.conftest import at_once


@pytest.fixture
def app():
    return installed(manifest.of("https://countersign.example"))


async def test_the_app_hears_what_its_manifest_subscribes_to_and_nothing_else(app):
    async with SlackStandIn(app=app, sleep=at_once) as slack:
        slack.connect(slack.base + "/nowhere")
        await slack.say("mara", "sales", "just talking")
        await slack.say("mara", "sales", "<@U0COUNTER> what did we sell?")
        await slack.settled()
        heard = [d.payload["event"]["type"] for d in slack.deliveries if d.kind == "event"]

    # Messages are heard for the sake of edits and deletions, which have no event of their own.
    assert set(heard) == {"app_mention", "message"}


def test_only_declared_commands_are_known(app):
    assert set(app.commands) == {"/countersign", "/approvals", "/usage"}
    assert app.has_home


async def test_a_second_workspace_on_the_same_port_says_what_to_do():
    async with LocalWorkspace() as first:
        port = int(first.slack.base.rpartition(":")[2])
        with pytest.raises(Misconfigured, match="COUNTERSIGN_WORKSPACE_PORT"):
            await LocalWorkspace(port=port).start()
