"""What one person has used today, in words."""

from core.records import Cost, Person
from core.storage import entries
from core.storage.database import Statements
from core.times import local


async def today(db: Statements, person: Person, now: float) -> str:
    """The person's own day, in their time zone. Markdown. Raises `Unavailable`."""
    midnight = local(now, person.time_zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return _sentence(await entries.cost_of_person(db, person.id, midnight.timestamp()))


def _sentence(cost: Cost) -> str:
    if not cost.calls:
        return "You have not used a model today."
    calls = "one model call" if cost.calls == 1 else f"{cost.calls:,} model calls"
    models = ", ".join(f"`{model}`" for model in cost.models)
    price = f"${cost.price}"
    if cost.unpriced:
        uses = "one use" if cost.unpriced == 1 else f"{cost.unpriced:,} uses"
        price += f", without {uses} whose price I do not know"
    return f"Today you have used {calls} ({models}) and {cost.tokens:,} tokens: {price}."
