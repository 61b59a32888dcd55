"""Answers why somebody is offered a tool or not, in the words of the rule that decided."""

import difflib
from collections.abc import Sequence

from core.capabilities.catalog import Catalog, Discovery
from core.figures import Figure
from core.panels import Choice, Order, Panel
from core.policy.explain import Explained, explain
from core.records import Person, PersonId, Tool
from core.turn.orders.speaking import Ground, Speaker, called, listed, names, person_meant, plain
from core.turn.steering import Steering

HOW = "Write `why SERVER/TOOL`, and `for` a person where it is not you."
OTHERS = "Only admins are told about others; about yourself you may ask."
MOST = 60


async def why(
    ground: Ground, steering: Steering, catalog: Catalog, speaker: Speaker, order: Order
) -> Panel | None:
    """None where the words ask something else. Raises `Unavailable`."""
    words = [word for word in order.words.split()[1:] if word.lower() not in ("is", "not")]
    if len(words) > 1 and words[-2].lower() == "for":
        whom, words = person_meant(words[-1], order.place, order.person), words[:-2]
        if whom is None:
            return Panel(text=HOW) if order.is_typed else None
    elif len(words) == 2 and (whom := person_meant(words[0], order.place, order.person)):
        words = words[1:]
    else:
        whom = order.person.id
    found = await catalog.discover(patience=ground.patience)
    tool = _tool(words[0], found.tools) if len(words) == 1 else None
    if words and tool is None:
        return Panel(text=_unknown(words, found.tools)) if order.is_typed else None
    if not words and not order.is_typed:
        return None
    if whom not in {order.person.id, *order.person.ids} and not speaker.is_admin:
        return Panel(text=OTHERS)
    person = await _person(steering, speaker, whom)
    known = {} if person.id == order.person.id else await names(ground, [person.id])
    if tool is None:
        return _all(found, speaker, person, known)
    one = explain(tool, person, order.place, speaker.setup.rules, found.accepted)
    return Panel(text=told(one, speaker, person, known), choices=_choices(one, speaker))


def told(one: Explained, speaker: Speaker, person: Person, known: dict[str, str]) -> str:
    """One tool for one person here, as Markdown."""
    you = person.id == speaker.person.id
    who = "you" if you else f"{plain(called(person.id, known))} (`{person.id}`)"
    verdict = "is offered to" if one.is_offered else "is not offered to"
    lines = [f"**`{plain(one.tool.key)}` {verdict} {who} here**", f"- Decided: {one.decided}"]
    if one.asks:
        lines.append(f"- A call waits for somebody: {one.asks}")
    lines += [f"- Decided at the call: {later}" for later in one.later if later != one.decided]
    lines += [f"- Also: {other}" for other in one.others[:8]]
    if not speaker.setup.rules.has_effects:
        lines.append("- Effects are switched off: nothing that was approved is carried out.")
    agent = speaker.setup.agents.get(speaker.setup.choice(speaker.place).agent)
    if agent and agent.capabilities is not None and not agent.capabilities & one.tool.tags:
        lines.append("- The agent that answers here does not use it.")
    lines.append(f"- Its tags: {listed(sorted(one.tool.tags)) or 'none'}")
    return "\n".join(lines)


def _all(found: Discovery, speaker: Speaker, person: Person, known: dict[str, str]) -> Panel:
    rules = speaker.setup.rules
    all_ = [explain(t, person, speaker.place, rules, found.accepted) for t in found.tools]
    rows = tuple(
        (
            plain(one.tool.key),
            ("needs approval" if one.asks else "yes") if one.is_offered else "no",
            one.decided,
        )
        for one in sorted(all_, key=lambda one: (not one.is_offered, one.tool.key))
    )
    who = "you" if person.id == speaker.person.id else plain(called(person.id, known))
    offered = sum(one.is_offered for one in all_)
    columns = ("Tool", "Offered", "Why")
    figure = Figure(kind="table", title="Tools", columns=columns, rows=rows[:MOST], total=len(rows))
    return Panel(
        text=f"**{offered} of {len(all_)} tools are offered to {who} here**",
        figures=(figure,) if rows else (),
    )


def _choices(one: Explained, speaker: Speaker) -> tuple[Choice, ...]:
    """What an admin may want to do about it."""
    if not speaker.is_admin:
        return ()
    key = one.tool.key
    return (
        Choice(
            label="Switch it off",
            words=f"disable {key}",
            is_danger=True,
            confirm=f"From the next call on nobody is offered {key}.",
        ),
    )


async def _person(steering: Steering, speaker: Speaker, whom: PersonId) -> Person:
    return speaker.person if whom == speaker.person.id else await steering.known(Person(id=whom))


def _tool(word: str, tools: Sequence[Tool]) -> Tool | None:
    """By its key, with a point in place of the stroke, or by its name alone where it is one."""
    asked = word.strip("`?!").removeprefix("tool:")
    by_key = [tool for tool in tools if asked in (tool.key, f"{tool.server}.{tool.name}")]
    by_name = [tool for tool in tools if tool.name == asked]
    found = by_key or (by_name if len(by_name) == 1 else [])
    return found[0] if found else None


def _unknown(words: Sequence[str], tools: Sequence[Tool]) -> str:
    asked = " ".join(words)
    near = difflib.get_close_matches(asked, [tool.key for tool in tools], 3, 0.5)
    hint = f" Did you mean {listed(near)}?" if near else ""
    return f"No server lists `{plain(asked)[:80]}` now.{hint} {HOW}"
