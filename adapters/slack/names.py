"""Puts the names of people and channels in the place of Slack's ids."""

import asyncio
import re
from collections.abc import Iterable

from adapters.slack import fields
from adapters.slack.api import SlackApi
from adapters.slack.profiles import Profiles
from core.errors import DeliveryFailed

MOST = 40
"""Different ids that are looked up for one turn; what is beyond stays an id."""
MOST_CHANNELS = 2_000
ID = re.compile(r"@([UW][A-Z0-9]{4,40})\b|#([CG][A-Z0-9]{4,40})\b")
"""As `mentions.words` leaves those that came without a label."""


class Names:
    """Names are kept in memory: of people for a day, of channels until the process ends."""

    def __init__(self, api: SlackApi, profiles: Profiles) -> None:
        self._api = api
        self._profiles = profiles
        self._channels: dict[str, str] = {}

    async def of(self, texts: Iterable[str], users: Iterable[str] = ()) -> dict[str, str]:
        """`@Tomás Ferrer` and `#finance` by id, for every id in the texts and for these users.
        What Slack does not tell is missing."""
        found = [match for text in texts for match in ID.finditer(text)]
        ids = dict.fromkeys([*users, *(match[1] or match[2] for match in found)])
        wanted = [id for id in ids if id][:MOST]
        async with asyncio.TaskGroup() as group:
            asked = {id: group.create_task(self._name(id)) for id in wanted}
        return {id: name for id, task in asked.items() if (name := task.result())}

    async def _name(self, id: str) -> str:
        if id.startswith(("C", "G")):
            return await self._channel(id)
        profile = await self._profiles.of(id)
        return f"@{profile.name}" if profile and profile.name else ""

    async def _channel(self, id: str) -> str:
        if id not in self._channels:
            try:
                name = await channel_name(self._api, id)
            except DeliveryFailed:
                # A channel that the bot cannot see keeps its id.
                return ""
            if len(self._channels) >= MOST_CHANNELS:
                self._channels.clear()
            self._channels[id] = name
        return self._channels[id]


async def channel_name(api: SlackApi, id: str) -> str:
    """With its mark; empty where it has none. Raises `DeliveryFailed`."""
    answer = await api.read("conversations.info", {"channel": id})
    name = fields.text(fields.child(answer, "channel"), "name")
    return f"#{name}" if name else ""


def put_in(text: str, names: dict[str, str]) -> str:
    """The text with names where they are known."""
    return ID.sub(lambda match: names.get(match[1] or match[2], match[0]), text)
