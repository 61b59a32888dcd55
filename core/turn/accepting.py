"""Lets an admin accept a tool that is new, or that has changed since it was accepted."""

from collections.abc import Callable, Iterable

from core.capabilities.catalog import Catalog
from core.context.shape import cut
from core.errors import NotAllowed
from core.policy.rules import Rules, is_admin
from core.records import Person, Tool
from core.telemetry import logs

NOT_AN_ADMIN = "Only admins accept tools; the policy names them under `admins`. Nothing changed."

log = logs.get(__name__)


async def accept_tool(catalog: Catalog, rules: Rules, person: Person, key: str) -> str:
    """See `core.ports.FrontDoor.accept_tool`. The row that it writes says who accepted what and
    when, and stays when the tool is accepted again."""
    if not is_admin(person, rules):
        log.warning("tool.not_accepted", key=key, by=person.id, reason="not an admin")
        return NOT_AN_ADMIN
    before = await catalog.discover()
    if any(
        before.accepted.get(tool.key) == tool.digest for tool in before.tools if tool.key == key
    ):
        return f"`{_plain(key)}` is accepted already, as it is listed now. Nothing changed."
    try:
        tool = await catalog.accept(key, person.id)
    except NotAllowed:
        return _not_listed(key, before.tools, before.accepted.get)
    log.info("tool.accepted", key=key, digest=tool.digest, by=person.id)
    return _accepted(tool)


def _accepted(tool: Tool) -> str:
    """What now stands, in the server's words, none of which is alive here."""
    names = ", ".join(map(str, tool.schema.get("properties", {}))) or "none"
    said = cut(_plain(tool.description), 600) or "nothing"
    return (
        f"Accepted: `{_plain(tool.key)}` as it is listed now (pin `{tool.digest[:12]}`). From the"
        " next question on it is offered to whom the policy offers it.\n\n"
        f"- It says of itself: `{said}`\n"
        f"- Its parameters: `{_plain(names)}`\n"
        f"- Its tags: `{_plain(', '.join(sorted(tool.tags))) or 'none'}`"
    )


def _not_listed(key: str, tools: Iterable[Tool], pin: Callable[[str], str | None]) -> str:
    waiting = [tool.key for tool in tools if pin(tool.key) != tool.digest]
    named = ", ".join(f"`{_plain(one)}`" for one in waiting[:20])
    waits = f" What waits to be accepted: {named}." if waiting else " Nothing waits."
    return f"No server lists `{_plain(key)}` now; nothing changed.{waits}"


def _plain(text: str) -> str:
    """On one line, without what would end a code span."""
    return " ".join(text.replace("`", "'").split())
