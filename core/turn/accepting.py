"""Lets an admin accept a tool that is new, or that has changed since it was accepted."""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from core.capabilities.catalog import Catalog
from core.context.shape import cut
from core.errors import NotAllowed
from core.policy.rules import Rules, is_admin
from core.records import Person, Tool
from core.telemetry import logs

NOT_AN_ADMIN = "Only admins accept tools; the policy names them under `admins`. Nothing changed."

log = logs.get(__name__)


class Accepted(NamedTuple):
    told: str
    """What the admin is told, as Markdown."""
    digest: str = ""
    """The pin that stands from now on; empty where nothing changed."""


async def accept_tool(catalog: Catalog, rules: Rules, person: Person, key: str) -> Accepted:
    """Let the tool `server/name` stand as it is listed now, if this person is an admin. The row
    that it writes says who accepted what and when, and stays when the tool is accepted again.
    Raises `Unavailable`."""
    if not is_admin(person, rules):
        log.warning("tool.not_accepted", key=key, by=person.id, reason="not an admin")
        return Accepted(NOT_AN_ADMIN)
    return await accept(catalog, key, person.id)


async def accept(catalog: Catalog, key: str, by: str) -> Accepted:
    """The same for somebody who may: an admin, or the operator on the command line."""
    before = await catalog.discover()
    if any(
        before.accepted.get(tool.key) == tool.digest for tool in before.tools if tool.key == key
    ):
        return Accepted(
            f"`{_plain(key)}` is accepted already, as it is listed now. Nothing changed."
        )
    earlier = await catalog.accepted_listing(key)
    try:
        tool = await catalog.accept(key, by)
    except NotAllowed:
        return Accepted(_not_listed(key, before.tools, before.accepted.get))
    log.info("tool.accepted", key=key, digest=tool.digest, by=by)
    return Accepted(_accepted(tool, earlier), tool.digest)


def _accepted(tool: Tool, earlier: Tool | None) -> str:
    """What now stands, in the server's words, none of which is alive here."""
    names = ", ".join(map(str, tool.schema.get("properties", {}))) or "none"
    said = cut(_plain(tool.description), 600) or "nothing"
    return (
        f"Accepted: `{_plain(tool.key)}` as it is listed now (pin `{tool.digest[:12]}`). From the"
        " next question on it is offered to whom the policy offers it.\n\n"
        f"- It says of itself: `{said}`\n"
        f"- Its parameters: `{_plain(names)}`\n"
        f"- Its tags: `{_plain(', '.join(sorted(tool.tags))) or 'none'}`"
        f"{_changes(earlier, tool) if earlier else ''}"
    )


def _changes(before: Tool, now: Tool) -> str:
    """What is not as it was when somebody accepted it last."""
    found: list[str] = []
    if before.description != now.description:
        found.append(f"it said of itself: `{cut(_plain(before.description), 600) or 'nothing'}`")
    old, new = (set(tool.schema.get("properties", {})) for tool in (before, now))
    found += _difference("parameters", old, new)
    found += _difference("tags", before.tags, now.tags)
    if not found and before.schema != now.schema:
        found.append("its parameters take other values than before")
    if before.is_idempotent != now.is_idempotent:
        found.append("a call may be repeated" if now.is_idempotent else "no call is repeated")
    lines = "".join(f"\n- {one}" for one in found)
    return f"\n\n**Changed since it was accepted last**{lines}" if found else ""


def _difference(what: str, old: AbstractSet[str], new: AbstractSet[str]) -> list[str]:
    gone, came = sorted(old - new), sorted(new - old)
    found = [f"new {what}: `{_plain(', '.join(came))}`"] if came else []
    return found + ([f"{what} that are gone: `{_plain(', '.join(gone))}`"] if gone else [])


def _not_listed(key: str, tools: Iterable[Tool], pin: Callable[[str], str | None]) -> str:
    waiting = [tool.key for tool in tools if pin(tool.key) != tool.digest]
    named = ", ".join(f"`{_plain(one)}`" for one in waiting[:20])
    waits = f" What waits to be accepted: {named}." if waiting else " Nothing waits."
    return f"No server lists `{_plain(key)}` now; nothing changed.{waits}"


def _plain(text: str) -> str:
    """On one line, without what would end a code span."""
    return " ".join(text.replace("`", "'").split())
