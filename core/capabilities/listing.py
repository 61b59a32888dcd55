"""Takes what a server lists into tools, and says why one is not taken."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.capabilities import shapes
from core.capabilities.arguments import schema_fault
from core.capabilities.forbidden import refusal
from core.capabilities.pins import digest
from core.capabilities.references import written_out
from core.capabilities.schemas import PROPERTY_NAME
from core.records import Tool

if TYPE_CHECKING:
    from mcp_types import Tool as ListedTool

TAGS = "countersign/tags"
"""The key of a tool's `_meta` that holds its tags, a list of words."""

_NAME = re.compile(r"[^\s/\x00-\x1f\x7f]{1,128}")
_TAG = re.compile(r"[^\s\x00-\x1f\x7f]{1,64}")
_LONGEST_DESCRIPTION = 8_000
_LARGEST_SCHEMA = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something about a server that an admin should know."""

    server: str
    sentence: str
    tool: str = ""
    """The tool's name where it is about one."""
    is_outage: bool = False
    """Everybody may know of it; the rest is for admins alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    tools: tuple[Tool, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_listing(server: str, listed: "Iterable[ListedTool]") -> Listing:
    """Each listed tool as ours, or the problem for which it is left out."""
    given = list(listed)
    times = Counter(tool.name for tool in given)
    tools: list[Tool] = []
    problems: list[Problem] = []
    for tool in given:
        fault = _fault(tool, times[tool.name])
        if fault:
            name = tool.name[:128]
            sentence = f"{server}/{name} is refused: {fault}"
            problems.append(Problem(server=server, tool=name, sentence=sentence))
        else:
            tools.append(_tool(server, tool))
    unique = {problem.sentence: problem for problem in problems}
    return Listing(tools=tuple(tools), problems=tuple(unique.values()))


def _tool(server: str, listed: "ListedTool") -> Tool:
    description = listed.description or listed.title or ""
    tags = frozenset(_tags(listed))
    hints = listed.annotations
    is_idempotent = bool(hints and (hints.idempotent_hint or hints.read_only_hint))
    return Tool(
        server=server,
        name=listed.name,
        description=description,
        schema=listed.input_schema,
        tags=tags,
        is_idempotent=is_idempotent,
        digest=digest(
            listed.name, description, listed.input_schema, tags, is_idempotent=is_idempotent
        ),
    )


def _fault(listed: "ListedTool", times: int) -> str:
    if not _NAME.fullmatch(listed.name):
        return "its name is empty, too long or has a space, a slash or a control character in it"
    if times > 1:
        return f"the server lists this name {times} times"
    if len(listed.description or "") > _LONGEST_DESCRIPTION:
        return f"its description is longer than {_LONGEST_DESCRIPTION:,} characters"
    tags = (listed.meta or {}).get(TAGS, [])
    if not isinstance(tags, list) or len(_tags(listed)) != len(shapes.listing(tags)):
        return f"its {TAGS} are not a list of words"
    return _schema_fault(listed.input_schema)


def _schema_fault(schema: dict[str, Any]) -> str:
    if len(str(schema)) > _LARGEST_SCHEMA:
        return f"its schema is larger than {_LARGEST_SCHEMA:,} characters"
    if "object" not in (shapes.types(schema) or ["object"]):
        return "its schema is not that of an object"
    fault = schema_fault(schema) or refusal(schema) or refusal(written_out(schema))
    if fault:
        return fault
    for name in shapes.names(schema.get("required")):
        if not PROPERTY_NAME.fullmatch(name):
            return f"its required parameter {name[:64]!r} has a name that providers refuse"
    return ""


def _tags(listed: "ListedTool") -> list[str]:
    return [
        tag
        for tag in shapes.listing((listed.meta or {}).get(TAGS))
        if isinstance(tag, str) and _TAG.fullmatch(tag)
    ]
