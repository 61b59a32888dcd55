"""Reads who is in a group of Entra, with the application's own permission."""

import re

from core.connectors.failures import GraphFailed
from core.connectors.graph import Graph
from core.connectors.request import Request, text
from core.errors import SourceFailed

SCOPE = "https://graph.microsoft.com/.default"
"""What the application itself was granted: `GroupMember.Read.All`."""
MOST = 20_000
_GUID = re.compile(r"[0-9a-fA-F-]{36}")


async def members(graph: Graph, token: str, group: str) -> tuple[str, ...]:
    """The object ids of its members, those of groups inside it included. Raises `SourceFailed`
    with a sentence for admins."""
    if not _GUID.fullmatch(group):
        raise SourceFailed(f"{group} is no object id of a group")
    path = f"/groups/{group}/transitiveMembers/microsoft.graph.user"
    request = Request(path=path, query={"$select": "id", "$top": "999"})
    try:
        found = await graph.items(token, request, MOST)
    except GraphFailed as failure:
        raise SourceFailed(f"Microsoft Graph did not say who is in it: {failure}") from None
    return tuple(id.lower() for id in (text(one, "id") for one in found) if id)


async def own_objects(graph: Graph, token: str) -> frozenset[str]:
    """The object ids of whose token it is and of every group that they are in. Raises
    `SourceFailed`."""
    named = {"$select": "id"}
    try:
        me = (await graph.ask(token, Request(path="/me", query=named))).body
        asked = Request(path="/me/transitiveMemberOf", query=named | {"$top": "999"})
        found = await graph.items(token, asked, MOST)
    except GraphFailed as failure:
        raise SourceFailed(f"Microsoft Graph did not say who somebody is: {failure}") from None
    return frozenset(id.lower() for id in (text(one, "id") for one in (me, *found)) if id)
