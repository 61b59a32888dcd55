"""Asks the SQL specialist graded questions, and grades what it brings."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from bot.evaluation import books, grading
from bot.evaluation.asking import Counted
from bot.evaluation.cases import Case, Cases
from bot.evaluation.report import Graded, Outcome
from core.errors import ModelFailed, SourceFailed
from core.records import Billing, FileId, FileRef, PersonId, ThreadId, TurnId
from core.specialists.errand import Ask
from core.specialists.sheets.describing import source_of, whole
from core.specialists.sheets.shelf import Shelf
from core.specialists.sql.desk import Asked, Desk, Discovery, Looked
from core.specialists.sql.engine import Engine, QueryFailed, engine_for
from core.specialists.sql.guard import Refused, admit
from core.specialists.sql.schema import within
from core.specialists.sql.source import Source
from core.specialists.sql.values import Values

TODAY = date(2026, 11, 30)
"""What questions are asked on, whenever they are asked."""
SECONDS = 120.0
"""For one question."""
ROWS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What all questions have in common. Files are read and databases opened once; `close` ends
    that."""

    ask_for: Callable[[Case], Ask]
    spent: Callable[[], str | None]
    """US dollars since it was last asked; None where a price is not known."""
    folder: Path
    """For the tables of files."""
    sources: Sequence[Source] = ()
    engines: dict[str, Engine] = field(default_factory=dict[str, Engine])
    profiles: dict[str, Looked] = field(default_factory=dict[str, Looked])

    async def opened(self, cases: Cases, case: Case) -> tuple[Source, Engine]:
        """The configured source, or the tables of the question's file. Raises `SourceFailed`."""
        if not case.book:
            named = next((one for one in self.sources if one.id == cases.source), None)
            if named is None:
                raise SourceFailed(f"There is no source {cases.source!r} in the configuration.")
            return named, self._engine(named.id, named)
        book, shelf = cases.book(case.book), Shelf(self.folder)
        thread = ThreadId(f"eval/{book.name}")
        shelved = shelf.of(thread)
        if shelved.database is None:
            file = FileRef(id=FileId(f"eval:{book.name}"), name=book.name)
            shelved = await shelf.add(thread, file, books.content(book))
        engine = self._engine(book.name, whole(shelved))
        return source_of(shelved, case.question), engine

    def _engine(self, name: str, source: Source) -> Engine:
        if name not in self.engines:
            self.engines[name] = engine_for(source)
        return self.engines[name]

    async def close(self) -> None:
        for engine in self.engines.values():
            await engine.close()


async def graded(
    run: Run, cases: Cases, case: Case, discovery: Discovery
) -> tuple[Graded, Counted]:
    """One question, and what was said on the way."""
    # Imported late: it brings LangGraph with it.
    from core.specialists.sql.agent import answer

    asking = Counted(ask=run.ask_for(case))
    began = time.perf_counter()
    source, engine = await run.opened(cases, case)
    desk = Desk(
        source=source,
        engine=engine,
        values=Values(source, engine),
        asked=_asked(case),
        clock=time.time,
        ask=asking,
        discovery=discovery,
        profiles=run.profiles.setdefault(case.book or source.id, {}),
    )
    try:
        ending = await answer(desk)
    except ModelFailed as failure:
        return _made(case, discovery, "failed", asking, run, began, said=str(failure)), asking
    if ending.brought is None:
        outcome: Outcome = "refused" if case.has_answer else "right"
        said = ending.refusal or ending.question
        return _made(case, discovery, outcome, asking, run, began, said=said), asking
    query, rows = ending.brought.query, ending.brought.rows.rows
    golds = [await _gold(one.rows, one.sql, source, engine) for one in case.golds]
    grade = grading.best(golds, rows, is_ordered=case.is_ordered)
    made = _made(
        case,
        discovery,
        "wrong" if grade == "wrong" else "right",
        asking,
        run,
        began,
        sql=query.sql,
        is_confident=not query.notes and query.is_complete,
    )
    return made, asking


def _made(
    case: Case,
    discovery: Discovery,
    outcome: Outcome,
    asking: Counted,
    run: Run,
    began: float,
    *,
    sql: str = "",
    said: str = "",
    is_confident: bool = False,
) -> Graded:
    return Graded(
        id=case.id,
        discovery=discovery,
        outcome=outcome,
        is_confident=is_confident,
        rounds=asking.rounds,
        tokens=asking.tokens,
        cost=run.spent(),
        seconds=round(time.perf_counter() - began, 3),
        sql=sql,
        said=said,
    )


async def _gold(
    rows: list[list[object]] | None, sql: str, source: Source, engine: Engine
) -> list[tuple[object, ...]]:
    """Raises `SourceFailed` for a gold that cannot be run: it is nobody's right answer."""
    if rows is not None:
        return [tuple(row) for row in rows]
    try:
        schema = within(await engine.schema(""), source)
        found = await engine.run(admit(sql, schema, source, ROWS), "", SECONDS)
    except (Refused, QueryFailed) as failure:
        raise SourceFailed(f"A right answer cannot be run: {failure}") from failure
    return list(found.rows)


def _asked(case: Case) -> Asked:
    billing = Billing(
        turn=TurnId(f"eval.{case.id}"),
        thread=ThreadId("eval"),
        person=PersonId("eval"),
        place="eval",
        purpose="specialist",
    )
    return Asked(question=case.question, billing=billing, today=TODAY, ends=time.time() + SECONDS)
