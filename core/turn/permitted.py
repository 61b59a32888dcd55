"""The permitted set of a question: what was discovered, cut down to what this person may use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.capabilities.aliases import aliases
from core.capabilities.catalog import Catalog
from core.capabilities.reading import READ_RESULT
from core.policy.rules import permit
from core.records import Person, Place, Tool, Withheld
from core.turn.setup import Agent, Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    tools: tuple[Tool, ...]
    by_alias: Mapping[str, Tool]
    """The name that the model uses → the tool, the host's own included. What is not in here
    cannot be called."""
    withheld: tuple[Withheld, ...]
    accepted: Mapping[str, str]
    problems: Sequence[str]
    """For admins."""
    outages: Sequence[str]
    """Those of them that everybody may know."""


async def permitted(
    catalog: Catalog,
    setup: Setup,
    person: Person,
    place: Place,
    agent: Agent | None,
    words: str,
    *,
    approvals: bool = False,
    patience: float | None = None,
) -> Offer:
    """Discover, then keep what policy offers to this person, here, for these words; with
    `approvals`, also what has to wait for a person then. `patience` bounds, in seconds, how long
    a first discovery is waited for."""
    found = await catalog.discover(patience=patience)
    allowed = permit(
        found.tools, person, place, words, setup.rules, found.accepted, approvals=approvals
    )
    offered: list[Tool] = []
    withheld = list(allowed.withheld)
    for tool in allowed.offered:
        if agent is None or agent.capabilities is None or agent.capabilities & tool.tags:
            offered.append(tool)
        else:
            withheld.append(Withheld(key=tool.key, rule="the agent does not use it"))
    return Offer(
        tools=tuple(offered),
        by_alias=aliases([*offered, READ_RESULT]),
        withheld=tuple(withheld),
        accepted=found.accepted,
        problems=tuple(problem.sentence for problem in found.problems),
        outages=tuple(problem.sentence for problem in found.problems if problem.is_outage),
    )
