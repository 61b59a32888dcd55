"""What is a person's own: their home, their data, and to be forgotten."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from core.capabilities.catalog import Catalog
from core.ledger.money import Currency
from core.panels import Attached, Choice, Order, Panel
from core.policy.explain import explain
from core.records import PersonId
from core.storage import erase, own, usage
from core.storage.acts import Act
from core.storage.acts import add as add_act
from core.storage.database import Transaction
from core.storage.usage import Filter
from core.times import local
from core.turn.orders import budgets
from core.turn.orders.speaking import Ground, Speaker, listed, plain
from core.turn.spending import Spending

TOOLS = 12
CHANNEL = "erasures"
"""The wake-up of whoever carries erasures out."""
FORGET = (
    "**Forget me** erases your questions and answers, what was found for you, your decisions'"
    " reasons, ratings and your Microsoft account here. What you used stays in the books as"
    " amounts, under a name that leads to nobody. Messages that stand in the chat are the chat's:"
    " delete them there. This cannot be undone."
)
FORGOTTEN = (
    "It is on record and cannot be undone: within a minute all of it is erased. Running questions"
    " are stopped, calls that wait are void. If you write to me again, we begin anew."
)

Connections = Callable[[PersonId], Awaitable[str]]
"""The address of the person's Microsoft account; empty where none is connected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    ground: Ground
    catalog: Catalog
    spending: Spending
    connection: Connections
    has_accounts: bool

    async def home(self, speaker: Speaker, order: Order) -> Panel | None:
        """Spend, budgets, connections, tools, own data. None where the words are no such order.
        Raises `Unavailable`."""
        if order.words.split()[1:] and not order.is_typed:
            return None
        address = await self.connection(speaker.person.id) if self.has_accounts else ""
        parts = [
            await self._spend(speaker),
            await budgets.own(self.spending, speaker),
            await self._tools(speaker),
            self._connected(address),
        ]
        link = Choice(
            label="Disconnect" if address else "Connect Microsoft",
            words="disconnect" if address else "connect",
        )
        return Panel(
            text="\n\n".join(filter(None, parts)),
            choices=(
                Choice(label="My usage", words="usage 30d by day mine"),
                Choice(label="All tools, and why", words="why"),
                *((link,) if self.has_accounts else ()),
                Choice(label="Export my data", words="my data"),
                Choice(label="Forget me", words="forget me", is_danger=True),
            ),
        )

    async def export(self, speaker: Speaker, order: Order) -> Panel | None:
        """All that is kept of the person, as a file. Raises `Unavailable`."""
        if [word.lower() for word in order.words.split()] != ["my", "data"]:
            return None
        found = [await own.export(self.ground.db, person) for person in _persons(speaker)]
        content = json.dumps(found, ensure_ascii=False, indent=1).encode()
        count = sum(len(one["turns"]) for one in found)
        return Panel(
            text=f"Everything that is kept of you: {count} questions with their answers, and what"
            " goes with them.",
            file=Attached(name="my-data.json", content=content),
        )

    async def forget(self, speaker: Speaker, order: Order) -> Panel | None:
        """Ask once more; then put it on record. Raises `Unavailable`."""
        words = [word.lower() for word in order.words.replace("-", " ").split()]
        if words == ["forget", "me"]:
            sure = Choice(
                label="Erase everything of mine",
                words="forget me now",
                is_danger=True,
                confirm="Your questions, answers and connections are erased. This cannot be"
                " undone.",
            )
            return Panel(text=FORGET, choices=(sure,))
        if words != ["forget", "me", "now"]:
            return None
        now = self.ground.clock()

        async def record(tx: Transaction) -> None:
            id = await erase.ask(tx, _persons(speaker), now=now)
            await add_act(tx, Act("forget", id, "asked", "", id, now))

        await self.ground.db.write(record)
        await self.ground.db.notify(CHANNEL)
        return Panel(text=FORGOTTEN)

    async def _spend(self, speaker: Speaker) -> str:
        now = local(self.ground.clock(), speaker.person.time_zone)
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        currency = speaker.setup.budgets.currency
        today = await self._sum(speaker, midnight.timestamp(), currency)
        month = await self._sum(speaker, midnight.replace(day=1).timestamp(), currency)
        return f"**What you have used**\n- Today: {today}\n- This month: {month}"

    async def _sum(self, speaker: Speaker, since: float, currency: Currency) -> str:
        found = [
            one
            for person in _persons(speaker)
            for one in await usage.sums(self.ground.db, "model", since, None, Filter(person=person))
        ]
        total = usage.total(found)
        unpriced = f" + {total.unpriced} unpriced" if total.unpriced else ""
        return f"{currency.shown(total.picos)}{unpriced}, {total.calls:,} model calls"

    async def _tools(self, speaker: Speaker) -> str:
        found = await self.catalog.discover(patience=self.ground.patience)
        rules = speaker.setup.rules
        all_ = [
            explain(tool, speaker.person, speaker.place, rules, found.accepted)
            for tool in found.tools
        ]
        free = [one.tool.key for one in all_ if one.is_offered and not one.asks]
        asks = [one.tool.key for one in all_ if one.is_offered and one.asks]
        lines = [f"**What you may use here**: {len(free) + len(asks)} of {len(all_)} tools"]
        if free:
            lines.append(f"- {_some(free)}")
        if asks:
            lines.append(f"- after an approval: {_some(asks)}")
        return "\n".join(lines)

    def _connected(self, address: str) -> str:
        if not self.has_accounts:
            return ""
        state = f"`{plain(address)}` is connected." if address else "None is connected."
        return f"**Microsoft account**\n{state}"


def _persons(speaker: Speaker) -> tuple[PersonId, ...]:
    """All that the speaker is; an Entra id is no person of a surface."""
    others = sorted(id for id in speaker.person.ids if "/" in id)
    return (speaker.person.id, *map(PersonId, others))


def _some(keys: list[str]) -> str:
    more = f" and {len(keys) - TOOLS} more" if len(keys) > TOOLS else ""
    return listed(sorted(keys)[:TOOLS]) + more
