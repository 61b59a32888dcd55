"""Files that go along: from the evidence of the thread, or a copy of one in OneDrive."""

import hashlib
import mimetypes
import re
from collections.abc import Sequence
from urllib.parse import quote

from core.connectors.failures import GraphFailed, reason
from core.connectors.office import Office, look, lookup_token
from core.connectors.request import Request, text
from core.errors import BadArguments
from core.parked import ParkedCall
from core.records import Evidence, FileId, Json, MadeFile
from core.storage import evidence, files
from core.storage.database import Statements

LIMIT = 2_800_000
"""Bytes of all attachments together: encoded, with the mail around them, they must stay below
the 4 MB that Graph takes in one request."""
ONEDRIVE = "onedrive:"
READ = ("Files.Read",)
_PIECES = 200


async def gather(office: Office, call: ParkedCall, wanted: Sequence[str]) -> list[Json]:
    """What is known of each wanted file: `name`, `size`, `sha256`, `media_type`, and the id under
    which its bytes are kept.

    `wanted` names a file of the thread by its id or name, evidence of this turn by its number,
    or a file in OneDrive as `onedrive:<id>`; of that one a copy is kept, so that what goes out is
    what was shown. Raises BadArguments with a sentence.
    """
    kept = await evidence.of_thread(office.db, call.thread, _PIECES) if wanted else []
    found = [await _one(office, call, word.strip(), kept) for word in dict.fromkeys(wanted)]
    if sum(one["size"] for one in found) > LIMIT:
        raise BadArguments(f"the files are too large together: at most {LIMIT:,} bytes go along")
    return found


async def load(db: Statements, known: Json) -> bytes:
    """The bytes of a gathered file. Raises BadArguments when they are not the ones shown."""
    content = await files.read(db, FileId(known["file"]))
    if content is None or hashlib.sha256(content).hexdigest() != known["sha256"]:
        raise BadArguments(f"{known['name']} is no longer the file that was shown")
    return content


def in_words(known: Json) -> str:
    size = known["size"]
    much = f"{size / 1_000:,.0f} kB" if size >= 10_000 else f"{size:,} bytes"
    origin = f", from {known['origin']}" if known.get("origin") else ""
    return f"{known['name']} ({much}{origin})"


async def _one(office: Office, call: ParkedCall, word: str, kept: Sequence[Evidence]) -> Json:
    if word.startswith(ONEDRIVE):
        return await _copied(office, call, word.removeprefix(ONEDRIVE))
    for piece in reversed(kept):
        for file in piece.files:
            if word in (file.id, file.name):
                return await _known(office, file)
    if word.isascii() and word.isdigit():
        return await _of_evidence(office, call, word, kept)
    names = ", ".join(dict.fromkeys(file.name for piece in kept for file in piece.files))
    there = f"there are {names}" if names else "there is none"
    raise BadArguments(f"no file {word!r} was made in this thread: {there}")


async def _of_evidence(
    office: Office, call: ParkedCall, number: str, kept: Sequence[Evidence]
) -> Json:
    """The file of a piece of evidence, or else its text as a file."""
    piece = next((one for one in kept if one.id == f"{call.turn}.{number}"), None)
    if piece is None or piece.is_error:
        raise BadArguments(f"there is no evidence {number} in this turn")
    if piece.files:
        return await _known(office, piece.files[0])
    ending = "md" if piece.text.lstrip().startswith(("|", "#")) or "\n|" in piece.text else "txt"
    name = f"{_plain(piece.title) or 'result'}.{ending}"
    return await _keep(office, call, name, piece.text.encode(), key=f"evidence {piece.id}")


async def _copied(office: Office, call: ParkedCall, item: str) -> Json:
    """A copy of a file in the asking person's OneDrive, or of one shared with them."""
    path = f"/me/drive/items/{quote(item, safe='')}"
    found = await look(office, call.authority, Request(path=path), *READ)
    if "file" not in found:
        raise BadArguments("only a file can go along, not a folder")
    if int(found.get("size") or 0) > LIMIT:
        raise BadArguments(f"{text(found, 'name')} is too large to go along")
    token = await lookup_token(office, call.authority, *READ)
    try:
        answer = await office.graph.ask(token, Request(path=f"{path}/content"))
        content = await office.graph.download(answer.location, LIMIT)
    except GraphFailed as failure:
        raise BadArguments(reason(failure, READ)) from None
    name = _plain(text(found, "name")) or "file"
    made = await _keep(office, call, name, content, key=f"onedrive {item}")
    return {**made, "origin": "OneDrive"}


async def _known(office: Office, file: MadeFile) -> Json:
    content = await files.read(office.db, file.id)
    if content is None:
        raise BadArguments(f"{file.name} is no longer kept: have it made again")
    return _facts(file, content)


async def _keep(office: Office, call: ParkedCall, name: str, content: bytes, *, key: str) -> Json:
    """The same bytes under the same key have the same id."""
    digest = hashlib.sha256(f"{call.turn} {key} ".encode() + content).hexdigest()
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    file = MadeFile(
        id=FileId(f"file_{digest[:32]}"), name=name, media_type=media_type, size=len(content)
    )
    await files.keep(office.db, call.turn, file, content, made_at=office.clock())
    return _facts(file, content)


def _facts(file: MadeFile, content: bytes) -> Json:
    return {
        "file": file.id,
        "name": file.name,
        "media_type": file.media_type,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _plain(name: str) -> str:
    """Without what no file name may have."""
    return re.sub(r'[\x00-\x1f\x7f/\\:*?"<>|\u200b-\u200f\u202a-\u202e\u2066-\u2069]+', "_", name)[
        :120
    ].strip(" .")
