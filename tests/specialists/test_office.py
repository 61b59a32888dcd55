"""The office server: reads with the token of whoever asks, and writes nothing by itself."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from bot.workspace.microsoft.records import Fault
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from core.capabilities.arguments import validate
from core.capabilities.catalog import Catalog
from core.capabilities.raw import RawResult
from core.capabilities.servers import Server
from core.connectors.effects import effects
from core.connectors.graph import Graph, GraphSettings
from core.connectors.office import Office
from core.connectors.scopes import READING, credentials_for
from core.policy.tags import REQUIRES_APPROVAL
from core.records import Billing, Json, PersonId, ThreadId, TurnId
from core.specialists.office.reader import Reader
from core.specialists.office.server import office_server
from core.specialists.office.writing import TOOLS
from core.specialists.server import serving
from tests.capabilities.bridge import catalog, silence, tool

WRITING = {f"office/{one.__name__}" for one in TOOLS}


@dataclass
class Rooms:
    ms: MicrosoftStandIn
    held: Catalog
    graph: Graph

    async def call(self, which: str, who: str = "mara", /, **arguments: object) -> RawResult:
        """As the host does it: validated, with the least that the tool needs."""
        asked = tool(await self.held.discover(), f"office/{which}")
        validate(asked, arguments)
        scopes = credentials_for(asked)
        headers = {"authorization": f"Bearer {self.ms.token(who, ' '.join(scopes))}"}
        return await self.held.call(
            asked,
            arguments,
            credentials=headers if scopes else {},
            on_progress=silence,
            billing=Billing(
                turn=TurnId("t"), thread=ThreadId("x"), person=PersonId(who), place="p"
            ),
        )

    async def rows(self, which: str, who: str = "mara", /, **arguments: object) -> list[Json]:
        result = await self.call(which, who, **arguments)
        assert not result.is_error, result.text
        assert result.structured is not None
        return list(result.structured["rows"])


@asynccontextmanager
async def rooms(ms: MicrosoftStandIn) -> AsyncGenerator[Rooms]:
    graph = Graph(GraphSettings(url=ms.graph_url))

    async def zone(person: PersonId) -> str:
        return ms.person(person).time_zone

    server = office_server(Reader(graph=graph, zone=zone), WRITING)
    async with (
        serving(server) as app,
        catalog(Server(name="office", app=app)) as held,
    ):
        yield Rooms(ms, held, graph)
    await graph.close()


@pytest.fixture
async def office() -> AsyncIterator[Rooms]:
    async with MicrosoftStandIn() as ms, rooms(ms) as held:
        yield held


async def test_a_mail_is_found_and_read_by_its_owner(office):
    found = await office.rows("search_mail", words="Q3 summary")
    assert found[0]["from"].endswith("<tomas@larkspur.example>")
    result = await office.call("read_mail", message_id=found[0]["message_id"])
    assert "Subject: Q3 summary for the close" in result.text
    assert "sales per region" in result.text and result.links
    assert len(await office.rows("search_mail", limit=3)) == 3
    only = await office.rows("search_mail", sender="ingrid", folder="inbox")
    assert [row["subject"] for row in only] == ["Discount step for our orders"]


async def test_an_operator_in_a_searched_word_is_a_word(office):
    for words in ('" OR from:lena', "subject:(x) NOT y", 'a"b'):
        result = await office.call("search_mail", words=words)
        assert not result.is_error
    asked = [r.query["$search"] for r in office.ms.graph.requests]
    assert all(one.count('"') == 2 and "(" not in one and "from:" not in one for one in asked)


async def test_a_calendar_is_shown_in_the_time_of_the_asker(office):
    today = office.ms.events("mara", "Europe/Berlin")[0]["start"]["dateTime"][:10]
    found = await office.rows("list_events", start=f"{today}T00:00", end=f"{today}T23:59")
    assert any("(Europe/Berlin)" in row["when"] for row in found)
    weekly = next(row for row in found if row["subject"] == "Sales weekly")
    assert "09:30 to 10:00" in weekly["when"] and weekly["event_id"]


async def test_time_is_free_where_nobody_is_busy(office):
    monday = office.ms.events("mara", "Europe/Berlin")[0]["start"]["dateTime"][:10]
    people = ["mara@larkspur.example", "tomas@larkspur.example"]
    span = {"start": f"{monday}T08:00", "end": f"{monday}T18:00"}
    found = await office.rows("find_free_time", people=people, minutes=60, **span)
    assert [(row["from"][-5:], row["to"]) for row in found] == [
        ("08:00", "09:30"),
        ("10:00", "18:00"),
    ]
    wrong = await office.call("find_free_time", people=["Tomás"], **span)
    assert wrong.is_error and "find_people" in wrong.text


async def test_files_are_found_and_read_as_text(office):
    found = await office.rows("search_files", words="visit plan")
    assert found[0]["path"] == "/Dealers/Visit plan Nordics.md"
    result = await office.call("read_file", item_id=found[0]["item_id"])
    assert "- Aurora Cykler" in result.text
    folder = next(row for row in await office.rows("search_files", words="Dealers"))
    refused = await office.call("read_file", item_id=folder["item_id"])
    assert refused.is_error and "no text file" in refused.text
    assert await office.rows("search_files", words="x') or name eq 'y") == []


async def test_people_chats_and_channels_are_named(office):
    found = await office.rows("find_people", name="Lena")
    assert {row["name"] for row in found} == {"Lena Hoffmann", "Lena Haraldsen"}
    chats = await office.rows("list_chats")
    assert chats[0]["chat_id"] == "19:mara-tomas@unq.gbl.spaces" and "Tomás" in chats[0]["people"]
    channels = await office.rows("list_channels")
    assert {row["channel"] for row in channels} == {"General", "Sales"}


async def test_two_people_in_turn_each_read_their_own(office):
    seen: list[tuple[str, str]] = []

    async def look(who: str) -> None:
        found = await office.rows("search_mail", who, folder="sentitems", limit=1)
        seen.append((who, found[0]["from"].partition("<")[2].partition("@")[0]))

    async with asyncio.TaskGroup() as group:
        for _ in range(20):
            group.create_task(look("mara"))
            group.create_task(look("tomas"))
    assert len(seen) == 40 and all(who == name for who, name in seen)


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
async def test_a_refusal_reaches_the_model_in_plain_words(office, status):
    office.ms.graph.faults.add("GET /me/messages", Fault(status=status))
    result = await office.call("search_mail", words="x")
    assert result.is_error and "Microsoft" in result.text and len(office.ms.graph.requests) == 1


async def test_without_a_token_nothing_is_asked(office):
    asked = tool(await office.held.discover(), "office/search_mail")
    for headers in ({}, {"authorization": "Basic x"}, {"authorization": "Bearer "}):
        result = await office.held.call(asked, {}, credentials=headers, on_progress=silence)
        assert result.is_error and "No Microsoft account is connected" in result.text
    assert office.ms.graph.requests == []


async def test_every_writing_tool_needs_an_approval_and_refuses_by_itself(office):
    found = await office.held.discover()
    assert {t.key for t in found.tools if REQUIRES_APPROVAL in t.tags} == WRITING
    assert not found.problems
    for one in found.tools:
        if one.key in WRITING:
            needed = {name: _some(one.schema, name) for name in one.schema["required"]}
            token = office.ms.token("mara", "Mail.Send Mail.ReadWrite Calendars.ReadWrite")
            headers = {"authorization": f"Bearer {token}"}
            result = await office.held.call(one, needed, credentials=headers, on_progress=silence)
            assert result.is_error and "after a person has approved it" in result.text
    assert office.ms.graph.requests == [] and office.ms.graph.effects == []


def _some(schema: Json, name: str) -> object:
    return ["a@b.example"] if schema["properties"][name].get("type") == "array" else "x"


async def test_what_each_reading_tool_may_is_what_it_needs(office):
    found = await office.held.discover()
    reading = {t.name for t in found.tools if REQUIRES_APPROVAL not in t.tags}
    assert reading == set(READING)
    assert all(not s.endswith(("Write", "Send")) for scopes in READING.values() for s in scopes)
    elsewhere = tool(found, "office/search_mail")
    assert credentials_for(elsewhere) == ("Mail.Read",)
    assert credentials_for(tool(found, "office/send_mail")) == ()


async def test_a_tool_without_an_effect_is_not_there():
    assert await office_server(None, effects(None)).list_tools() == []
    listed = await office_server(None, {"office/post_to_slack"}).list_tools()
    assert [one.name for one in listed] == ["post_to_slack"]


def test_every_effect_has_its_tool_and_every_writing_tool_its_effect():
    nothing: Any = None
    office = Office(graph=Graph(), db=nothing, accounts=nothing, clock=nothing, zone=nothing)
    poster: Any = object()
    assert set(effects(office, poster)) == WRITING
