"""One tool call of a turn: from what the model asked for to the text that it is shown."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from core.approvals.park import Wanted, park
from core.approvals.rooms import Rooms as Approvals
from core.capabilities import results
from core.capabilities.arguments import validate
from core.capabilities.catalog import Catalog
from core.capabilities.raw import RawResult
from core.capabilities.reading import READ_RESULT, read_result
from core.context.prompts import evidence as numbered
from core.errors import BadArguments, DeadlineExceeded, NeedsAccount, NotAllowed, SourceFailed
from core.ledger.meter import Meter
from core.loop.steps import CallResult
from core.parked import Approval, ParkedCall
from core.policy.approvers import approval_for
from core.policy.rules import Rules, may_call
from core.ports import Clock
from core.records import (
    Billing,
    Evidence,
    EvidenceId,
    Json,
    PersonId,
    Tool,
    ToolCall,
    Turn,
    TurnId,
)
from core.storage import evidence, files
from core.storage.database import Database
from core.telemetry import logs, metrics, spans

_SOURCE = re.compile(r"\[source (\d{1,2})\]")

log = logs.get(__name__)


def evidence_id(turn: TurnId, number: int) -> EvidenceId:
    """The id of a turn's evidence: the same when a round is run again after a crash."""
    return EvidenceId(f"{turn}.{number}")


def number_of(id: EvidenceId) -> int:
    """The number under which the model saw this evidence, in its own turn."""
    return int(id.rpartition(".")[2])


def was_shown(piece: Evidence, turn: Turn) -> bool:
    """Whether the turn's model saw it; what came of a parked call meanwhile it did not see."""
    return piece.id.startswith(f"{turn.id}.")


Credentials = Callable[[PersonId, Tool], Awaitable[Mapping[str, str]]]
"""The headers with a person's own credentials for a tool's server. Raises `NeedsAccount`."""


async def no_credentials(person: PersonId, tool: Tool) -> Mapping[str, str]:
    return {}


async def not_asked(missing: NeedsAccount) -> str:
    return str(missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """What performing the calls of one turn needs; lives as long as the turn."""

    turn: Turn
    billing: Billing
    by_alias: Mapping[str, Tool]
    """The permitted set under the names that the model was given."""
    accepted: Mapping[str, str]
    rules: Callable[[], Awaitable[Rules]]
    """The rules of the moment of a call."""
    deadline: float
    """Seconds that one call may take."""
    catalog: Catalog
    db: Database
    meter: Meter
    clock: Clock
    progress: Callable[[str], Awaitable[None]]
    credentials: Credentials
    needs_account: Callable[[NeedsAccount], Awaitable[str]] = not_asked
    """Asks the person for the account that a call needs; what the model is told of it."""
    hidden: frozenset[TurnId] = frozenset()
    """Turns of the thread whose evidence is not to be read any more."""
    kept: list[Evidence] = field(default_factory=list[Evidence])
    """What this try of the turn brought, as it came."""
    approvals: Approvals | None = None
    """None: no call can wait for a person, and one that would have to is refused."""

    async def perform(self, call: ToolCall, number: int, round: int) -> CallResult:
        """Perform the call and keep what came back, whole, as evidence `number` of the turn.

        Whatever the model or the tool does wrong comes back as a result that says so: the model
        can mend it, and the other calls of the round go on. Raises `Unavailable` alone.
        """
        tool = self.by_alias.get(call.name)
        key = tool.key if tool else ""
        began = self.clock()
        with spans.tool_call(key, call.id, self.turn.id) as span:
            result = await self._performed(tool, call, number, round)
            span.set({"countersign.outcome": result.outcome, "countersign.size": len(result.text)})
        seconds = round_seconds(self.clock() - began)
        metrics.tool_called(key, result.outcome, seconds)
        return replace(result, tool=key, number=number, began=began, seconds=seconds)

    async def _performed(
        self, tool: Tool | None, call: ToolCall, number: int, round: int
    ) -> CallResult:
        started = self.clock()
        try:
            if tool is None:
                raise NotAllowed(f"there is no tool {call.name} here")
            if call.fault:
                raise BadArguments(call.fault)
            approval = await self._check(tool, call.arguments)
            if tool.key == READ_RESULT.key:
                return await self._read(call.arguments)
            if approval is not None and self.approvals is not None:
                return await self._park(self.approvals, tool, call, approval, number)
            raw = await self._invoke(tool, call.arguments, round)
        except (BadArguments, NotAllowed, SourceFailed, DeadlineExceeded, NeedsAccount) as failure:
            key = tool.key if tool else ""
            log.info("call.failed", turn=self.turn.id, tool=key, kind=type(failure).__name__)
            needs = isinstance(failure, NeedsAccount)
            said = await self.needs_account(failure) if needs else str(failure)
            return CallResult(text=f"Error: {said}", is_error=True)
        seconds = round_seconds(self.clock() - started)
        log.info("call.done", turn=self.turn.id, tool=tool.key, size=len(raw.text), seconds=seconds)
        return await self._keep(tool, call.arguments, raw, number)

    async def _check(self, tool: Tool, arguments: Json) -> Approval | None:
        """Policy once more, now with the arguments: it may have changed since the offer. Who has
        to approve the call, None when nobody."""
        question = self.turn.question
        validate(tool, arguments)
        if tool.key == READ_RESULT.key:
            return None
        rules = await self.rules()
        if rule := may_call(
            tool,
            arguments,
            question.person,
            question.place,
            question.text,
            rules,
            self.accepted,
            approvals=self.approvals is not None,
        ):
            raise NotAllowed(f"not permitted: {rule}")
        return approval_for(tool, arguments, question.person, question.place, rules)

    async def _park(
        self, approvals: Approvals, tool: Tool, call: ToolCall, approval: Approval, number: int
    ) -> CallResult:
        """A person decides. The call is never performed here, and the round goes on."""
        question = self.turn.question
        so_far = await evidence.of_turn(self.db, self.turn.id)
        placed = await park(
            approvals,
            Wanted(
                turn=self.turn.id,
                thread=question.thread,
                place=question.place,
                address=question.address,
                requester=question.person.id,
                question=question.text,
                tool=tool,
                arguments=call.arguments,
                approval=approval,
                evidence=so_far,
                place_in_turn=f"{number}.{call.id}",
            ),
        )
        waits = placed.call
        log.info("call.parked", turn=self.turn.id, call=waits.id, tool=tool.key)
        return CallResult(text=parked_text(waits), is_error=False, outcome="parked")

    async def _invoke(self, tool: Tool, arguments: Json, round: int) -> RawResult:
        billing = replace(self.billing, round=round, purpose="tool", tool=tool.key)
        raw = await self.catalog.call(
            tool,
            arguments,
            credentials=await self.credentials(self.billing.person, tool),
            on_progress=self.progress,
            deadline=self.deadline,
            billing=billing,
        )
        if raw.needs is not None:
            raise raw.needs
        for use in raw.usage:
            await self.meter.report(
                billing, kind=use.kind, provider=use.provider, model=use.model, usage=use.usage
            )
        return raw

    async def _keep(self, tool: Tool, arguments: Json, raw: RawResult, number: int) -> CallResult:
        now = self.clock()
        piece = Evidence(
            id=evidence_id(self.turn.id, number),
            turn=self.turn.id,
            thread=self.turn.question.thread,
            person=self.turn.question.person.id,
            tool=tool.key,
            title=title(tool, arguments),
            arguments=arguments,
            text=raw.text,
            structured=raw.structured,
            links=raw.links,
            files=tuple(file for file, _ in raw.files),
            is_error=raw.is_error,
            made_at=now,
        )
        for file, content in raw.files:
            await files.keep(self.db, self.turn.id, file, content, made_at=now)
        await evidence.keep(self.db, piece)
        self.kept.append(piece)
        return CallResult(text=shown(piece), is_error=raw.is_error, outcome="kept")

    async def _read(self, arguments: Json) -> CallResult:
        """Read on in a result of this thread. Nothing new is kept: it is evidence already."""
        named = named_evidence(self.turn.id, arguments)
        piece = await evidence.known(self.db, self.turn.question.thread, named)
        if piece is None or piece.turn in self.hidden:
            asked = str(arguments.get("evidence", "")).strip()
            raise BadArguments(f"there is no evidence {asked!r} in this thread")
        return CallResult(text=read_result(piece, arguments), is_error=False, outcome="read")


def named_evidence(turn: TurnId, arguments: Json) -> EvidenceId:
    """The evidence that the arguments of `read_result` name: by its id, or one of this turn by
    its number."""
    asked = str(arguments.get("evidence", "")).strip()
    return evidence_id(turn, int(asked)) if asked.isdecimal() else EvidenceId(asked)


def shown(piece: Evidence) -> str:
    """The evidence as the model of its turn is shown it."""
    number = number_of(piece.id)
    head = numbered(number, "")
    # What the tool calls its first source is `[2.1]` in the second evidence.
    text = _SOURCE.sub(lambda mark: f"[{number}.{mark[1]}]", piece.text)
    return head + results.shorten(text, piece.id, limit=results.LIMIT - len(head))


def title(tool: Tool, arguments: Json) -> str:
    """How a person is told what evidence this is: the tool's words and its arguments."""
    words = tool.name.replace("_", " ").strip().capitalize()
    values = ", ".join(
        str(value) for value in arguments.values() if isinstance(value, str | int) and str(value)
    )
    return f"{words}: {values}"[:120] if values else words


def parked_text(call: ParkedCall) -> str:
    """What the model is told of a call that waits: it has not happened, and is not to be made
    again."""
    if call.state != "parked":
        return (
            f"This call was parked as #{call.number} before and is {call.state} by now."
            f" {call.outcome} Do not call it again."
        ).replace("  ", " ")
    return (
        f"Parked as #{call.number}: a person decides about it on a card that is already shown. It"
        f" has not happened. Do not call it again; say that #{call.number} waits for a decision,"
        " and never that it is done."
    )


def round_seconds(seconds: float) -> float:
    return round(seconds, 3)
