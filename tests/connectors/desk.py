"""Somebody's calls for the tests: prepared, carried out and read back as the executor does it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from core.cards import CallId
from core.connectors.graph import Graph
from core.connectors.office import Office
from core.connectors.outcome import Description, Done, Effect, Failed, Outcome, Unknown
from core.errors import NeedsAccount
from core.identity.claims import Account
from core.identity.mint import Token
from core.parked import Approval, ParkedCall
from core.records import Evidence, EvidenceId, Json, PersonId, Place, ThreadId, TurnId
from core.storage import evidence
from core.storage.database import Database

THREAD, TURN = ThreadId("slack:T1/C1/1"), TurnId("t_1")
READ = "Mail.Read Files.Read User.ReadBasic.All Calendars.Read Chat.ReadBasic Channel.ReadBasic.All"


@dataclass
class Accounts:
    """Everybody's Microsoft account, with tokens of the stand-in."""

    ms: MicrosoftStandIn
    granted: str = READ
    gone: set[str] = field(default_factory=set)
    asked: list[tuple[str, tuple[str, ...], bool]] = field(default_factory=list)

    async def token(self, person: PersonId, scopes: Iterable[str], *, fresh: bool = True) -> Token:
        wanted = tuple(scopes)
        self.asked.append((person, wanted, fresh))
        if person in self.gone:
            raise NeedsAccount("not_linked", "Connect your Microsoft account first.")
        value = self.ms.token(person, " ".join(wanted))
        return Token(value=value, granted=frozenset(wanted), oid="", expires=0.0)

    async def account(self, person: PersonId) -> Account | None:
        if person in self.gone:
            return None
        known = self.ms.person(person)
        return Account(tenant="t", oid=known.oid, address=known.upn, name=known.display_name)


@dataclass
class Desk:
    """`pauses` is how long was waited, without having waited."""

    ms: MicrosoftStandIn
    accounts: Accounts
    office: Office
    pauses: list[float] = field(default_factory=list)
    number: int = 0

    async def park(
        self, effect: Effect, arguments: Json, *, person: str = "mara", granted: str = ""
    ) -> ParkedCall:
        """`granted` is what the person's account has agreed to."""
        self.number += 1
        call = ParkedCall(
            id=CallId(f"c_{self.number:020}"),
            number=self.number,
            turn=TURN,
            thread=THREAD,
            place=Place(surface="slack", tenant="T1", channel="C1", kind="private"),
            address={},
            requester=PersonId(person),
            authority=PersonId(person),
            tool=effect.tool,
            tool_digest="",
            arguments=arguments,
            proposed=arguments,
            digest="",
            policy_version="",
            approval=Approval(),
            question="",
            parked_at=0.0,
            expires_at=1e12,
        )
        facts = await effect.prepare(call)
        return replace(call, facts=facts, effect=effect.kind(frozenset(granted.split())))

    def described(self, effect: Effect, call: ParkedCall) -> Description:
        return effect.describe(call.arguments, call.facts)

    def shown(self, effect: Effect, call: ParkedCall) -> dict[str, str]:
        return {one.label: one.value for one in self.described(effect, call).fields}

    def token(self, effect: Effect, call: ParkedCall) -> str:
        return self.ms.token(call.authority, " ".join(effect.scopes(call.effect)))

    async def perform(self, effect: Effect, call: ParkedCall) -> Outcome:
        return await effect.perform(call, self.token(effect, call))

    async def carry_out(self, effect: Effect, call: ParkedCall, looks: int = 4) -> Outcome:
        """Performed; where its outcome is in doubt looked at, and a keyed one repeated."""
        outcome = await self.perform(effect, call)
        for _ in range(looks):
            if not isinstance(outcome, Unknown) or call.effect == "blind":
                break
            found = await effect.reconcile(call, self.token(effect, call))
            if found is None and call.effect == "keyed":
                found = await self.perform(effect, call)
                if isinstance(found, Failed):
                    break
            if isinstance(found, Done | Failed):
                return found
        return outcome


def desk(ms: MicrosoftStandIn, graph: Graph, db: Database, signature: str = "") -> Desk:
    accounts = Accounts(ms)
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async def zone(person: PersonId) -> str:
        return ms.person(person).time_zone

    office = Office(
        graph=graph,
        db=db,
        accounts=accounts,
        clock=ms.tenant.clock,
        zone=zone,
        signature=signature,
        sleep=sleep,
    )
    return Desk(ms, accounts, office, pauses)


async def keep(db: Database, number: int, text: str, **more: object) -> Evidence:
    """Evidence of the turn that the calls belong to."""
    piece = Evidence(
        id=EvidenceId(f"{TURN}.{number}"),
        turn=TURN,
        thread=THREAD,
        person=PersonId("mara"),
        tool="sample/sales_by",
        title="Sales by region",
        arguments={},
        text=text,
        made_at=float(number),
    )
    piece = replace(piece, **more)
    await evidence.keep(db, piece)
    return piece
