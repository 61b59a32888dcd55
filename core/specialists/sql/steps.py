"""The steps of an answer: pick tables, write SQL, run it through the guard, look at the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from core.records import ModelMessage, ToolCall
from core.specialists import talk
from core.specialists.flow import MODEL_CALLS, REFINEMENTS
from core.specialists.sql import checks, periods, telling, verified
from core.specialists.sql.anatomy import Anatomy, anatomy
from core.specialists.sql.desk import Desk
from core.specialists.sql.engine import Profile, QueryFailed, Rows
from core.specialists.sql.guard import Admitted, Refused, admit
from core.specialists.sql.probing import Probed, probe
from core.specialists.sql.result import Query
from core.specialists.sql.schema import Relation, Schema
from core.specialists.sql.source import Verified
from core.specialists.talk import Update
from core.times import local

MENDABLE = {"syntax", "unknown_table", "unknown_column", "unknown_function", "type", "too_large"}
"""Failures that a better query can do without."""
_NOW = "Write days out as dates: functions for the current date are refused."


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The state of the graph. Nothing of it is kept beyond the answer."""

    schema: Schema = field(default_factory=Schema)
    vouched: Verified | None = None
    """The verified query that is being answered."""
    picked: tuple[str, ...] = ()
    messages: tuple[ModelMessage, ...] = ()
    sql: str = ""
    tries: int = 0
    spent: int = 0
    """Model calls."""
    heard: tuple[str, ...] = ()
    """Doubts that the model was told of once."""
    rows: Rows | None = None
    query: Query | None = None
    ended: Literal["", "answered", "asks", "refused"] = ""
    sentence: str = ""
    """What the person is asked, or why there is no answer."""

    @property
    def written(self) -> str:
        return self.sql


class Step:
    """The nodes of the graph, for one question."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def begin(self, work: Work) -> Update:
        """Read what there is, and look for a verified query."""
        desk = self._desk
        try:
            schema = await desk.schema()
        except QueryFailed as failure:
            return talk.refused(failure.sentence)
        if not schema.relations:
            return talk.refused("There is no table here that you may read.")
        known = desk.source.verified
        found = verified.exact(desk.asked.question, known)
        if found is None and desk.ask is None:
            found = verified.same(desk.asked.question, known)
        made: Update = {"schema": schema, "vouched": found, "tries": 0, "spent": 0, "heard": ()}
        if found is not None:
            return {**made, "sql": periods.filled(found.sql, desk.asked.today)}
        if desk.ask is None:
            return {**made, **talk.refused(_without_a_model(known))}
        return made

    async def pick(self, work: Work) -> Update:
        """Let the model choose tables from the index."""
        desk = self._desk
        await desk.progress("looking for the tables")
        messages = [*self._opening(), talk.said(telling.index(work.schema))]
        reply = await desk.think(messages, [telling.TOOLS.pick, telling.TOOLS.give_up])
        call = talk.called(reply)
        if call is not None and call.name == telling.TOOLS.give_up.name:
            return {**talk.refused(talk.reason(call)), "spent": 1}
        picked = _existing(call, work.schema)
        if not picked:
            return {
                **talk.refused(reply.message.text or "No table was found for this."),
                "spent": 1,
            }
        return {"picked": tuple(one.key for one in picked), "spent": 1}

    async def learn(self, work: Work) -> Update:
        """Put together what the model has to know to write."""
        desk = self._desk
        relations = _chosen(work)
        blocks = [
            telling.columns(one, work.schema.default, await self._profiles(one))
            for one in relations
        ]
        near = verified.near(desk.asked.question, desk.source.verified)
        near = [replace(one, sql=periods.filled(one.sql, desk.asked.today)) for one in near]
        told = [
            "\n\n".join(blocks),
            telling.guidance(desk.source, desk.asked.question, relations),
            telling.examples(near),
        ]
        messages = (*self._opening(), talk.said("\n\n".join(filter(None, told))))
        return {"messages": messages}

    async def write(self, work: Work) -> Update:
        """Let the model write the query, or write it anew."""
        desk = self._desk
        await desk.progress("writing the query")
        reply = await desk.think(work.messages, [*telling.TOOLS])
        call = talk.called(reply)
        made: Update = {"spent": work.spent + 1}
        if call is None or call.name == telling.TOOLS.give_up.name:
            return {**made, **talk.refused(talk.reason(call) if call else reply.message.text)}
        messages = (*work.messages, ModelMessage(role="assistant", text="", calls=(call,)))
        if call.name == telling.TOOLS.pick.name:
            if made["spent"] >= MODEL_CALLS:
                return {**made, **talk.refused("No query was written.")}
            return {**made, "sql": "", "messages": (*messages, await self._shown(call, work))}
        sql = str(call.arguments.get("sql", ""))
        return {**made, "sql": sql, "messages": messages, "tries": work.tries + 1}

    async def _shown(self, call: ToolCall, work: Work) -> ModelMessage:
        """The columns of further tables."""
        found = _existing(call, work.schema)
        told = [
            telling.columns(one, work.schema.default, await self._profiles(one)) for one in found
        ]
        return talk.shown(call, "\n\n".join(told))

    async def run(self, work: Work) -> Update:
        """Through the guard and to the source; what came of it."""
        desk = self._desk
        try:
            admitted = admit(work.sql, work.schema, desk.source, desk.row_cap)
            seen = anatomy(admitted.sql, desk.source.dialect)
            if seen.reads_clock and work.vouched is None:
                raise Refused(_NOW)
            await desk.progress("running the query")
            rows = await desk.engine.run(admitted, desk.asked.token, desk.left)
            return await self._looked_at(work, admitted, seen, rows)
        except Refused as refusal:
            return talk.again(work, refusal.reason, refusal.candidates)
        except QueryFailed as failure:
            if failure.kind not in MENDABLE:
                return talk.refused(failure.sentence)
            return talk.again(work, failure.sentence, failure.candidates)

    async def _looked_at(self, work: Work, admitted: Admitted, seen: Anatomy, rows: Rows) -> Update:
        """Checks: what makes the model write anew, what makes us ask, what is to be said."""
        desk = self._desk
        probed = await probe(desk, work.schema, admitted, rows)
        found = await checks.doubts(seen, rows, work.schema, desk.profiled)
        if work.vouched is None:
            if probed.question:
                return {"ended": "asks", "sentence": probed.question}
            told = [*probed.hints, *(one.sentence for one in found if one.is_for_model)]
            new = tuple(one for one in told if one not in work.heard)
            if new and work.tries <= REFINEMENTS:
                again = talk.again(work, " ".join(new))
                return {**again, "heard": (*work.heard, *new)}
        query = self._query(work, admitted, seen, rows, probed, checks.notes(found))
        return {"ended": "answered", "rows": rows, "query": query}

    def _query(
        self,
        work: Work,
        admitted: Admitted,
        seen: Anatomy,
        rows: Rows,
        probed: Probed,
        doubts: tuple[str, ...],
    ) -> Query:
        desk = self._desk
        vouched = work.vouched or self._recognised(work, admitted)
        now = local(desk.clock(), desk.asked.time_zone)
        remarks = tuple(
            remark
            for key in admitted.tables
            for remark in desk.remarks.get(key.rpartition(".")[2], ())
        )
        return Query(
            source=desk.source.title,
            sql=admitted.sql,
            tables=admitted.tables,
            filters=tuple(one.text for one in admitted.filters),
            rows=len(rows.rows),
            is_complete=checks.is_complete(seen, rows),
            time_zone=desk.source.time_zone,
            as_of=f"{now:%Y-%m-%d %H:%M} {now.tzname()}",
            seconds=rows.seconds,
            notes=(*_of_demo(desk), *doubts, *probed.notes, *dict.fromkeys(remarks)),
            verified=verified.in_words(vouched) if vouched else "",
            tries=max(1, work.tries),
        )

    def _recognised(self, work: Work, admitted: Admitted) -> Verified | None:
        """A query that says the same as a verified one is that one, whoever wrote it."""
        desk = self._desk
        for one in desk.source.verified:
            try:
                sql = periods.filled(one.sql, desk.asked.today)
                if admit(sql, work.schema, desk.source, desk.row_cap).sql == admitted.sql:
                    return one
            except Refused:
                continue
        return None

    def _opening(self) -> tuple[ModelMessage, ModelMessage]:
        asked = self._desk.asked
        today = periods.in_words(asked.today, asked.time_zone)
        return talk.opening(telling.house(self._desk.source, today), asked.question)

    async def _profiles(self, relation: Relation) -> Mapping[str, Profile]:
        return await self._desk.look_at(relation) if self._desk.discovery == "progressive" else {}


def _of_demo(desk: Desk) -> tuple[str, ...]:
    if desk.ask is not None:
        return ()
    return ("the demo model writes no SQL and answers by verified queries alone",)


def _existing(call: ToolCall | None, schema: Schema) -> list[Relation]:
    """The tables that the call names, as far as there are such."""
    found = {one.key: one for name in talk.tables(call) for one in schema.named(name)}
    return list(found.values())[: talk.PICKED]


def _chosen(work: Work) -> list[Relation]:
    """The picked tables; all, where there was nothing to pick."""
    picked = work.picked
    relations = list(work.schema.relations)
    return [one for one in relations if one.key in picked] if picked else relations


def _without_a_model(known: Sequence[Verified]) -> str:
    return talk.without_a_model("SQL", "source", [one.question for one in known])
