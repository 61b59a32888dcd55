"""A small scripted bot on Bolt: what the page shows is posted by a real app over real sockets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace.local import LocalWorkspace
from tests.workspace.conftest import listening

ANSWER = """Sales in **Q3** came to **$4.82 M**.

| Region | Net |
|:--|--:|
| North | 1,511,900 |
| South | 734,880 |

- [x] Totals match

```sql
SELECT 1;
```
"""


def plain(text):
    return {"type": "plain_text", "text": text}


def button(text, action_id, **fields):
    return {"type": "button", "action_id": action_id, "text": plain(text), **fields}


SURE = {
    "title": plain("Send the mail?"),
    "text": plain("It goes to finance."),
    "confirm": plain("Send"),
    "deny": plain("Not yet"),
}
CARD = [
    {"type": "section", "text": plain("Send this mail?")},
    {
        "type": "actions",
        "elements": [
            button("Send", "send", style="primary", value="17", confirm=SURE),
            button("Edit", "edit", value="17"),
        ],
    },
]
FORM = {
    "type": "modal",
    "callback_id": "mail",
    "title": plain("Edit the mail"),
    "submit": plain("Save"),
    "blocks": [
        {
            "type": "input",
            "block_id": "to",
            "label": plain("To"),
            "element": {"type": "plain_text_input", "action_id": "v"},
        }
    ],
}


@asynccontextmanager
async def workspace() -> AsyncIterator[tuple[LocalWorkspace, AsyncWebClient, AsyncApp]]:
    """A local workspace with an app behind it that answers nothing yet."""
    async with LocalWorkspace() as local, aiohttp.ClientSession() as session:
        client = AsyncWebClient(
            token=local.slack.app.bot_token, base_url=local.slack.api_url, session=session
        )
        app = AsyncApp(client=client, signing_secret=local.slack.app.signing_secret)
        async with listening(local.slack, app):
            yield local, client, app


def teach(app: AsyncApp) -> None:
    """Answer a mention with words, a table and a private remark; carry a card and a form."""

    @app.event("app_mention")
    async def mention(event, client):
        place, root = event["channel"], event.get("thread_ts") or event["ts"]
        if "mail" in event["text"]:
            await client.chat_postMessage(channel=place, thread_ts=root, text="card", blocks=CARD)
            return
        await client.assistant_threads_setStatus(
            channel_id=place, thread_ts=root, status="is reading the sales tables…"
        )
        if "wait" in event["text"]:
            return
        markdown = {"type": "markdown", "text": ANSWER}
        await client.chat_postMessage(
            channel=place, thread_ts=root, text="answer", blocks=[markdown]
        )
        await client.chat_postEphemeral(
            channel=place, thread_ts=root, user=event["user"], text="Two sources were left out."
        )

    @app.event("message")
    async def message():
        pass

    @app.event("agent_session_stopped")
    async def stopped(event, client):
        await client.chat_postMessage(
            channel=event["channel"], thread_ts=event["thread_ts"], text="Stopped."
        )

    @app.action("send")
    async def send(ack, body, respond):
        await ack()
        await respond(replace_original=True, text=f"Sent by <@{body['user']['id']}>")

    @app.action("edit")
    async def edit(ack, body, client):
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    @app.view("mail")
    async def saved(ack, view):
        value = view["state"]["values"]["to"]["v"]["value"]
        if "@" in value:
            await ack()
        else:
            await ack(response_action="errors", errors={"to": "This is no address."})

    @app.command("/usage")
    async def usage(ack, command):
        await ack(f"usage for {command['text']}")
