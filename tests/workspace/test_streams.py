"""A message that is streamed is held to every limit of a message, over all its calls."""

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace.slack_server import SlackStandIn

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n\n"


class Growing:
    """A stream in a direct message, and Slack's word for each call."""

    def __init__(self, slack: SlackStandIn, client: AsyncWebClient, where: dict[str, str]) -> None:
        self._slack, self._client, self._where = slack, client, where

    async def append(self, text: str) -> str:
        return await self.word("chat.appendStream", markdown_text=text)

    async def stop(self, *blocks: object) -> str:
        return await self.word("chat.stopStream", blocks=list(blocks))

    def shown(self) -> str:
        [message] = self._slack.replies(self._where["channel"], self._where["thread_ts"])
        return repr(message)

    async def word(self, method: str, **more: object) -> str:
        try:
            await self._client.api_call(method, json={**self._where, **more})
        except SlackApiError as error:
            return str(error.response["error"])
        return ""


@pytest.fixture
async def growing(slack: SlackStandIn, client: AsyncWebClient) -> Growing:
    place = slack.direct("mara")
    root = await slack.say("mara", place, "hello")
    stream = await client.chat_startStream(channel=place, thread_ts=root)
    return Growing(slack, client, {"channel": place, "ts": stream["ts"], "thread_ts": root})


async def test_what_markdown_expands_to_is_counted_over_the_calls(growing: Growing):
    assert await growing.append("# h\n" * 30) == ""
    assert await growing.append("# h\n" * 20) == ""
    before = growing.shown()
    assert await growing.append("# h\n") == "invalid_blocks"
    assert growing.shown() == before


async def test_a_second_table_is_refused(growing: Growing):
    assert await growing.append(TABLE) == ""
    assert await growing.append(f"and\n\n{TABLE}") == "invalid_blocks"
    assert await growing.append("and words") == ""


async def test_a_table_grows_up_to_a_hundred_rows(growing: Growing):
    assert await growing.append(TABLE.rstrip("\n") + "\n| 1 | 2 |" * 98 + "\n") == ""
    assert await growing.append("| 1 | 2 |\n") == "invalid_blocks"


async def test_the_closing_blocks_count_towards_all_text_of_the_message(growing: Growing):
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 2_201}}
    assert await growing.append("x" * 11_000) == ""
    assert await growing.stop(section) == "msg_blocks_too_long"
    section["text"] = {"type": "mrkdwn", "text": "x" * 2_200}
    assert await growing.stop(section) == ""
    assert await growing.append("x") == "message_not_in_streaming_state"


async def test_the_same_block_id_twice_is_refused_over_the_calls(growing: Growing):
    divider = {"type": "divider", "block_id": "same"}
    chunk = [{"type": "blocks", "blocks": [divider]}]
    assert await growing.word("chat.appendStream", chunks=chunk) == ""
    assert await growing.word("chat.appendStream", chunks=chunk) == "invalid_blocks"


async def test_a_stream_is_no_message_to_change_until_it_ends(growing: Growing):
    changed = {"text": "x", "blocks": []}
    assert await growing.word("chat.update", **changed) == "streaming_state_conflict"
    assert await growing.stop() == ""
    assert await growing.word("chat.update", **changed) == ""
