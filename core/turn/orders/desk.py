"""Carries orders out: the commands of people and admins, on whatever surface they are given."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from core.capabilities.catalog import Catalog
from core.panels import Order, Panel
from core.storage.acts import Act
from core.turn.accepting import accept_tool
from core.turn.orders import budgets, channels, own, policy, switches, usage, why
from core.turn.orders.speaking import Ground, Speaker
from core.turn.spending import Spending
from core.turn.steering import Steering

Carry = Callable[[Speaker, Order], Awaitable[Panel | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One for the whole process."""

    ground: Ground
    steering: Steering
    spending: Spending
    catalog: Catalog
    home: own.Own

    async def __call__(self, order: Order) -> Panel | None:
        """What the one who gave the order is shown; None where its words are none. Raises
        `Unavailable`."""
        word = order.words.split()[0].lower() if order.words.strip() else ""
        carry = self._words().get(word)
        if carry is None:
            return None
        setup = await self.steering.fresh()
        person = await self.steering.known(order.person)
        return await carry(Speaker(person=person, place=order.place, setup=setup), order)

    def _words(self) -> dict[str, Carry]:
        ground, steering, catalog = self.ground, self.steering, self.catalog
        return {
            "usage": lambda speaker, order: usage.show(ground, speaker, order),
            "why": lambda speaker, order: why.why(ground, steering, catalog, speaker, order),
            "policy": lambda speaker, order: policy.policy(ground, steering, speaker, order),
            "disable": self._switch,
            "enable": self._switch,
            "budget": self._budget,
            "budgets": self._budget,
            "channel": lambda speaker, order: channels.channel(ground, steering, speaker, order),
            "accept": self._accept,
            "home": self.home.home,
            "my": self.home.export,
            "forget": self.home.forget,
            "forget-me": self.home.forget,
        }

    async def _switch(self, speaker: Speaker, order: Order) -> Panel | None:
        return await switches.switch(self.ground, self.steering, self.catalog, speaker, order)

    async def _budget(self, speaker: Speaker, order: Order) -> Panel | None:
        return await budgets.budget(self.ground, self.steering, self.spending, speaker, order)

    async def _accept(self, speaker: Speaker, order: Order) -> Panel | None:
        words = order.words.split()[1:]
        key = words[0].strip("`") if len(words) == 1 else ""
        if "/" not in key:
            return Panel(text="Write `accept SERVER/TOOL`.") if order.is_typed else None
        found = await accept_tool(self.catalog, speaker.setup.rules, speaker.person, key)
        if found.digest:
            act = Act("accept", key, found.digest, "", speaker.name, self.ground.clock())
            await self.steering.act(act)
        return Panel(text=found.told)
