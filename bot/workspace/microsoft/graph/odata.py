"""OData's query options over lists of JSON objects."""

import re
from collections.abc import Callable, Sequence
from urllib.parse import urlencode

from bot.workspace.microsoft.graph import filters
from bot.workspace.microsoft.graph.calls import Call
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.records import Json

MOST = 1_000
"""Items of one page."""
ALWAYS = ("id", "@odata.etag", "@odata.type")
WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
Meets = Callable[[Json, str], bool]


def listed(
    call: Call,
    items: Sequence[Json],
    *,
    meets: Meets | None = None,
    usual: int = 10,
    context: str = "",
) -> Json:
    """One page of the items after `$filter`, `$search`, `$orderby`, `$skip`, `$top`, `$select`.

    `meets` says whether an item answers a `$search`; without it there is none. Raises
    GraphRefused for options that cannot be read.
    """
    query, found = call.query, list(items)
    _check_pair(query)
    if "$filter" in query:
        found = [item for item in found if filters.holds(query["$filter"], item)]
    if "$search" in query:
        if meets is None:
            raise refused(400, "BadRequest", "The query option '$search' is not allowed here.")
        words = searched(query["$search"])
        found = [item for item in found if all(meets(item, word) for word in words)]
    if "$orderby" in query:
        found = ordered(found, query["$orderby"])
    count, skip = len(found), whole(query, "$skip", 0)
    top = min(whole(query, "$top", usual), MOST)
    page = found[skip : skip + top]
    answer: Json = {"@odata.context": f"{call.graph.tenant.base}/v1.0/$metadata#{context}"}
    if query.get("$count") == "true":
        answer["@odata.count"] = count
    if skip + top < count and top:
        rest = query | {"$skip": str(skip + top), "$top": str(top)}
        answer["@odata.nextLink"] = (
            f"{call.graph.tenant.base}/v1.0{call.path}?{urlencode(rest, safe='$')}"
        )
    answer["value"] = [selected(item, query.get("$select", "")) for item in page]
    return answer


def _check_pair(query: dict[str, str]) -> None:
    if "$search" in query and "$filter" in query:
        told = "The query parameter '$filter' is not supported with '$search'."
        raise refused(400, "SearchWithFilter", told)
    if "$search" in query and "$orderby" in query:
        told = "The query parameter '$orderBy' is not supported with '$search'."
        raise refused(400, "SearchWithOrderBy", told)


def whole(query: dict[str, str], name: str, usual: int) -> int:
    text = query.get(name, str(usual))
    if not text.isdigit():
        raise refused(400, "BadRequest", f"Invalid value '{text}' for '{name}' query option found.")
    return int(text)


def selected(item: Json, names: str) -> Json:
    """The named fields, and those that always come along."""
    wanted = {name.strip().partition("/")[0] for name in names.split(",") if name.strip()}
    if not wanted:
        return item
    return {name: value for name, value in item.items() if name in wanted or name in ALWAYS}


def ordered(items: list[Json], text: str) -> list[Json]:
    """Several keys, each with `asc` or `desc`; what lacks a key comes first."""
    for key in reversed(text.split(",")):
        name, _, direction = key.strip().partition(" ")
        items = sorted(
            items,
            key=lambda item: str(filters.value_of(item, name.split("/")) or ""),
            reverse=direction.strip().lower() == "desc",
        )
    return items


def searched(text: str) -> list[str]:
    """The words of a `$search`; the whole of it stands between quotation marks."""
    text = text.strip()
    if text.startswith('"') and text.endswith('"') and text.count('"') == 2:
        text = text[1:-1]
    found = [str(quoted or bare) for quoted, bare in WORD.findall(text.replace('\\"', '"'))]
    return [word.strip('"') for word in found if word.upper() not in ("AND", '"AND"')]
