"""Who is meant by the names in a request: the addresses that a directory gives."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.llm.demo import acts
from core.llm.demo.act_words import ADDRESS
from core.llm.demo.acts import Act
from core.llm.demo.asks import WHICH
from core.llm.demo.conversation import Conversation
from core.llm.demo.deeds import directory
from core.llm.demo.moments import ORDINALS
from core.llm.demo.results import Result, table
from core.llm.demo.words import words
from core.records import Json, ToolSchema

NOTHING = "So I prepared nothing."
_QUOTED = re.compile(r"“(.+?)”")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    calls: list[tuple[str, Json]]
    ask: str = ""
    """What has to be asked, or told, before anything can go to these people."""
    to: list[str]
    cc: list[str]
    bcc: list[str]
    greeting: str = ""
    """The first name of the only one who gets it; empty where nobody knows it."""


def found(act: Act, conversation: Conversation, tools: Sequence[ToolSchema]) -> Found:
    """The addresses of everybody in the act, and the calls that find those that are missing."""
    calls: list[tuple[str, Json]] = []
    asks: list[str] = []
    known: dict[str, str] = {}
    book = directory(tools)
    results = {_asked(r): r for r in lookups(act, conversation, tools)}
    for name in (*act.people, *act.cc, *act.bcc):
        if ADDRESS.fullmatch(name) or book is None:
            known[name] = name
        elif name not in results:
            calls.append((book[0].name, {book[1]: name}))
        elif results[name].is_error:
            # The failure itself is told with the results.
            asks.append("")
        elif address := _address(name, results[name]):
            known[name] = address
        else:
            asks.append(_question(name, results[name]))
    is_stopped = bool(asks) and not calls
    return Found(
        calls=calls,
        ask=" ".join(filter(None, asks)) or (NOTHING if is_stopped else ""),
        to=[known[name] for name in act.people if name in known],
        cc=[known[name] for name in act.cc if name in known],
        bcc=[known[name] for name in act.bcc if name in known],
        greeting=_first_name(act.people),
    )


def lookups(act: Act, conversation: Conversation, tools: Sequence[ToolSchema]) -> list[Result]:
    """The results of this turn in which people of the act were looked up."""
    book = directory(tools)
    names = {*act.people, *act.cc, *act.bcc}
    return [
        r
        for r in conversation.results
        if book is not None and r.call.name == book[0].name and _asked(r) in names
    ]


def bare(reply: str) -> str:
    """“to Priya, please” without the words around the name."""
    return re.sub(r"(?i)^\W*(?:to|with|it['’]?s|i mean)\s+|\W*\bplease\b\W*$", "", reply.strip())


def chosen(act: Act, answer: str, reply: str) -> Act:
    """The act with one of several people of a name picked: by name, address, or place in the
    list that was shown."""
    name = _QUOTED.search(answer)
    offered = ADDRESS.findall(answer)
    place = next((ORDINALS[w] for w in words(reply) if w in ORDINALS), 0)
    place = place or int(reply.strip(" .#") if reply.strip(" .#").isdecimal() else 0)
    if 0 < place <= len(offered):
        picked: tuple[str, ...] = (offered[place - 1],)
    else:
        picked = acts.people(bare(reply))
        fits = [
            address
            for address, around in zip(offered, ADDRESS.split(answer), strict=False)
            if picked and picked[0].casefold() in f"{around.splitlines()[-1]}{address}".casefold()
        ]
        picked = (fits[0],) if len(fits) == 1 else picked
    swapped = {name[1]: picked} if name else {}

    def each(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(p for one in names for p in swapped.get(one, (one,)))

    return replace(act, people=each(act.people), cc=each(act.cc), bcc=each(act.bcc))


def _asked(result: Result) -> str:
    return next((str(v) for v in result.call.arguments.values()), "")


def _rows(result: Result) -> list[tuple[str, str]]:
    """(the name, the address) of each person in a result."""
    rows = table(result.text)
    lines = [" | ".join(r) for r in rows.rows] if rows else result.text.splitlines()
    return [
        (line.split(" | ")[0], address.group())
        for line in lines
        if (address := ADDRESS.search(line))
    ]


def _address(name: str, result: Result) -> str:
    rows = _rows(result)
    exact = [address for full, address in rows if full.casefold() == name.casefold()]
    if len(exact) == 1:
        return exact[0]
    return rows[0][1] if len(rows) == 1 else ""


def _question(name: str, result: Result) -> str:
    rows = _rows(result)
    cite = f" [{result.number}]" if result.number else ""
    if not rows:
        return (
            f"I found nobody called “{name}”.{cite} {WHICH} A full name or a mail address will do."
        )
    listed = "\n".join(f"{n}. {full}, {address}" for n, (full, address) in enumerate(rows, 1))
    return f"{len(rows)} people are called “{name}”:{cite}\n{listed}\n\n{WHICH}"


def _first_name(names: Sequence[str]) -> str:
    if len(names) != 1 or "@" in names[0]:
        return ""
    first = names[0].split()[0]
    return first[:1].upper() + first[1:]
