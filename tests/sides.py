"""The two chat platforms as a scenario sees them: the same words, asked and read on either."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from bot.workspace.slack_server import SlackStandIn
from bot.workspace.teams_server import TeamsStandIn, actions, cards

MENTION = "<@U0COUNTER>"
"""What a question on Slack begins with; elsewhere it stands for the platform's own mention."""
Found = TypeVar("Found")
Message = dict[str, Any]


class Side(Protocol):
    name: str

    async def say(self, person: str, channel: str, text: str, **how: Any) -> str:
        """Returns the thread that the answer will stand in."""
        ...

    def replies(self, channel: str, thread: str) -> list[Message]:
        """The bot's messages in the thread that are no sign of work, with `thread_ts`."""
        ...

    async def wait_for(self, look: Callable[[], Found | None], seconds: float) -> Found: ...

    def person(self, key: str) -> str:
        """The id by which the core knows somebody."""
        ...

    def told(self, person: str, channel: str) -> list[str]:
        """What the bot told this person alone, there or in their own chat with it."""
        ...

    def public(self, channel: str) -> list[Message]:
        """Everything of the bot's that all in the channel can see."""
        ...

    async def say_often(
        self, person: str, channel: str, text: str, *, root: str = "", seconds_ago: float = 0.0
    ) -> str:
        """One message that is delivered again and again, all of it after that long; its id."""
        ...

    async def press(self, person: str, channel: str, thread: str, title: str) -> None:
        """The button of that name on a card in the thread, once there is one."""
        ...

    async def delete(self, person: str, channel: str, thread: str) -> None:
        """The message with which the thread begins."""
        ...


@dataclass(frozen=True, slots=True)
class SlackSide:
    slack: SlackStandIn
    name: str = "slack"

    async def say(self, person: str, channel: str, text: str, **how: Any) -> str:
        thread = how.get("thread_ts")
        ts = await self.slack.say(person, channel, text, **how)
        return thread or ts

    def replies(self, channel: str, thread: str) -> list[Message]:
        return [m for m in self.slack.replies(channel, thread) if m.get("bot_id")]

    async def wait_for(self, look: Callable[[], Found | None], seconds: float) -> Found:
        return await self.slack.wait_for(look, seconds)

    def person(self, key: str) -> str:
        return f"slack:T00000001/{self.slack.member(key).id}"

    def told(self, person: str, channel: str) -> list[str]:
        direct = self.slack.messages(self.slack.direct(person))
        found = (*self.slack.ephemerals(person, channel), *direct)
        return [m["text"] for m in found if m.get("bot_id") or "ephemeral" in str(m)]

    def public(self, channel: str) -> list[Message]:
        return [m for m in self.slack.messages(channel) if m.get("bot_id")]

    async def say_often(
        self, person: str, channel: str, text: str, *, root: str = "", seconds_ago: float = 0.0
    ) -> str:
        before, world = self.slack.world.clock, self.slack.world
        if seconds_ago:
            world.clock = lambda: before() - seconds_ago
        ts = await self.slack.say(person, channel, text, root or None, is_told=False)
        kinds = ("app_mention", "message")
        events = [self.slack.envelope_for(channel, ts, kind) for kind in kinds]
        world.clock = before
        for retry in range(4):
            for event in events:
                await self.slack.deliver(event, retry=retry)
        return ts

    async def press(self, person: str, channel: str, thread: str, title: str) -> None:
        def there() -> tuple[Message, str] | None:
            for one in self.replies(channel, thread):
                for block in one.get("blocks", []):
                    for element in block.get("elements", []):
                        if element.get("type") == "button" and element["text"]["text"] == title:
                            return one, element["action_id"]
            return None

        message, action = await self.slack.wait_for(there, 30.0)
        await self.slack.click(person, message, action)

    async def delete(self, person: str, channel: str, thread: str) -> None:
        await self.slack.delete(channel, thread)


@dataclass(frozen=True, slots=True)
class TeamsSide:
    teams: TeamsStandIn
    name: str = "teams"

    async def say(self, person: str, channel: str, text: str, **how: Any) -> str:
        root = how.pop("thread_ts", "") or ""
        is_mention = MENTION in text and not channel.startswith("@")
        words = text.replace(MENTION, "").strip()
        id = await self.teams.say(
            person, channel, words, root=root, is_mention=is_mention, files=how.get("files")
        )
        return root or id

    def replies(self, channel: str, thread: str) -> list[Message]:
        found = self.teams.by_bot(channel, thread)
        return [{**one, "thread_ts": thread} for one in found if not is_sign_of_work(one)]

    async def wait_for(self, look: Callable[[], Found | None], seconds: float) -> Found:
        return await self.teams.wait_for(look, seconds)

    def person(self, key: str) -> str:
        return f"teams:{self.teams.world.tenant}/{self.teams.member(key).oid}"

    def told(self, person: str, channel: str) -> list[str]:
        return [str(one.get("text")) for one in self.teams.by_bot(f"@{person}")]

    def public(self, channel: str) -> list[Message]:
        return self.teams.by_bot(channel)

    async def say_often(
        self, person: str, channel: str, text: str, *, root: str = "", seconds_ago: float = 0.0
    ) -> str:
        before, world = self.teams.world.clock, self.teams.world
        if seconds_ago:
            world.clock = lambda: before() - seconds_ago
        words = text.replace(MENTION, "").strip()
        activity = self.teams.written(person, channel, words, root=root)
        world.clock = before
        async with asyncio.TaskGroup() as group:
            for attempt in range(3):
                group.create_task(self.teams.carrier.once(activity, attempt=attempt))
        return str(activity["id"])

    async def press(self, person: str, channel: str, thread: str, title: str) -> None:
        def there() -> Message | None:
            for one in self.teams.by_bot(channel, thread):
                for card in cards(one):
                    if any(action.get("title") == title for action in actions(card)):
                        return one
            return None

        shown = await self.teams.wait_for(there, 30.0)
        await self.teams.click(person, channel, shown["id"], title)

    async def delete(self, person: str, channel: str, thread: str) -> None:
        where = self.teams.place(channel)
        place = {"id": f"{where.id};messageid={thread}", "conversationType": where.kind}
        place |= {"tenantId": self.teams.world.tenant, "isGroup": True}
        await self.teams.happen(person, channel, "messageDelete", id=thread, conversation=place)


def is_sign_of_work(message: Message) -> bool:
    """A placeholder that the answer takes the place of."""
    text = message.get("text") or ""
    is_small = text.startswith("_") and text.endswith("_")
    return is_small and not message.get("entities") and not message.get("attachments")


def text_of(message: Message) -> str:
    """The words of an answer, without its cost line and sources."""
    if "blocks" in message:
        return "\n".join(b["text"] for b in message["blocks"] if b["type"] == "markdown")
    paragraphs = (message.get("text") or "").split("\n\n")
    kept = [p for p in paragraphs if not p.startswith("Sources: ") and not _is_cost(p)]
    return "\n\n".join(kept)


def cost_of(message: Message) -> str:
    if "blocks" in message:
        lines = [block for block in message["blocks"] if block["type"] == "context"]
        return str(lines[-1]["elements"][0]["text"])
    [line] = [p for p in message["text"].split("\n\n") if _is_cost(p)]
    return re.sub(r"\\(.)", r"\1", line.strip("_"))


def shown_of(message: Message) -> str:
    """Everything of it, with the sources as `[1] name`."""
    if "blocks" in message:
        return json.dumps(message["blocks"])
    claims = [c for e in message.get("entities") or [] for c in e.get("citation") or []]
    sources = [f"[{c['position']}] {c['appearance']['name']}" for c in claims]
    return json.dumps([message, sources])


def _is_cost(paragraph: str) -> bool:
    return bool(re.fullmatch(r"_.* calls? · .* tokens · .*_", paragraph))
