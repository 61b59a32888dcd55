"""Everything that the stand-in knows, and who is told when it changes."""

import asyncio
from collections.abc import Callable

from bot.workspace.teams import seed
from bot.workspace.teams.records import (
    TENANT,
    Call,
    Conversation,
    Delivery,
    Fault,
    Json,
    Member,
    Posted,
)

BOT_NAME = "Countersign"


class World:
    """`clock` is wall time."""

    def __init__(self, app_id: str, clock: Callable[[], float], tenant: str = TENANT) -> None:
        self.app_id = app_id
        self.tenant = tenant
        self.clock = clock
        self.members = seed.members()
        self.conversations = seed.conversations(self.members)
        self.calls: list[Call] = []
        self.deliveries: list[Delivery] = []
        self.faults: list[Fault] = []
        self.is_targeting = True
        """Whether the tenant takes messages for one member of a conversation."""
        self.uploads: dict[str, bytes] = {}
        """What the bot has put into people's files."""
        self.files: dict[str, bytes] = {}
        """By their ids, what people have posted in chats of two."""
        self.stored: Callable[[Member, Conversation, str, bytes], Posted] | None = None
        """Puts what is posted elsewhere into Microsoft 365; None: there is none."""
        self.names_group = True
        """Whether activities of a channel name the group behind the team."""
        self.listeners: list[Callable[[], None]] = []
        self._last = 0
        self._changed = asyncio.Event()

    @property
    def bot(self) -> str:
        return f"28:{self.app_id}"

    def next_id(self) -> str:
        """Activities are named by the millisecond in which they were made."""
        self._last = max(self._last + 1, int(self.clock() * 1000))
        return str(self._last)

    def personal(self, member: Member) -> Conversation:
        key = f"@{member.key}"
        if key not in self.conversations:
            self.conversations[key] = Conversation(
                id=f"a:1{member.oid.replace('-', '')}", kind="personal", members=[member.key]
            )
        return self.conversations[key]

    def conversation(self, id: str) -> Conversation | None:
        """Of an id as it stands in a path: a thread leads to its channel."""
        plain = id.partition(";messageid=")[0]
        return next((one for one in self.conversations.values() if one.id == plain), None)

    def member(self, id: str) -> Member | None:
        """By Teams' id or by the object id."""
        return next((one for one in self.members.values() if id in (one.id, one.oid)), None)

    def put(self, conversation: Conversation, activity: Json) -> None:
        conversation.activities.append(activity)
        self.publish()

    def find(self, conversation: Conversation, id: str) -> Json | None:
        return next((one for one in conversation.activities if one["id"] == id), None)

    def publish(self) -> None:
        self._changed.set()
        for listener in self.listeners:
            listener()

    async def changed(self, seconds: float) -> None:
        """Until something changes, or that long."""
        self._changed.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return
