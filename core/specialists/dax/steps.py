"""The steps of an answer: pick tables, write DAX, run it through the guard, look at the rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

from core.records import ModelMessage, ToolCall
from core.specialists import talk
from core.specialists.dax import telling
from core.specialists.dax.client import Cell, Table
from core.specialists.dax.desk import Desk
from core.specialists.dax.failures import DaxFailed
from core.specialists.dax.guard import Admitted, Comparison, admit
from core.specialists.dax.model import Model
from core.specialists.dax.model import Table as ModelTable
from core.specialists.dax.source import Verified
from core.specialists.dax.tokens import Refused
from core.specialists.flow import MODEL_CALLS, REFINEMENTS
from core.specialists.sql import periods, verified
from core.specialists.sql.engine import Rows, Type
from core.specialists.sql.result import Query
from core.specialists.talk import Update
from core.times import local

PROBED = 12
"""Values that are looked up for one query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The state of the graph. Nothing of it is kept beyond the answer."""

    model: Model = field(default_factory=Model)
    vouched: Verified | None = None
    """The verified query that is being answered."""
    picked: tuple[str, ...] = ()
    messages: tuple[ModelMessage, ...] = ()
    dax: str = ""
    tries: int = 0
    spent: int = 0
    """Model calls."""
    heard: tuple[str, ...] = ()
    """Hints that the model was given once."""
    rows: Rows | None = None
    query: Query | None = None
    ended: Literal["", "answered", "asks", "refused"] = ""
    sentence: str = ""
    """What the person is asked, or why there is no answer."""

    @property
    def written(self) -> str:
        return self.dax


class Step:
    """The nodes of the graph, for one question."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def begin(self, work: Work) -> Update:
        """Read what there is, and look for a verified query."""
        desk = self._desk
        try:
            model = (await desk.seen()).model
        except DaxFailed as failure:
            return talk.refused(failure.sentence)
        if not model.tables:
            return talk.refused("There is no table here that you may read.")
        known = desk.source.verified
        found = verified.exact(desk.asked.question, known)
        if found is None and desk.ask is None:
            found = verified.same(desk.asked.question, known)
        made: Update = {"model": model, "vouched": found}
        if found is not None:
            return {**made, "dax": _filled(found, desk).dax}
        if desk.ask is None:
            return {**made, **talk.refused(_without_a_model(known))}
        return made

    async def pick(self, work: Work) -> Update:
        """Let the model choose tables from the index."""
        desk = self._desk
        await desk.progress("looking for the measures")
        messages = [*self._opening(), talk.said(telling.index(work.model))]
        reply = await desk.think(messages, [telling.TOOLS.pick, telling.TOOLS.give_up])
        call = talk.called(reply)
        picked = _existing(call, work.model)
        if call is not None and call.name == telling.TOOLS.give_up.name:
            return {**talk.refused(talk.reason(call)), "spent": 1}
        if not picked:
            return {
                **talk.refused(reply.message.text or "No table was found for this."),
                "spent": 1,
            }
        return {"picked": tuple(one.name for one in picked), "spent": 1}

    async def learn(self, work: Work) -> Update:
        """Put together what the model has to know to write."""
        desk = self._desk
        chosen = [one for one in work.model.tables if not work.picked or one.name in work.picked]
        near = verified.near(desk.asked.question, desk.source.verified)
        told = [
            telling.columns(work.model, chosen),
            telling.guidance(desk.source, desk.asked.question),
            telling.examples([_filled(one, desk) for one in near]),
        ]
        return {"messages": (*self._opening(), talk.said("\n\n".join(filter(None, told))))}

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
            found = telling.columns(work.model, _existing(call, work.model))
            return {**made, "dax": "", "messages": (*messages, talk.shown(call, found))}
        dax = str(call.arguments.get("dax", ""))
        return {**made, "dax": dax, "messages": messages, "tries": work.tries + 1}

    async def run(self, work: Work) -> Update:
        """Through the guard and to the service; what came of it."""
        desk = self._desk
        try:
            admitted = admit(work.dax, work.model)
            await desk.progress("asking Power BI")
            table = await desk.run(admitted.dax)
            return await self._looked_at(work, admitted, table)
        except Refused as refusal:
            return talk.again(work, refusal.reason, refusal.candidates)
        except DaxFailed as failure:
            if failure.kind != "query":
                return talk.refused(failure.sentence)
            return talk.again(work, failure.sentence)

    async def _looked_at(self, work: Work, admitted: Admitted, table: Table) -> Update:
        """An empty result may be a value that is spelt otherwise."""
        notes: list[str] = []
        is_empty = all(cell in (None, 0) for row in table.rows for cell in row)
        if is_empty and work.vouched is None:
            hints, question, notes = await self._probed(admitted.comparisons)
            if question:
                return {"ended": "asks", "sentence": question}
            new = [one for one in hints if one not in work.heard]
            if new and work.tries <= REFINEMENTS:
                return {**talk.again(work, " ".join(new)), "heard": (*work.heard, *new)}
        rows = as_rows(table)
        return {
            "ended": "answered",
            "rows": rows,
            "query": self._query(work, admitted, table, rows, notes),
        }

    async def _probed(self, comparisons: Sequence[Comparison]) -> tuple[list[str], str, list[str]]:
        """Hints for whoever wrote the query, a question for the person, and notes."""
        hints: list[str] = []
        notes: list[str] = []
        for one in comparisons[:PROBED]:
            try:
                found = await self._desk.find(one.column, one.value)
            except DaxFailed:
                continue
            if found.how in ("exact", "close") and one.value not in found.values:
                spelt = " or ".join(f'"{value}"' for value in found.values[:3])
                hints.append(f'{one.column} has no "{one.value}"; it is spelt {spelt}.')
            elif found.how == "ask":
                listed = ", ".join(found.values)
                return [], f"Which {one.column} is meant by {one.value!r}: {listed}?", []
            elif found.how == "none" and one.column not in self._desk.source.unprofiled:
                notes.append(f'{one.column} holds no "{one.value}" or anything like it.')
        return hints, "", notes

    def _query(
        self, work: Work, admitted: Admitted, table: Table, rows: Rows, notes: Sequence[str]
    ) -> Query:
        desk = self._desk
        vouched = work.vouched or self._recognised(work, admitted)
        now = local(desk.clock(), desk.asked.time_zone)
        return Query(
            source=desk.source.title,
            sql=admitted.dax,
            tables=admitted.tables,
            filters=admitted.filters,
            rows=len(rows.rows),
            is_complete=not table.is_truncated,
            time_zone=desk.source.time_zone,
            as_of=f"{now:%Y-%m-%d %H:%M} {now.tzname()}",
            seconds=table.seconds,
            notes=tuple(dict.fromkeys([*notes, *_remarks(work.model, admitted, table)])),
            verified=verified.in_words(vouched) if vouched else "",
            tries=max(1, work.tries),
        )

    def _recognised(self, work: Work, admitted: Admitted) -> Verified | None:
        """A query that says the same as a verified one is that one, whoever wrote it."""
        for one in self._desk.source.verified:
            try:
                if admit(_filled(one, self._desk).dax, work.model).dax == admitted.dax:
                    return one
            except Refused:
                continue
        return None

    def _opening(self) -> tuple[ModelMessage, ModelMessage]:
        asked = self._desk.asked
        today = periods.in_words(asked.today, asked.time_zone)
        return talk.opening(telling.house(self._desk.source, today), asked.question)


def as_rows(table: Table) -> Rows:
    """With the names that people read: `Product[Category]` becomes `Category`, where no other
    column is called so."""
    short = [name.rpartition("[")[2].rstrip("]") or name for name in table.columns]
    names = tuple(
        one if short.count(one) == 1 else whole
        for one, whole in zip(short, table.columns, strict=True)
    )
    kinds: list[Type] = [
        _type([row[place] for row in table.rows]) for place in range(len(table.columns))
    ]
    return Rows(
        columns=names,
        types=tuple(kinds),
        rows=table.rows,
        is_truncated=table.is_truncated,
        seconds=table.seconds,
    )


def _type(cells: Sequence[Cell]) -> Type:
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return "boolean"
    if kinds == {int}:
        return "integer"
    if kinds and kinds <= {int, Decimal}:
        return "decimal"
    texts = [cell for cell in cells if isinstance(cell, str)]
    if texts and kinds == {str} and all(_is_moment(text) for text in texts):
        return "date" if all(text.endswith("T00:00:00") for text in texts) else "moment"
    return "text"


def _is_moment(text: str) -> bool:
    return len(text) >= 19 and text[4:5] + text[7:8] + text[10:11] == "--T"


def _remarks(model: Model, admitted: Admitted, table: Table) -> list[str]:
    """What is to be known of the figures: who defined them, how old they are, what is missing."""
    said = [
        f"[{one.name}] is the model's measure: {' '.join(one.expression.split())[:300]}"
        if one.expression
        else f"[{one.name}] is the model's measure."
        for one in admitted.measures
    ]
    said += [
        f"No measure of the model was used for {name}: it was worked out as {expression[:300]}"
        for name, expression in admitted.written
    ]
    if table.remark:
        said.append(f"Power BI gave a part of the rows: {table.remark}")
    if model.refreshed:
        said.append(f"The model's data was last loaded at {model.refreshed}.")
    if model.is_committed:
        said.append("What the model holds was read from its committed definition.")
    return said


def _filled(one: Verified, desk: Desk) -> Verified:
    return replace(one, dax=periods.filled(one.dax, desk.asked.today))


def _existing(call: ToolCall | None, model: Model) -> list[ModelTable]:
    """The tables that the call names, as far as there are such."""
    found = {one.name: one for name in talk.tables(call) if (one := model.table(name)) is not None}
    return list(found.values())[: talk.PICKED]


def _without_a_model(known: Sequence[Verified]) -> str:
    return talk.without_a_model("DAX", "model", [one.question for one in known])
