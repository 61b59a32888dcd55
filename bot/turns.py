"""What the configuration says about turns, as the core reads it."""

from bot.config import Config
from core.policy.guards import Choice, Limits
from core.turn.setup import Agent, Deadlines, Setup


def setup(config: Config) -> Setup:
    return Setup(
        models=tuple(config.models),
        default=Choice(model=next(iter(config.models)), agent=""),
        agents={
            name: Agent(
                instructions=agent.instructions,
                capabilities=None if agent.capabilities is None else frozenset(agent.capabilities),
                model=agent.model,
            )
            for name, agent in config.agents.items()
        },
        channels={
            place: Choice(model=channel.model, agent=channel.agent)
            for place, channel in config.channels.items()
        },
        skills=config.skills,
        rules=config.rules,
        limits=Limits(characters=config.limits.question_length),
        deadlines=Deadlines(call=config.limits.call_deadline, turn=config.limits.turn_deadline),
    )
