"""Lets admins switch tools, connectors, everything or all effects off, and on again."""

import re
from collections.abc import Sequence

from core.capabilities.catalog import Catalog
from core.panels import Choice, Order, Panel
from core.records import Tool
from core.storage import acts
from core.storage.acts import Act
from core.turn.laid import EFFECTS, EVERYTHING, OFF, SWITCH, origin
from core.turn.orders.speaking import Ground, Speaker, listed, plain
from core.turn.steering import Steering

NOT_AN_ADMIN = "Only admins do that; the policy names them under `admins`. Nothing changed."
HOW = (
    "Write `disable` or `enable`, then `SERVER/TOOL`, `server:NAME`, `connector:ID`, `everything`"
    " or `effects`, then why."
)
_KEY = re.compile(r"[a-z][a-z0-9_-]{0,31}[/.][^\s/`]{1,128}")


async def switch(
    ground: Ground, steering: Steering, catalog: Catalog, speaker: Speaker, order: Order
) -> Panel | None:
    """None where the words are no such order. Raises `Unavailable`."""
    verb, *words = order.words.split()
    found = await catalog.discover(patience=ground.patience)
    subject = _subject(words[0], found.tools) if words else ""
    if not subject:
        return Panel(text=HOW) if order.is_typed else None
    if not speaker.is_admin:
        return Panel(text=NOT_AN_ADMIN)
    is_off = verb.lower() == "disable"
    standing = {act.subject: act for act in await acts.standing(ground.db, (SWITCH,))}
    if is_off == (subject in standing):
        return Panel(text=_already(subject, standing.get(subject), speaker, found.tools))
    why = " ".join(words[1:])[:300]
    await steering.act(
        Act(SWITCH, subject, OFF if is_off else "", why, speaker.name, ground.clock())
    )
    return _done(subject, speaker, is_off=is_off)


def _subject(word: str, tools: Sequence[Tool]) -> str:
    """What is switched, as a rule names it; empty for a word that names nothing."""
    asked = word.strip("`,.")
    lower = asked.lower()
    if lower in (EVERYTHING, EFFECTS):
        return lower
    if lower.startswith(("server:", "tag:")) and asked.partition(":")[2]:
        return asked
    if lower.startswith("connector:") and asked.partition(":")[2]:
        return f"tag:{asked}"
    plain_key = asked.removeprefix("tool:")
    for tool in tools:
        if plain_key in (tool.key, f"{tool.server}.{tool.name}"):
            return f"tool:{tool.key}"
    if any(asked == tool.server for tool in tools):
        return f"server:{asked}"
    if any(f"connector:{asked}" in tool.tags for tool in tools):
        return f"tag:connector:{asked}"
    # A tool that no server lists now may come back.
    return f"tool:{plain_key.replace('.', '/', 1)}" if _KEY.fullmatch(plain_key) else ""


def _already(subject: str, act: Act | None, speaker: Speaker, tools: Sequence[Tool]) -> str:
    if act is not None:
        return f"`{plain(subject)}` is switched off already, by {origin(act)}."
    if subject == EFFECTS and not speaker.setup.rules.has_effects:
        return "The file says `effects: off`; only a change of the file switches them on."
    return f"`{plain(subject)}` is not switched off here. `why` names the rule that withholds it."


def _done(subject: str, speaker: Speaker, *, is_off: bool) -> Panel:
    what = {
        EVERYTHING: "Every tool is",
        EFFECTS: "All effects are: nothing that is approved is carried out; cards wait",
    }.get(subject, f"`{plain(subject)}` is")
    if not is_off:
        named = {EVERYTHING: "everything", EFFECTS: "effects"}.get(subject, f"`{plain(subject)}`")
        return Panel(
            text=f"Switched on again: {named}. What the policy says of it holds from the next call"
            " on."
        )
    return Panel(
        text=f"**Switched off**: {what}, for everybody, from the next call on."
        if subject == EFFECTS
        else f"**Switched off**: {what} offered to nobody from the next call on; parked calls of"
        " it are not carried out.",
        choices=(Choice(label="Switch it on again", words=f"enable {subject}"),),
    )


def standing_words(found: Sequence[Act]) -> list[str]:
    """One line for each switch that is off."""
    return [f"{listed([act.subject])} is off ({origin(act)})" for act in found]
