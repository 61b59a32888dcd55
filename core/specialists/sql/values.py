"""Finds the value that a person meant among those that a column holds."""

import asyncio
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.specialists.sql.engine import Engine
from core.specialists.sql.schema import Relation
from core.specialists.sql.source import Source

FRESH_FOR = 600.0
"""Seconds for which what one person could see of a column stands."""
MOST_KEPT = 64
"""Columns, over all persons."""
ALIKE = 70.0
"""From here on, of 100, a value is worth offering."""
A_SLIP = 85.0
"""From here on, letter by letter, a text is another one misspelt. Common parts count for nothing:
by these, the nearest name is often another company."""
FAR = 10.0
"""How much further away every other value has to be then."""
MOST_OFFERED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a look-up found."""

    how: Literal["exact", "close", "ask", "none"]
    """`exact`: the same but for case, accents, punctuation and legal forms. `close`: one value that
    differs by a slip of the pen, with no other near it. `ask`: which one is meant is the person's
    to say. `none`: nothing is like it."""
    values: tuple[str, ...] = ()
    """As the column spells them, the nearest first. Several `exact` ones are all meant."""


class Values:
    """The values of a source's columns, read with the asking person's rights and kept for that
    person alone for some minutes."""

    def __init__(self, source: Source, engine: Engine) -> None:
        self._source = source
        self._engine = engine
        self._kept: dict[tuple[str, str, str], tuple[float, Mapping[str, tuple[str, ...]]]] = {}

    async def find(
        self, relation: Relation, column: str, wanted: str, person: str, token: str
    ) -> Match:
        """Raises `QueryFailed`. `none` for a column whose values are not looked at."""
        return match(wanted, await self._index(relation, column, person, token))

    async def _index(
        self, relation: Relation, column: str, person: str, token: str
    ) -> Mapping[str, tuple[str, ...]]:
        now = asyncio.get_running_loop().time()
        key = (person, relation.key, column.casefold())
        kept = self._kept.get(key)
        if kept and kept[0] > now:
            return kept[1]
        found = await self._engine.values(relation, column, token)
        made = await asyncio.to_thread(index, found)
        while len(self._kept) >= MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = (now + FRESH_FOR, made)
        return made


def index(values: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """The values by what they are when only their letters and digits count."""
    found: dict[str, list[str]] = {}
    for value in values:
        found.setdefault(normal(value), []).append(value)
    return {key: tuple(listed) for key, listed in found.items()}


def match(wanted: str, known: Mapping[str, tuple[str, ...]]) -> Match:
    """Pure: what of the index is meant by `wanted`."""
    from rapidfuzz import fuzz, process

    key = normal(wanted)
    if exact := known.get(key):
        spelt = [value for value in exact if value == wanted]
        return Match(how="exact", values=tuple(spelt) or exact)
    if not key:
        return Match(how="none")
    slips = process.extract(
        key, known.keys(), scorer=fuzz.ratio, limit=2, score_cutoff=A_SLIP - FAR
    )
    if slips and slips[0][1] >= A_SLIP and _digits(slips[0][0]) == _digits(key):
        if len(slips) == 1 or slips[0][1] - slips[1][1] >= FAR:
            return Match(how="close", values=known[slips[0][0]])
    near = process.extract(
        key, known.keys(), scorer=fuzz.WRatio, limit=MOST_OFFERED, score_cutoff=ALIKE
    )
    values = tuple(value for found, _, _ in near for value in known[found])[:MOST_OFFERED]
    return Match(how="ask" if values else "none", values=values)


def _digits(key: str) -> str:
    return re.sub(r"\D", "", key)


_FORMS = re.compile(
    r"\b(a/s|ab|ag|aps|as|bv|co|corp|corporation|gmbh|inc|incorporated|kg|limited|llc|ltd|nv|oy|oyj"
    r"|plc|sa|sarl|se|spa|srl)\b\.?"
)
_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "å": "a", "ß": "ss", "ł": "l", "đ": "d", "þ": "th"})
_SPELT_OUT = (("oe", "o"), ("ae", "a"), ("aa", "a"), ("ue", "u"))
"""How people write ø, æ, å and ü where their keyboard has none."""


def normal(text: str) -> str:
    """`Ørsted A/S`, `orsted` and `Oersted as` are the same text: `orsted`. A text of nothing but a
    legal form stays as it is."""
    folded = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    plain = "".join(one for one in folded if not unicodedata.combining(one))
    short = re.sub(r"\W+", " ", _FORMS.sub(" ", plain)).strip()
    whole = short or re.sub(r"\W+", " ", plain).strip()
    for written, meant in _SPELT_OUT:
        whole = whole.replace(written, meant)
    return whole
