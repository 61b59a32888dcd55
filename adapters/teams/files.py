"""Finds the files that a person posted, and fetches their bytes from where Teams keeps them."""

import re
from typing import Protocol
from urllib.parse import urlsplit

import aiohttp

from adapters import fields
from adapters.links import is_loopback
from adapters.teams import identity
from core.errors import SourceFailed
from core.ports import Transcript
from core.records import FileId, FileRef, Json, PersonId

DOWNLOAD = "application/vnd.microsoft.teams.file.download.info"
"""What Teams attaches for a file in a one-to-one chat: an address that needs no token and holds
for a few minutes. In channels and group chats bots are told of no file: there it is found by the
rights of the person who asks, see `adapters.teams.thread`."""
HOSTS = (".sharepoint.com", ".sharepoint.us", ".sharepoint-mil.us", ".svc.ms")
UNSEEN = "unseen-"
MOST_FILES = 10
_POSTED = re.compile(r'<attachment id="([A-Fa-f0-9]{1,12}(?:-[A-Fa-f0-9]{1,12}){1,4})"')
"""A file; cards, and messages that are answered to, have ids without a dash."""
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
    is_told = identity.kind(activity) == "dm"
    for attachment in fields.children(activity, "attachments"):
        content = fields.child(attachment, "content")
        key = fields.text(content, "uniqueId")
        if fields.text(attachment, "contentType") == "text/html" and not is_told:
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
    there."""
    return [
        FileRef(id=FileId(f"teams:{tenant}/{UNSEEN}{key}"), name="the file")
        for key in _POSTED.findall(markup)[:MOST_FILES]
    ]


def unseen(file: FileRef) -> str:
    """The id by which the message names a file that the bot was told nothing of; empty for any
    other file."""
    return file.id.partition(f"/{UNSEEN}")[2]


def media_type(name: str) -> str:
    """By the ending of a name."""
    return _TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")


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


async def fetch(
    kept: Addresses,
    transcript: Transcript | None,
    file: FileRef,
    *,
    limit: int,
    person: PersonId,
    local: bool,
) -> bytes:
    """The bytes. Raises `SourceFailed` with a sentence for the person, and `NeedsAccount`."""
    known = await kept.read(key_of(file.id)) or {}
    if (path := fields.text(known, "path")) and transcript is not None:
        try:
            return await transcript.content(person, path, limit)
        except SourceFailed as failure:
            raise SourceFailed(f"I cannot read {file.name}. {failure}") from failure
    address = fields.text(known, "url")
    if not is_storage(address, local):
        raise SourceFailed(f"I cannot read {file.name}: Teams did not say where it is.")
    try:
        return await _fetched(address, file.name, limit, local)
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        raise SourceFailed(f"I cannot read {file.name}: it could not be fetched.") from error


async def _fetched(address: str, name: str, limit: int, local: bool) -> bytes:
    timeout = aiohttp.ClientTimeout(total=FETCH_SECONDS)
    async with (
        aiohttp.ClientSession(timeout=timeout, trust_env=not local) as session,
        session.get(address, allow_redirects=False) as answer,
    ):
        if answer.status != 200:
            raise SourceFailed(
                f"I cannot read {name}: its address holds no longer. Please post it again."
            )
        return await _bounded(answer, name, limit)


async def _bounded(answer: aiohttp.ClientResponse, name: str, limit: int) -> bytes:
    content = bytearray()
    async for piece in answer.content.iter_any():
        content += piece
        if len(content) > limit:
            raise SourceFailed(f"{name} is larger than {limit // 1_048_576} MB.")
    return bytes(content)
