"""What the configuration says about turns, as the core reads it."""

from bot.config import Config
from core.ledger.budget import Budgets, Limit
from core.ledger.money import Currency
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
        budgets=_budgets(config),
    )


def _budgets(config: Config) -> Budgets:
    return Budgets(
        limits=tuple(
            Limit(
                whom=one.whom.replace("group:everyone", "everyone"),
                is_each=one.is_each,
                amount=one.each if one.each is not None else one.together,
                tokens=one.tokens or 0,
                per=one.per,
            )
            for one in config.budgets.limits
        ),
        unpriced=config.budgets.unpriced,
        currency=Currency(code=config.prices.currency, per_dollar=config.prices.per_dollar),
    )
