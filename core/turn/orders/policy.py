"""Shows the policy as it holds: the file's rules, what lies over them, groups, the last acts."""

from collections.abc import Sequence

from core.panels import Order, Panel
from core.policy.rules import Rules, version
from core.storage import acts, memberships
from core.storage.acts import Act
from core.storage.memberships import Membership
from core.turn.laid import SWITCH, origin
from core.turn.orders.speaking import Ground, Speaker, listed, plain
from core.turn.orders.switches import NOT_AN_ADMIN, standing_words
from core.turn.steering import Steering

ACTS = 10


async def policy(
    ground: Ground, steering: Steering, speaker: Speaker, order: Order
) -> Panel | None:
    """None where the words are no such order. Raises `Unavailable`."""
    words = [word.lower() for word in order.words.split()[1:]]
    if words not in ([], ["show"]):
        return Panel(text="Write `policy show`.") if order.is_typed else None
    if not speaker.is_admin:
        return Panel(text=f"{NOT_AN_ADMIN} `why` tells you what holds for you.")
    switches = await acts.standing(ground.db, (SWITCH,))
    latest = await acts.latest(ground.db, ACTS)
    members = await memberships.read(ground.db)
    return Panel(text=shown(steering, switches, latest, members, now=ground.clock()))


def shown(
    steering: Steering,
    switches: Sequence[Act],
    latest: Sequence[Act],
    members: Sequence[Membership],
    *,
    now: float,
) -> str:
    """All of it as Markdown."""
    rules = steering.setup.rules
    lines = [f"**Policy** `{version(rules)}`"]
    if steering.fault:
        lines.append(
            "The file was changed and cannot be read; what it said before holds:\n"
            + "\n".join(f"- {fault}" for fault in steering.fault.splitlines()[:10])
        )
    lines += [f"- {rule}" for rule in rules.rules if not rule.origin]
    if switches:
        lines.append("\n**Laid over the file in chat**")
        lines += [f"- {one}" for one in standing_words(switches)]
    lines.append(f"\nEffects are {'on' if rules.has_effects else 'off: nothing is carried out'}.")
    lines.append(f"Admins: {listed(rules.admins) or 'nobody'}")
    lines += _groups(rules, steering.file.rules, members, now)
    if latest:
        lines.append("\n**What admins did last**")
        lines += [f"- {_told(act)}" for act in latest]
    return "\n".join(lines)


def _groups(rules: Rules, file: Rules, members: Sequence[Membership], now: float) -> list[str]:
    """Each group with its size, and how fresh that is where others keep it."""
    if not file.groups:
        return []
    seen = {one.origin: one for one in members}
    lines = ["\n**Groups**"]
    for name, words in file.groups.items():
        others = [
            seen.get(word, Membership(word, (), "", 0.0)) for word in words if _is_other(word)
        ]
        fresh = "".join(f"; {_fresh(one, now)}" for one in others)
        count = len(rules.groups.get(name, ()))
        lines.append(f"- {plain(name)}: {count} {'person' if count == 1 else 'people'}{fresh}")
    return lines


def _fresh(one: Membership, now: float) -> str:
    if not one.seen_at:
        return f"`{one.origin}` was never read{f' ({one.fault})' if one.fault else ''}"
    minutes = max(0, round((now - one.seen_at) / 60))
    fault = f", and cannot be read since: {one.fault}" if one.fault else ""
    return f"`{one.origin}` as of {minutes} min ago{fault}"


def _is_other(word: str) -> bool:
    return not word.startswith("person:")


def _told(act: Act) -> str:
    value = {"": "on again", "off": "off"}.get(act.value, act.value) if act.topic else ""
    return f"{act.topic} `{plain(act.subject)}` → {plain(value)[:120]} ({origin(act)})"
