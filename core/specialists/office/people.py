"""The tools that say who somebody is, and in which conversations of Teams the asker is."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from mcp_types import CallToolResult
from pydantic import Field

from core.connectors import people
from core.connectors.office import link
from core.connectors.request import Request, text
from core.records import Json
from core.specialists.office.reader import Call, Reader, table

_MOST, _TEAMS = 50, 20


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
        request = Request(path="/me/chats", query={"$expand": "members", "$top": str(_MOST)})
        found = await self.reader.items(call, "list_chats", request, _MOST)
        rows: list[Json] = []
        for chat in found:
            path = f"/chats/{quote(text(chat, 'id'), safe='')}/members"
            members = await self.reader.values(call, "list_chats", Request(path=path))
            named = ", ".join(text(one, "displayName") for one in members)
            row = {"topic": text(chat, "topic"), "people": named, "chat_id": text(chat, "id")}
            rows.append(row)
        links = [
            (row["topic"] or row["people"], link(chat))
            for row, chat in zip(rows, found, strict=True)
        ]
        return table(f"{len(rows)} chat(s)", rows, links)

    async def list_channels(self, call: Call) -> CallToolResult:
        """The Teams channels that the asking person is in. Gives the team id and the channel id
        that post_to_teams_channel needs."""
        request = Request(path="/me/joinedTeams")
        rows: list[Json] = []
        links: list[tuple[str, str]] = []
        for team in await self.reader.items(call, "list_channels", request, _TEAMS):
            path = f"/teams/{quote(text(team, 'id'), safe='')}/channels"
            for channel in await self.reader.items(
                call, "list_channels", Request(path=path), _MOST
            ):
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
