"""The Power BI specialist: a graph of its own from a question to rows and how they came about."""

from functools import cache

from core.specialists import flow
from core.specialists.dax.desk import Desk
from core.specialists.dax.steps import Step, Work
from core.specialists.sql.result import Ending, ending

SMALL = 4
"""Tables up to which all are looked at."""


async def answer(desk: Desk) -> Ending:
    """Raises `ModelFailed`; whatever the service does wrong is a refusal in words."""
    work = Work(**await flow.followed(_graph(), Work(), desk))
    return ending(desk.asked.question, work)


@cache
def _graph() -> flow.Flow:
    return flow.flow(Work, Desk, Step, _looks_at_all)


def _looks_at_all(work: Work, desk: Desk) -> bool:
    return len(work.model.tables) <= SMALL
