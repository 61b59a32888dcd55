"""The state of one Slack workspace, with everything that happened in it."""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from bot.workspace.slack.checks import Refusal, objects_of
from bot.workspace.slack.records import (
    App,
    Call,
    Change,
    Channel,
    Delivery,
    File,
    Hook,
    Json,
    Member,
    Status,
    Stream,
    Team,
    Trigger,
)
from bot.workspace.slack.tokens import Tokens

Listener = Callable[[Change], None]


class World:
    """Everything in memory. One asyncio loop owns it; there are no locks because no method awaits
    between reading and writing."""

    def __init__(self, app: App, team: Team, clock: Callable[[], float] = time.time) -> None:
        self.app, self.team, self.clock = app, team, clock
        self.base = ""
        """The stand-in's own address, without a trailing slash; set when it listens."""
        self.members: dict[str, Member] = {}
        self.channels: dict[str, Channel] = {}
        self.files: dict[str, File] = {}
        self.hooks: dict[str, Hook] = {}
        self.triggers: dict[str, Trigger] = {}
        self.streams: dict[tuple[str, str], Stream] = {}
        self.statuses: dict[tuple[str, str], Status] = {}
        self.sessions: dict[tuple[str, str], Json] = {}
        self.prompts: dict[tuple[str, str], Json] = {}
        self.picked: dict[str, Json] = {}
        """Per message, what was picked in its menus: block_id, action_id, what the menu says."""
        self.views: dict[str, Json] = {}
        self.modals: dict[str, list[str]] = {}
        """Per person, the ids of the open modals, the topmost last."""
        self.homes: dict[str, str] = {}
        self.user_groups: dict[str, list[str]] = {}
        """Per group, the ids of its members."""
        self.oauth_codes: set[str] = set()
        self.tokens = Tokens(app.bot_token, lambda: self.clock())
        self.tickets: set[str] = set()
        """Unused ones, each good for one socket."""
        self.sockets = 0
        self.calls: list[Call] = []
        self.deliveries: list[Delivery] = []
        self.listeners: list[Listener] = []
        self._last_ts = 0
        self._numbers = 0
        self._news = asyncio.Event()
        bot = Member(id=app.member, name=app.name.lower(), real_name=app.name, is_bot=True)
        self.members[bot.id] = bot

    def code(self) -> str:
        """A code of an installation, good for one exchange."""
        made = secrets.token_hex(12)
        self.oauth_codes.add(made)
        return made

    def publish(self, kind: str, **fields: Any) -> None:
        """Tell every listener, and wake whoever waits."""
        change = Change(kind=kind, **fields)
        for listener in tuple(self.listeners):
            listener(change)
        self._news.set()
        self._news = asyncio.Event()

    async def wait_for(self, holds: Callable[[], Any], seconds: float = 5.0) -> Any:
        """The first true value of `holds`, looked at after every change. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not (found := holds()):
                await self._news.wait()
            return found

    def next_ts(self) -> str:
        """A timestamp as Slack writes it, larger than every one before."""
        self._last_ts = max(self._last_ts + 1, int(self.clock() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def next_id(self, prefix: str) -> str:
        self._numbers += 1
        return f"{prefix}{self._numbers:08d}"

    def channel(self, channel: Any) -> Channel:
        """Raises Refusal `channel_not_found`."""
        found = self.channels.get(str(channel))
        if found is None:
            raise Refusal("channel_not_found")
        return found

    def open_to_app(self, channel: Any) -> Channel:
        """A channel in which the app may read and write. A private one that it is not in looks as
        if it did not exist. Raises Refusal."""
        if str(channel) in self.members:
            return self.direct(str(channel), self.app.member)
        found = self.channel(channel)
        if self.app.member not in found.members:
            raise Refusal("not_in_channel" if found.kind == "public" else "channel_not_found")
        return found

    def message(self, channel: Channel, ts: Any) -> Json:
        """Raises Refusal `message_not_found`."""
        found = channel.messages.get(str(ts))
        if found is None:
            raise Refusal("message_not_found")
        return found

    def direct(self, one: str, other: str) -> Channel:
        """The direct message channel of two members, made when it is first needed."""
        pair = {one, other}
        for channel in self.channels.values():
            if channel.kind == "im" and set(channel.members) == pair:
                return channel
        made = Channel(id=self.next_id("D"), name="", kind="im", members=[one, other])
        self.channels[made.id] = made
        self.publish("channel", channel=made.id)
        return made

    def hook(self, hook: Hook) -> str:
        """The address of a new response_url."""
        name = secrets.token_hex(12)
        self.hooks[name] = hook
        return f"{self.base}/hooks/{name}"

    def trigger(self, person: str, view: str = "") -> str:
        name = f"{self.next_id('')}.{secrets.token_hex(8)}"
        self.triggers[name] = Trigger(person=person, made_at=self.clock(), view=view)
        return name

    def with_ids(self, blocks: Iterable[Json]) -> list[Json]:
        """Copies of the blocks in which each has a block_id and each clickable part an
        action_id, as Slack makes them up."""
        made = [deepcopy(block) for block in blocks]
        for block in made:
            block.setdefault("block_id", secrets.token_hex(3))
            for part in objects_of(block):
                if part.get("type") in CLICKABLE and not part.get("action_id"):
                    part["action_id"] = secrets.token_hex(3)
        return made


CLICKABLE = frozenset(
    {
        "button",
        "icon_button",
        "feedback_buttons",
        "overflow",
        "static_select",
        "multi_static_select",
        "users_select",
        "multi_users_select",
        "conversations_select",
        "channels_select",
        "datepicker",
        "timepicker",
        "datetimepicker",
        "checkboxes",
        "radio_buttons",
        "plain_text_input",
        "email_text_input",
        "url_text_input",
        "number_input",
    }
)
