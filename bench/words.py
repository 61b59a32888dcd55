"""Questions, answers and tool results of an ordinary working day, the same in every run."""

import random
from dataclasses import dataclass
from functools import cache

TOPICS = (
    "how did {product} sell in {city} in {month}",
    "which dealers in {city} ordered {product} more than twice since {month}",
    "what is the margin of {product} in {city} compared with {month}",
    "list the open orders for {product} that leave {city} in {month}",
    "why did returns of {product} from {city} go up in {month}",
    "what did we promise {city} about {product} for {month}",
)
PRODUCTS = ("trail bikes", "cargo bikes", "gravel frames", "child seats", "e-bike batteries")
CITIES = ("Lyon", "Turin", "Aarhus", "Porto", "Gdansk", "Leuven", "Graz", "Malmö")
MONTHS = ("January", "March", "May", "July", "September", "November")
TOOL_CHARACTERS = 6_000
"""What one tool result holds: between the 4,000 and 8,000 of an ordinary table."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a person says once and asks for much later, in other words."""

    said: str
    asked: str
    key: str
    """What the answer cannot do without."""


FACTS = (
    Fact(
        "note that the lease of the Rotterdam warehouse ends on 14 March 2031",
        "until when do we rent the warehouse in Rotterdam?",
        "14 March 2031",
    ),
    Fact(
        "for the record, Imke Petersen is our contact at Nordlicht Logistik",
        "who do we talk to at Nordlicht Logistik?",
        "Imke Petersen",
    ),
    Fact(
        "the board set the price floor for cargo bikes at 2,349 euros",
        "how cheap may a cargo bike be sold, according to the board?",
        "2,349",
    ),
    Fact(
        "remember that project Kestrel moves the web shop to the new payment provider",
        "what was Kestrel about?",
        "payment provider",
    ),
    Fact(
        "the auditors come on the second Tuesday of June and want the stock lists",
        "when do the auditors visit us?",
        "second Tuesday of June",
    ),
)
"""Said in turns 3, 4, 5, 6 and 7."""
FIRST_FACT = 3


def question(turn: int) -> str:
    """What is asked in this turn of a thread; a fact is told where one has its place."""
    if 0 <= turn - FIRST_FACT < len(FACTS):
        return f"{FACTS[turn - FIRST_FACT].said}, and then: {_ordinary(turn)}?"
    return f"{_ordinary(turn)}?"


def answer(turn: int) -> str:
    """About 700 characters, as a model writes them."""
    dice = random.Random(f"answer {turn}")
    lines = [f"Here is what I found about {_ordinary(turn)} [1]."]
    for _ in range(5):
        city, product = dice.choice(CITIES), dice.choice(PRODUCTS)
        lines.append(
            f"- **{city}**: {dice.randrange(40, 900)} units of {product}, "
            f"{dice.randrange(9_000, 300_000):,} EUR net, {dice.randrange(-20, 35)} % against the "
            "year before [1]."
        )
    lines.append("The figures count delivered orders; open ones are not in them [1].")
    return "\n".join(lines)


@cache
def table(seed: str, characters: int = TOOL_CHARACTERS) -> tuple[str, list[dict[str, str | int]]]:
    """A tool result: its text, a Markdown table of about so many characters, and its rows."""
    dice = random.Random(seed)
    text = ["| order | city | product | units | net_eur |", "|---|---|---|---|---|"]
    rows: list[dict[str, str | int]] = []
    size = 0
    while size < characters:
        row: dict[str, str | int] = {
            "order": f"O-{dice.randrange(10_000, 99_999)}",
            "city": dice.choice(CITIES),
            "product": dice.choice(PRODUCTS),
            "units": dice.randrange(1, 60),
            "net_eur": dice.randrange(400, 40_000),
        }
        rows.append(row)
        text.append("| " + " | ".join(str(value) for value in row.values()) + " |")
        size += len(text[-1]) + 1
    return "\n".join(text), rows


def _ordinary(turn: int) -> str:
    dice = random.Random(f"question {turn}")
    return TOPICS[turn % len(TOPICS)].format(
        product=dice.choice(PRODUCTS), city=dice.choice(CITIES), month=dice.choice(MONTHS)
    )
