"""The SQL specialist: a graph of its own from a question to rows and how they came about."""

from functools import cache

from core.specialists import flow
from core.specialists.sql.desk import Desk
from core.specialists.sql.result import Ending, ending
from core.specialists.sql.steps import Step, Work

SMALL = 3
"""Tables up to which all are looked at: to choose among them costs more than it saves."""


async def answer(desk: Desk) -> Ending:
    """Raises `ModelFailed`; whatever the source does wrong is a refusal in words."""
    work = Work(**await flow.followed(_graph(), Work(), desk))
    return ending(desk.asked.question, work)


@cache
def _graph() -> flow.Flow:
    return flow.flow(Work, Desk, Step, _looks_at_all)


def _looks_at_all(work: Work, desk: Desk) -> bool:
    return desk.discovery == "whole" or len(work.schema.relations) <= SMALL
