"""An office for the tests: approvals on a real database, an MCP server, and a mail effect."""

from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from core.approvals import carry
from core.approvals.asking import Patience
from core.approvals.desk import Desk
from core.approvals.executor import Executor, Pace
from core.approvals.park import Wanted, park
from core.approvals.rooms import Known, Rooms
from core.capabilities.catalog import Catalog
from core.capabilities.servers import Server
from core.cards import Button, CallId, CardField
from core.connectors.outcome import Description, Done, Outcome
from core.errors import NeedsAccount
from core.parked import Click, EffectKind, ParkedCall, Verdict
from core.policy.approvers import approval_for
from core.policy.rules import Rules
from core.policy.section import read_policy
from core.records import (
    Address,
    Evidence,
    Json,
    Person,
    PersonId,
    Place,
    Post,
    ThreadId,
    Tool,
    TurnId,
)
from core.specialists.server import serving, tags
from core.storage import outbox, parked
from core.storage.database import Database
from tests.storage.examples import ADA, SALES

PRIYA = PersonId("slack:T1/U2")
MALLORY = PersonId("slack:T1/U666")
QUICK = Patience(perform=5.0, repeats=(0.0, 0.0, 0.0))
MAIL: Json = {"to": ["priya@larkspur.example"], "subject": "Q3", "body": "Attached."}
OFFERED: list[Json] = [{"offer": "tool:*"}]


@dataclass
class Hands:
    """A clock that is turned by hand."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class PostBox:
    """The effect behind `mail/send`: keeps what was sent, and answers as it is told to."""

    tool: str = "mail/send"
    answers: list[Outcome | Exception] = field(default_factory=list)
    """What the next performs come to; afterwards each is done."""
    read_back: list[Outcome | None] = field(default_factory=list)
    needs: tuple[str, ...] = ()
    certainty: EffectKind = "blind"
    signature: str = "Larkspur Cycles"
    sent: list[ParkedCall] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    looked: int = 0

    def kind(self, granted: Collection[str]) -> EffectKind:
        return self.certainty

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return self.needs

    async def prepare(self, call: ParkedCall) -> Json:
        return {"signature": self.signature}

    def describe(self, arguments: Json, facts: Json) -> Description:
        fields = [
            CardField(label=name.capitalize(), value=_text(arguments[name]), is_long=name == "body")
            for name in ("to", "cc", "bcc", "subject", "amount", "attachments", "body")
            if arguments.get(name)
        ]
        signature = CardField(label="Signature", value=facts["signature"])
        return Description(title="Send a mail", fields=(*fields, signature))

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        self.tokens.append(token)
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        self.sent.append(call)
        return answer or Done(summary="Sent.", link="https://mail.example/1", request_id="r-1")

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        self.looked += 1
        return self.read_back.pop(0) if self.read_back else None


@dataclass
class Accounts:
    """Microsoft accounts: who has one, and what was asked of them."""

    connected: set[PersonId] = field(default_factory=set)
    minted: list[tuple[PersonId, tuple[str, ...]]] = field(default_factory=list)
    proof: str = ""
    """The claims challenge with which tokens are refused."""
    proven: list[str] = field(default_factory=list)
    """The claims of each link that was offered."""

    async def token(self, person: PersonId, scopes: Sequence[str]) -> str:
        if person not in self.connected:
            raise NeedsAccount("revoked", "Connect your account again.")
        if self.proof:
            raise NeedsAccount("interaction_required", "Prove it is you.", claims=self.proof)
        self.minted.append((person, tuple(scopes)))
        return f"token of {person}, number {len(self.minted)}"

    async def granted(self, person: PersonId) -> frozenset[str] | None:
        return frozenset({"Mail.Send"}) if person in self.connected else None

    async def offer(
        self, person: PersonId, scopes: Iterable[str], address: Address, *, claims: str = ""
    ) -> Verdict:
        asked = " ".join(scopes)
        self.proven.append(claims)
        url = "https://connect.example/once"
        return Verdict(kind="connect", sentence=f"Connect for {asked}.", url=url)

    async def connect(self, person: PersonId, address: Address) -> Verdict:
        return await self.offer(person, (), address)

    async def exchange(self, person: PersonId, assertion: str, address: Address) -> Verdict:
        return Verdict(kind="refused", sentence="Nobody is signed in here.")

    async def disconnect(self, person: PersonId) -> str:
        self.connected.discard(person)
        return "Gone."


@dataclass
class Neighbours:
    """Who is who: everybody unless they left; some are joined, some are in groups."""

    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    joined: dict[str, frozenset[str]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)

    async def known(self, person: PersonId) -> Known | None:
        if person in self.gone:
            return None
        who = await self.profile(person)
        return Known(
            person=replace(who, groups=self.groups.get(person, ())),
            ids=self.joined.get(person, frozenset({person})),
        )

    async def profile(self, person: PersonId) -> Person:
        return Person(id=person, name={ADA.id: "Ada", PRIYA: "Priya"}.get(person, ""))


@dataclass
class Office:
    db: Database
    clock: Hands
    rooms: Rooms
    desk: Desk
    box: PostBox
    accounts: Accounts
    people: Neighbours
    rules: list[Rules]
    """The rules of this moment are the last."""
    heard: list[tuple[Json, str]]
    """What the foreign tool `crm/create_lead` was called with: (arguments, idempotency key)."""
    parkings: int = 0

    def policy(self, *rules: Json, **section: Any) -> None:
        self.rules.append(read_policy({"rules": [*OFFERED, *rules], **section}))

    async def tool(self, key: str = "mail/send") -> Tool:
        found = await self.rooms.catalog.discover()
        return next(tool for tool in found.tools if tool.key == key)

    async def park(
        self,
        arguments: Json | None = None,
        *,
        key: str = "mail/send",
        person: Person = ADA,
        place: Place = SALES,
        turn: str = "t_1",
        evidence: Sequence[Evidence] = (),
    ) -> ParkedCall:
        """Park a call as the loop does."""
        self.parkings += 1
        tool = await self.tool(key)
        given = MAIL if arguments is None else arguments
        approval = approval_for(tool, given, person, place, self.rules[-1])
        assert approval is not None
        placed = await park(
            self.rooms,
            Wanted(
                turn=TurnId(turn),
                thread=ThreadId("slack:T1/C1/1"),
                place=place,
                address={"channel": "C1", "thread_ts": "1", "user": "U1"},
                requester=person.id,
                question="mail the Q3 summary to Priya",
                tool=tool,
                arguments=given,
                approval=approval,
                evidence=evidence,
                place_in_turn=f"{self.parkings}",
            ),
        )
        return placed.call

    async def click(
        self, call: ParkedCall, button: Button = "send", person: PersonId = ADA.id, **more: Any
    ) -> Verdict:
        click = self.clicked(call, button, person, **more)
        return await self.desk.decide(click)

    def clicked(
        self, call: ParkedCall, button: Button = "send", person: PersonId = ADA.id, **more: Any
    ) -> Click:
        click = Click(
            delivery=f"d-{call.id}-{button}",
            person=person,
            place="slack:T1/C1",
            call=call.id,
            revision=call.revision,
            button=button,
        )
        return replace(click, **more)

    async def now(self, call: ParkedCall | CallId) -> ParkedCall:
        found = await parked.read(self.db, call if isinstance(call, str) else call.id)
        assert found is not None
        return found

    async def carry_out(self) -> None:
        """One look of the executor, without its loop."""
        for due in await parked.to_carry_out(self.db, 1_000, now=self.rooms.clock()):
            call = await self.now(due.id)
            step = carry.carry if call.state == "approved" else carry.settle
            await step(self.rooms, call, QUICK)

    async def is_at_rest(self) -> bool:
        return not await parked.to_carry_out(self.db, 1, now=self.rooms.clock())

    def executor(self) -> Executor:
        return Executor(self.rooms, Pace(poll=0.02, patience=QUICK))

    async def posts(self) -> list[Post]:
        """Everything that waits in the outbox, in order."""
        rows = await self.db.fetch("SELECT id FROM outbox WHERE state = 'waiting' ORDER BY seq")
        found = {post.id: post for post in await _all_posts(self.db)}
        return [found[row["id"]] for row in rows]

    async def told(self, person: PersonId) -> list[str]:
        return [
            post.answer.text
            for post in await self.posts()
            if post.kind == "private" and post.person == person
        ]


async def _all_posts(db: Database) -> list[Post]:
    rows = await db.fetch("SELECT body, attempt FROM outbox")
    return [outbox._post(row["body"], row["attempt"]) for row in rows]


async def approved(
    room: Office, arguments: Json | None = None, key: str = "mail/send"
) -> ParkedCall:
    """A call that its asker has agreed to."""
    call = await room.park(arguments, key=key)
    assert (await room.click(call)).kind == "recorded"
    return await room.now(call)


@asynccontextmanager
async def office(db: Database, *rules: Json, **section: Any) -> AsyncGenerator[Office]:
    """The office, with two servers: `mail`, whose effect is a post box, and `crm`, a foreign
    one."""
    clock, box, accounts, people = Hands(), PostBox(), Accounts(), Neighbours()
    said = [read_policy({"rules": [*OFFERED, *rules], **section})]
    heard: list[tuple[Json, str]] = []
    async with serving(mail_server()) as mail, serving(crm_server(heard)) as crm:
        servers = (Server(name="mail", app=mail), Server(name="crm", app=_listening(crm, heard)))
        async with Catalog(servers, _NoPins(), clock=clock) as catalog:
            rooms = Rooms(
                db=db,
                clock=clock,
                rules=lambda: said[-1],
                catalog=catalog,
                effects={box.tool: box},
                tokens=accounts,
                people=people,
                accounts=accounts,
            )
            yield Office(
                db=db,
                clock=clock,
                rooms=rooms,
                desk=Desk(rooms),
                box=box,
                accounts=accounts,
                people=people,
                rules=said,
                heard=heard,
            )


def mail_server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("mail", log_level="ERROR")

    @server.tool(name="send", meta=tags("requires_approval"))
    def send(
        to: Annotated[list[str], Field(min_length=1)],
        subject: str,
        body: str,
        cc: list[str] | None = None,
        bcc: list[str] | None = None,
        amount: float | None = None,
        urgent: bool = False,
        priority: int = 3,
        attachments: list[str] | None = None,
    ) -> str:
        """Send a mail."""
        raise ToolError("only the executor sends")

    return server


def crm_server(heard: list[tuple[Json, str]]) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("crm", log_level="ERROR")
    asks = tags("requires_approval")

    @server.tool(name="create_lead", meta=asks)
    def create_lead(name: str, revenue: float, contacts: list[dict[str, str]] | None = None) -> str:
        """Create a lead in the CRM. It is shown to all of sales."""
        heard.append(({"name": name, "revenue": revenue, "contacts": contacts}, KEYS[-1]))
        if name == "Refused":
            raise ToolError("the CRM does not take this name")
        return f"Lead {name} created."

    @server.tool(name="set_stage", meta=asks, annotations=ToolAnnotations(idempotent_hint=True))
    def set_stage(lead: str, stage: str) -> str:
        """Set the stage of a lead."""
        heard.append(({"lead": lead, "stage": stage}, KEYS[-1]))
        return f"{lead} is {stage}."

    @server.tool(name="list_leads")
    def list_leads() -> str:
        """List the leads."""
        return "no leads"

    return server


KEYS = [""]
"""The idempotency key of the request that is under way."""


def _listening(app: Any, heard: list[tuple[Json, str]]) -> Any:
    async def listening(scope: Any, receive: Any, send: Any) -> None:
        headers = {name.decode(): value.decode() for name, value in scope.get("headers", [])}
        KEYS.append(headers.get("idempotency-key", ""))
        await app(scope, receive, send)

    return listening


class _NoPins:
    async def pinned(self) -> dict[str, str]:
        return {}

    async def accept(self, key: str, digest: str, by: str, at: float, listing: str = "") -> None:
        raise NotImplementedError

    async def listing(self, key: str) -> str:
        return ""


def _text(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
