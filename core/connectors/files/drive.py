"""Files in a person's OneDrive: how they are named, found and read."""

import re
from urllib.parse import quote

from core.connectors.failures import GraphFailed
from core.connectors.graph import Graph
from core.connectors.request import Request, text
from core.errors import BadArguments
from core.records import Json

READ, WRITE = "Files.Read", "Files.ReadWrite"
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f"*:<>?|\\\u200b-\u200f\u202a-\u202e\u2066-\u2069]')
_LONGEST = 400
"""Characters of a path, as SharePoint counts them."""


def by_id(id: str) -> str:
    return f"/me/drive/items/{quote(id, safe='')}"


def by_path(path: str) -> str:
    """`Reports/q3.csv`, from the root of the drive."""
    return f"/me/drive/root:/{quote(path, safe='/')}:"


def checked(path: str) -> str:
    """The path as it will be written. Raises BadArguments."""
    pieces = [piece.strip() for piece in path.strip().strip("/").split("/")]
    if not all(pieces) or any(piece.strip(".") == "" for piece in pieces):
        raise BadArguments(f"{path!r} is not a path like Reports/Q3 summary.md")
    if _FORBIDDEN.search(path) or len(path) > _LONGEST:
        raise BadArguments("the path holds a character that no file name may have, or is too long")
    return "/".join(pieces)


def where(item: Json) -> str:
    """`/Reports/q3.csv`, as people know it."""
    folder = text(item, "parentReference", "path").partition("root:")[2]
    return f"{folder}/{text(item, 'name')}"


async def content(graph: Graph, token: str, id: str, limit: int) -> bytes:
    """The bytes of a file. Raises GraphFailed, also for more than `limit`."""
    answer = await graph.ask(token, Request(path=f"{by_id(id)}/content"))
    if not answer.location:
        raise GraphFailed(answer.status, "the file has no content")
    return await graph.download(answer.location, limit)
