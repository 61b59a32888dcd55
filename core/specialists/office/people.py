"""The tools that say who somebody is, and in which conversations of Teams the asker is."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from mcp_types import CallToolResult
from pydantic import Field

from core.connectors import people
from core.connectors.office import link
from core.connectors.request import Request, objects, text
from core.records import Json
from core.specialists.office.reader import Call, Reader, table

_CHATS, _TEAMS, _CHANNELS = 20, 20, 50


@dataclass(frozen=True, slots=True)
class PeopleReading:
    reader: Reader

    async def find_people(
        self,
        call: Call,
        name: Annotated[str, Field(min_length=1, description="A name or the beginning of one.")],
    ) -> CallToolResult:
        """Find a colleague by name: full name, mail address, role. Several may have a name: then
        ask which one is meant."""
        request = people.search(name)
        found = await self.reader.values(call, "find_people", request)
        rows: list[Json] = [
            {
                "name": text(one, "displayName"),
                "address": people.address_of(one),
                "role": text(one, "jobTitle"),
                "department": text(one, "department"),
            }
            for one in found
        ]
        return table(f"{len(rows)} colleague(s) called {name!r}", rows, [])

    async def list_chats(self, call: Call) -> CallToolResult:
        """The Teams chats of the asking person with who is in them. Gives the chat id that
        post_to_teams_chat needs."""
        request = Request(path="/me/chats", query={"$expand": "members", "$top": str(_CHATS)})
        rows: list[Json] = []
        links: list[tuple[str, str]] = []
        for chat in await self.reader.items(call, "list_chats", request, _CHATS):
            names = ", ".join(await self._members(call, chat))
            rows.append(
                {"topic": text(chat, "topic"), "people": names, "chat_id": text(chat, "id")}
            )
            links.append((text(chat, "topic") or names, link(chat)))
        return table(f"{len(rows)} chat(s)", rows, links)

    async def list_channels(self, call: Call) -> CallToolResult:
        """The Teams channels that the asking person is in. Gives the team id and the channel id
        that post_to_teams_channel needs."""
        request = Request(path="/me/joinedTeams")
        rows: list[Json] = []
        links: list[tuple[str, str]] = []
        for team in await self.reader.items(call, "list_channels", request, _TEAMS):
            for channel in await self._channels(call, team):
                rows.append(
                    {
                        "team": text(team, "displayName"),
                        "channel": text(channel, "displayName"),
                        "team_id": text(team, "id"),
                        "channel_id": text(channel, "id"),
                    }
                )
                links.append((text(channel, "displayName"), link(channel)))
        return table(f"{len(rows)} channel(s)", rows, links)

    async def _members(self, call: Call, chat: Json) -> list[str]:
        """Of a chat that came without them as well."""
        listed = objects(chat.get("members"))
        if not listed:
            path = f"/chats/{quote(text(chat, 'id'), safe='')}/members"
            listed = await self.reader.values(call, "list_chats", Request(path=path))
        return [text(one, "displayName") for one in listed]

    async def _channels(self, call: Call, team: Json) -> list[Json]:
        path = f"/teams/{quote(text(team, 'id'), safe='')}/channels"
        return await self.reader.items(call, "list_channels", Request(path=path), _CHANNELS)
