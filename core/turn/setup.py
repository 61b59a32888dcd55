"""What the operator decided about turns, as values that every turn reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.context.shape import Room
from core.context.skills import Skill
from core.ledger.budget import Budgets
from core.policy.guards import Choice, Limits
from core.policy.rules import EVERYTHING, Rules
from core.records import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A named profile: how the bot answers, with which capabilities, by which model."""

    instructions: str = ""
    capabilities: frozenset[str] | None = None
    """A tool must carry one of these tags; None: whatever policy permits."""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Seconds."""

    call: float = 60.0
    turn: float = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    models: tuple[str, ...]
    """Keys of the chat models that people may name."""
    default: Choice
    agents: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    channels: Mapping[str, Choice] = field(default_factory=dict[str, Choice])
    """By `Place.id`; an empty word falls to the default."""
    skills: Sequence[Skill] = ()
    rules: Rules = EVERYTHING
    limits: Limits = field(default_factory=Limits)
    deadlines: Deadlines = field(default_factory=Deadlines)
    room: Room = field(default_factory=Room)
    budgets: Budgets = field(default_factory=Budgets)

    def choice(self, place: Place) -> Choice:
        """Which model and agent answer here where the question names none."""
        here = self.channels.get(place.id, Choice(model="", agent=""))
        agent = here.agent or self.default.agent
        model = here.model or (self.agents[agent].model if agent in self.agents else "")
        return Choice(model=model or self.default.model, agent=agent)
