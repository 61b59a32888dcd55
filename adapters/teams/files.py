"""Finds the files that a person posted, and fetches their bytes from where Teams keeps them."""

import re
from typing import Protocol
from urllib.parse import urlsplit

import aiohttp

from adapters import fields
from adapters.links import is_loopback
from core.errors import SourceFailed
from core.records import FileId, FileRef, Json

DOWNLOAD = "application/vnd.microsoft.teams.file.download.info"
"""What Teams attaches for a file in a one-to-one chat: an address that needs no token and holds
for a few minutes. In channels and group chats bots are told of no file."""
HOSTS = (".sharepoint.com", ".sharepoint.us", ".sharepoint-mil.us", ".svc.ms")
UNSEEN = "unseen-"
MOST_FILES = 10
_POSTED = re.compile(r'<attachment id="([A-Za-z0-9-]{1,64})"')
FETCH_SECONDS = 60.0
_TYPES = {
    "csv": "text/csv",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "json": "application/json",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "png": "image/png",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "txt": "text/plain",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class Addresses(Protocol):
    """Where the address of a file is kept under its id."""

    async def read(self, key: str) -> Json | None: ...


def named(activity: Json, tenant: str) -> tuple[FileRef, ...]:
    """By id alone; see `addresses` for where they are."""
    found: list[FileRef] = []
    for attachment in fields.children(activity, "attachments"):
        content = fields.child(attachment, "content")
        key = fields.text(content, "uniqueId")
        if fields.text(attachment, "contentType") == "text/html":
            found += _unseen(fields.text(attachment, "content"), tenant)
        if fields.text(attachment, "contentType") != DOWNLOAD or not key.isprintable() or not key:
            continue
        name = fields.text(attachment, "name") or "file"
        ending = fields.text(content, "fileType").lower() or name.rpartition(".")[2].lower()
        found.append(
            FileRef(
                id=FileId(f"teams:{tenant}/{key}"),
                name=name,
                media_type=_TYPES.get(ending, "application/octet-stream"),
            )
        )
    return tuple(found)


def _unseen(markup: str, tenant: str) -> list[FileRef]:
    """Files of a channel or a group chat, of which Teams tells bots no more than that they are
    there: reading one says so."""
    return [
        FileRef(
            id=FileId(f"teams:{tenant}/{UNSEEN}{key}"),
            name="the file",
            media_type="application/octet-stream",
        )
        for key in _POSTED.findall(markup)[:MOST_FILES]
    ]


def addresses(activity: Json, tenant: str) -> dict[str, Json]:
    """Key → where the file is, to be kept until somebody reads it."""
    return {
        key_of(FileId(f"teams:{tenant}/{fields.text(content, 'uniqueId')}")): {
            "url": fields.text(content, "downloadUrl")
        }
        for attachment in fields.children(activity, "attachments")
        if fields.text(attachment, "contentType") == DOWNLOAD
        for content in [fields.child(attachment, "content")]
    }


def key_of(file: FileId) -> str:
    return f"file:{file}"


def is_storage(address: str, local: bool) -> bool:
    """Whether a file of Teams can be there. `local`: a stand-in on this machine counts."""
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return False
    if parts.username is not None:
        return False
    if local and is_loopback(host):
        return parts.scheme in ("http", "https")
    return parts.scheme == "https" and port in (None, 443) and host.endswith(HOSTS)


async def fetch(kept: Addresses, file: FileRef, *, limit: int, local: bool) -> bytes:
    """The bytes. Raises `SourceFailed` with a sentence for the person."""
    if f"/{UNSEEN}" in file.id:
        raise SourceFailed(
            "I cannot read a file that is posted in a channel or a group chat, because Teams does "
            "not hand it to me there. Please post it in our own chat."
        )
    known = await kept.read(key_of(file.id))
    address = fields.text(known or {}, "url")
    if not is_storage(address, local):
        raise SourceFailed(f"I cannot read {file.name}: Teams did not say where it is.")
    timeout = aiohttp.ClientTimeout(total=FETCH_SECONDS)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=not local) as session,
            session.get(address, allow_redirects=False) as answer,
        ):
            if answer.status != 200:
                raise SourceFailed(
                    f"I cannot read {file.name}: its address holds no longer. Please post it again."
                )
            return await _bounded(answer, file.name, limit)
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        raise SourceFailed(f"I cannot read {file.name}: it could not be fetched.") from error


async def _bounded(answer: aiohttp.ClientResponse, name: str, limit: int) -> bytes:
    content = bytearray()
    async for piece in answer.content.iter_any():
        content += piece
        if len(content) > limit:
            raise SourceFailed(f"{name} is larger than {limit // 1_048_576} MB.")
    return bytes(content)
