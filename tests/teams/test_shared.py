"""Files and messages that Teams shows people and not bots: read by the rights of who asks."""

import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

import pytest

from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from bot.workspace.shared import share
from core.connectors.chat.transcript import Transcript
from core.connectors.graph import Graph, GraphSettings
from core.connectors.office import Office
from core.errors import NeedsAccount, SourceFailed
from core.identity.mint import Token
from core.records import PersonId
from tests.teams.conftest import Bot, running

CSV, OTHER = b"region,sold\nNordics,7\n", b"region,sold\nIberia,1\n"


@dataclass
class Granted:
    """Implements `core.connectors.office.Accounts`: what each person has agreed to."""

    microsoft: MicrosoftStandIn
    scopes: dict[str, set[str]] = field(default_factory=dict)

    async def token(self, person: PersonId, scopes: Iterable[str], *, fresh: bool = True) -> Token:
        oid, wanted = person.rpartition("/")[2], set(scopes)
        if not wanted <= self.scopes.get(oid, set()):
            raise NeedsAccount("consent_required", scopes=tuple(sorted(wanted)))
        value = self.microsoft.token(oid, " ".join(wanted))
        return Token(value=value, granted=frozenset(wanted), oid=oid, expires=time.time() + 600)

    async def granted(self, person: PersonId) -> frozenset[str] | None:
        found = self.scopes.get(person.rpartition("/")[2])
        return None if found is None else frozenset(found)

    async def account(self, person: PersonId):
        return None


@dataclass
class Home:
    bot: Bot
    microsoft: MicrosoftStandIn
    accounts: Granted

    def grant(self, person: str, *scopes: str) -> None:
        self.accounts.scopes[self.bot.teams.member(person).oid] = set(scopes)

    async def heard(self, person: str, place: str, text: str = "read this", **how):
        """The question as it came, and what stands around it."""
        before = len(self.bot.door.questions)
        await self.bot.teams.say(person, place, text, **how)
        questions = await self.bot.teams.wait_for(lambda: self.bot.door.questions[before:] or None)
        return questions[0], await self.bot.adapter.listener.heard(questions[0])

    async def content(self, question, file) -> bytes:
        surface = self.bot.adapter.surface
        return await surface.fetch(file, limit=1_000, person=question.person.id)

    @property
    def asked(self) -> list[str]:
        return [one.path for one in self.microsoft.graph.requests]


@pytest.fixture
async def home(teams, tmp_path) -> AsyncIterator[Home]:
    async with MicrosoftStandIn() as microsoft:
        share(teams, microsoft)
        graph, accounts = Graph(GraphSettings(url=microsoft.graph_url)), Granted(microsoft)
        office = Office(graph=graph, db=None, accounts=accounts, clock=time.time, zone=None)
        async with running(teams, transcript=Transcript(office)) as bot:
            yield Home(bot, microsoft, accounts)
        await graph.close()


async def test_an_answer_in_a_thread_has_its_own_file_and_not_the_one_at_its_head(home, teams):
    """Without an administrator's consent: what the channel's folder tells is enough."""
    home.grant("mara", "Files.Read.All")
    root = await teams.say("tomas", "sales", "Q2", files={"orders.csv": OTHER}, is_mention=False)
    asked, heard = await home.heard("mara", "sales", root=root, files={"orders.csv": CSV})

    [own] = heard.own
    assert (own.media_type, own.size) == ("text/csv", len(CSV)) and own.name == "orders 1.csv"
    assert await home.content(asked, own) == CSV
    assert not any("/messages" in path for path in home.asked)
    assert heard.said == () and heard.unread == () and heard.missing is None


@pytest.mark.parametrize("names_group", [True, False])
async def test_what_a_thread_says_is_read_where_that_is_permitted(home, teams, names_group):
    teams.world.names_group = names_group
    home.grant("mara", "Files.Read.All", "ChannelMessage.Read.All")
    root = await teams.say("tomas", "sales", "Q2 <b>", files={"q2.csv": OTHER}, is_mention=False)
    await teams.say("priya", "sales", "it lacks Norway", root=root, is_mention=False)
    await teams.say("priya", "sales", "elsewhere", is_mention=False)
    asked, heard = await home.heard("mara", "sales", root=root, files={"q3.csv": CSV})

    said = [(one.role, one.name, one.text) for one in heard.said]
    assert said == [
        ("person", teams.member("tomas").name, "Q2 <b>"),
        ("person", teams.member("priya").name, "it lacks Norway"),
    ]
    [own], [earlier] = heard.own, heard.files
    assert (own.name, earlier.name) == ("q3.csv", "q2.csv")
    assert await home.content(asked, own) == CSV
    assert await home.content(asked, earlier) == OTHER
    # Graph knows a team by its group, which is not the id that Teams gives it.
    looked = [call for call in teams.calls if "/v3/teams/" in call.path]
    assert len(looked) == (0 if names_group else 1)
    assert not any("team0001" in path for path in home.asked)


async def test_a_group_chat_is_read_by_the_one_who_asks(home, teams):
    home.grant("mara", "Files.Read.All", "Chat.Read")
    await teams.say("mara", "planning", "before", is_mention=False)
    asked, heard = await home.heard("mara", "planning", files={"plan.md": b"# Plan"})
    assert [(one.role, one.text) for one in heard.said] == [("asker", "before")]
    [own] = heard.own
    assert (own.name, own.media_type) == ("plan.md", "text/markdown")
    assert await home.content(asked, own) == b"# Plan"


@pytest.mark.parametrize(
    ("place", "scopes"),
    [("sales", {"Files.Read.All"}), ("planning", {"Chat.Read", "Files.Read.All"})],
)
async def test_without_an_account_one_is_asked_for_and_nothing_is_read(home, place, scopes):
    _, heard = await home.heard("mara", place, files={"orders.csv": CSV})
    assert heard.missing is not None and set(heard.missing.scopes) == scopes
    assert heard.own == () and home.asked == []

    _, heard = await home.heard("mara", place)
    assert heard.missing is None and heard.own is None and heard.unread == ()


async def test_a_file_that_its_asker_may_not_see_is_not_read(home, teams):
    home.grant("mara", "Files.Read.All", "Chat.Read")
    asked, heard = await home.heard("mara", "planning", files={"plan.md": b"# Plan"})
    for drive in home.microsoft.graph.drives.values():
        for item in drive.items.values():
            item.permissions.clear()
            drive.account = home.microsoft.person("priya")
    with pytest.raises(SourceFailed, match="permi"):
        await home.content(asked, heard.own[0])

    chat = home.microsoft.graph.chats[teams.place("planning").id]
    chat.members.clear()
    _, heard = await home.heard("mara", "planning", files={"plan.md": b"# Plan"})
    assert heard.own == () and heard.said == () and len(heard.unread) == 1


async def test_where_no_account_can_be_connected_it_is_said(bot, teams):
    await teams.say("mara", "sales", "read this", files={"orders.csv": CSV})
    [asked] = await teams.wait_for(lambda: bot.door.questions or None)
    heard = await bot.adapter.listener.heard(asked)
    assert heard.own == () and "post it in our own chat" in heard.unread[0]


async def test_a_file_of_a_chat_of_two_needs_no_account(home):
    asked, heard = await home.heard("mara", "@mara", files={"orders.csv": CSV})
    assert heard.own is None and home.asked == []
    [file] = asked.files
    assert await home.content(asked, file) == CSV


async def test_a_card_or_a_message_that_is_answered_to_is_no_file(home, teams):
    marks = "".join(f'<attachment id="{id}"></attachment>' for id in ("1690000000000", "74d20c7f"))
    html = {"contentType": "text/html", "content": f"<div>look{marks}</div>"}
    asked, heard = await home.heard("mara", "sales", attachments=[html])
    assert asked.files == () and heard.missing is None
