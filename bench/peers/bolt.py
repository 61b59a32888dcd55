"""A bot on plain slack-bolt: `python -m bench.peers.bolt [agent]`.

It acknowledges as Bolt does and answers after as long as two calls of a model take. With `agent` a
LangChain agent is loaded, as in a bot that has one.
"""

import asyncio
import os
import sys
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bench.slack_side import THINKING

MODEL_SECONDS = 0.2


def main() -> None:
    if "agent" in sys.argv:
        from langchain.agents import create_agent

        from bench.peers.langchain_agent import order_lines
        from bench.scripted import Scripted

        create_agent(Scripted(), [order_lines])
    client = AsyncWebClient(
        token=os.environ["SLACK_BOT_TOKEN"], base_url=os.environ["SLACK_API_URL"]
    )
    app = AsyncApp(client=client, signing_secret=os.environ["SLACK_SIGNING_SECRET"])

    @app.event("app_mention")
    async def mentioned(event: dict[str, Any], say: Any) -> None:
        said = await say(text=THINKING, thread_ts=event["ts"])
        await asyncio.sleep(MODEL_SECONDS)
        await client.chat_update(channel=event["channel"], ts=said["ts"], text="The answer is 42.")

    app.start(port=int(os.environ["COUNTERSIGN_PORT"]), path="/slack/events", host="127.0.0.1")


if __name__ == "__main__":
    main()
