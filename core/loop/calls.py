"""One tool call of a turn: from what the model asked for to the text that it is shown."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from core.capabilities import results
from core.capabilities.arguments import validate
from core.capabilities.catalog import Catalog
from core.capabilities.invoke import RawResult
from core.capabilities.reading import READ_RESULT, read_result
from core.context.prompts import evidence as numbered
from core.errors import BadArguments, DeadlineExceeded, NotAllowed, SourceFailed
from core.ledger.meter import Meter
from core.loop.steps import CallResult
from core.policy.rules import Rules, may_call
from core.ports import Clock
from core.records import Billing, Evidence, EvidenceId, Json, Tool, ToolCall, Turn, TurnId
from core.storage import evidence, files
from core.storage.database import Database
from core.telemetry import logs

log = logs.get(__name__)


def evidence_id(turn: TurnId, number: int) -> EvidenceId:
    """The id of a turn's evidence: the same when a round is run again after a crash."""
    return EvidenceId(f"{turn}.{number}")


def number_of(id: EvidenceId) -> int:
    """The number under which the model saw this evidence, in its own turn."""
    return int(id.rpartition(".")[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """What performing the calls of one turn needs; lives as long as the turn."""

    turn: Turn
    billing: Billing
    by_alias: Mapping[str, Tool]
    """The permitted set under the names that the model was given."""
    accepted: Mapping[str, str]
    rules: Rules
    deadline: float
    """Seconds that one call may take."""
    catalog: Catalog
    db: Database
    meter: Meter
    clock: Clock
    progress: Callable[[str], Awaitable[None]]

    async def perform(self, call: ToolCall, number: int, round: int) -> CallResult:
        """Perform the call and keep what came back, whole, as evidence `number` of the turn.

        Whatever the model or the tool does wrong comes back as a result that says so: the model
        can mend it, and the other calls of the round go on. Raises `Unavailable` alone.
        """
        tool = self.by_alias.get(call.name)
        started = self.clock()
        try:
            if tool is None:
                raise NotAllowed(f"there is no tool {call.name} here")
            if call.fault:
                raise BadArguments(call.fault)
            self._check(tool, call.arguments)
            if tool.key == READ_RESULT.key:
                return await self._read(call.arguments)
            raw = await self._invoke(tool, call.arguments, round)
        except (BadArguments, NotAllowed, SourceFailed, DeadlineExceeded) as failure:
            key = tool.key if tool else ""
            log.info("call.failed", turn=self.turn.id, tool=key, kind=type(failure).__name__)
            return CallResult(text=f"Error: {failure}", is_error=True)
        seconds = round_seconds(self.clock() - started)
        log.info("call.done", turn=self.turn.id, tool=tool.key, size=len(raw.text), seconds=seconds)
        return await self._keep(tool, call.arguments, raw, number)

    def _check(self, tool: Tool, arguments: Json) -> None:
        """Policy once more, now with the arguments: it may have changed since the offer."""
        question = self.turn.question
        if tool.key != READ_RESULT.key and (
            rule := may_call(
                tool,
                arguments,
                question.person,
                question.place,
                question.text,
                self.rules,
                self.accepted,
            )
        ):
            raise NotAllowed(f"not permitted: {rule}")
        validate(tool, arguments)

    async def _invoke(self, tool: Tool, arguments: Json, round: int) -> RawResult:
        billing = replace(self.billing, round=round, purpose="tool", tool=tool.key)
        raw = await self.catalog.call(
            tool,
            arguments,
            credentials={},
            on_progress=self.progress,
            deadline=self.deadline,
            billing=billing,
        )
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
        head = numbered(number, "")
        shown = results.shorten(raw.text, piece.id, limit=results.LIMIT - len(head))
        return CallResult(text=head + shown, is_error=raw.is_error)

    async def _read(self, arguments: Json) -> CallResult:
        """Read on in a result of this thread. Nothing new is kept: it is evidence already."""
        asked = str(arguments.get("evidence", "")).strip()
        own = evidence_id(self.turn.id, int(asked)) if asked.isdecimal() else EvidenceId(asked)
        piece = await evidence.read(self.db, own)
        if piece is None or piece.thread != self.turn.question.thread:
            raise BadArguments(f"there is no evidence {asked!r} in this thread")
        return CallResult(text=read_result(piece, arguments), is_error=False)


def title(tool: Tool, arguments: Json) -> str:
    """How a person is told what evidence this is: the tool's words and its arguments."""
    words = tool.name.replace("_", " ").strip().capitalize()
    values = ", ".join(
        str(value) for value in arguments.values() if isinstance(value, str | int) and str(value)
    )
    return f"{words}: {values}"[:120] if values else words


def round_seconds(seconds: float) -> float:
    return round(seconds, 3)
