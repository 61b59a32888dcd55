"""Takes an MCP result apart: the text, the structure, the files, the places it points to."""

import base64
import binascii
import json
import mimetypes
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from pydantic_core import PydanticSerializationError, to_json

from core.policy.tags import PRODUCES_FILE
from core.records import FileId, Json, MadeFile, Tool

UNOPENED = "document:unopened"
"""The address of a source that cannot be opened, and keeps its place: a citation counts them."""
_LONGEST_NAME = 120
_LONGEST_LABEL = 200


@dataclass(slots=True)
class Parts:
    """What a result consists of, collected block by block."""

    texts: list[str] = field(default_factory=list[str])
    links: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    files: list[tuple[MadeFile, bytes]] = field(default_factory=list[tuple[MadeFile, bytes]])
    structured: Json | None = None

    @property
    def text(self) -> str:
        """All texts; where there is none, the structure as JSON."""
        if self.texts or self.structured is None:
            return "\n\n".join(self.texts)
        return json.dumps(self.structured, ensure_ascii=False, indent=1)


def take_apart(
    result: CallToolResult, tool: Tool, secrets: Iterable[str], new_id: Callable[[], FileId]
) -> Parts:
    """The parts of a result, cleaned of what no database stores and of the call's own secrets."""
    hidden = tuple(secret for secret in secrets if secret)
    parts = Parts()
    for number, block in enumerate(result.content, 1):
        match block:
            case TextContent():
                parts.texts.append(clean_text(block.text, hidden))
            case ImageContent() | AudioContent():
                name = f"{block.type}-{number}"
                _add_file(parts, name, block.mime_type, block.data, new_id)
            case ResourceLink():
                _add_link(parts, clean_text(block.title or block.name, hidden), block.uri)
            case EmbeddedResource():
                _add_resource(parts, block, tool, hidden, new_id)
    structured = result.structured_content
    if not _is_clean(structured, hidden):
        structured = clean(structured, hidden)
    if structured is not None:
        is_object = isinstance(structured, dict)
        parts.structured = cast("Json", structured) if is_object else {"result": structured}
    return parts


def size_of(result: CallToolResult) -> int:
    """About how many characters the result holds."""
    size = len(repr(result.structured_content)) if result.structured_content is not None else 0
    for block in result.content:
        match block:
            case TextContent():
                size += len(block.text)
            case ImageContent() | AudioContent():
                size += len(block.data)
            case EmbeddedResource():
                held = block.resource
                size += len(held.blob if isinstance(held, BlobResourceContents) else held.text)
            case ResourceLink():
                size += len(block.uri)
    return size


def clean(value: Any, secrets: tuple[str, ...] = ()) -> Any:
    """The JSON value without NUL, lone surrogates, NaN and the secrets."""
    if isinstance(value, str):
        return clean_text(value, secrets)
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value)
        return {clean_text(str(k), secrets): clean(v, secrets) for k, v in entries.items()}
    if isinstance(value, list):
        return [clean(inner, secrets) for inner in cast("list[Any]", value)]
    return value


def _is_clean(value: Any, secrets: tuple[str, ...]) -> bool:
    """Whether `clean` would change nothing, told from the written value: a table has thousands of
    words, and nearly always none to clean. It may say no of a clean one."""
    try:
        written = to_json(value, inf_nan_mode="constants")
        hidden = [to_json(secret)[1:-1] for secret in secrets]
    except PydanticSerializationError:  # a lone surrogate
        return False
    return not any(mark in written for mark in (b"\\u0000", b"NaN", b"Infinity", *hidden))


def clean_text(text: str, secrets: tuple[str, ...] = ()) -> str:
    # Nearly all of a table's words are plain, and a table has thousands of them.
    whole = text
    if not text.isascii():
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for secret in secrets:
        whole = whole.replace(secret, "[removed]")
    return whole.replace("\x00", "\ufffd")


def file_name(address: str, media_type: str, fallback: str) -> str:
    """A plain file name from a resource's URI: no folder, no control character, an ending."""
    last = PurePosixPath(unquote(urlsplit(address).path)).name
    name = re.sub(r'[\x00-\x1f\x7f/\\:*?"<>|\u202a-\u202e\u2066-\u2069]+', "_", last).strip(". ")
    path = PurePosixPath(name or fallback)
    ending = path.suffix or mimetypes.guess_extension(media_type) or ".bin"
    return f"{path.stem[: _LONGEST_NAME - len(ending)]}{ending}"


def _add_resource(
    parts: Parts,
    block: EmbeddedResource,
    tool: Tool,
    hidden: tuple[str, ...],
    new_id: Callable[[], FileId],
) -> None:
    held = block.resource
    media_type = held.mime_type or "application/octet-stream"
    fallback = f"file-{len(parts.files) + 1}"
    name = file_name(held.uri, media_type, fallback)
    if isinstance(held, BlobResourceContents):
        _add_file(parts, name, media_type, held.blob, new_id)
    else:
        text = clean_text(held.text, hidden)
        parts.texts.append(text)
        if PRODUCES_FILE in tool.tags:
            media_type = held.mime_type or "text/plain"
            name = file_name(held.uri, media_type, fallback)
            encoded = base64.b64encode(text.encode()).decode()
            _add_file(parts, name, media_type, encoded, new_id)
    if _is_web(held.uri):
        parts.links.append((name, held.uri))


def _add_file(
    parts: Parts, name: str, media_type: str, encoded: str, new_id: Callable[[], FileId]
) -> None:
    name = file_name(name, media_type, name)
    try:
        content = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        parts.texts.append(f"[{name} could not be read: it is not base64]")
        return
    file = MadeFile(id=new_id(), name=name, media_type=_media(media_type), size=len(content))
    parts.files.append((file, content))
    parts.texts.append(f"[file {name}, {media_type}, {len(content):,} bytes]")


def _add_link(parts: Parts, label: str, address: str) -> None:
    label = " ".join(label.split())[:_LONGEST_LABEL]
    if _is_web(address):
        label = label or urlsplit(address).hostname or "source"
        parts.links.append((label, address))
    elif address == UNOPENED:
        parts.links.append((label, ""))
    parts.texts.append(f"[source: {label}]")


def _is_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    is_plain = address.isprintable() and not re.search(r"[\s<>\"'`|\\]", address)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and is_plain


def _media(media_type: str) -> str:
    return (
        media_type if re.fullmatch(r"[\w.+-]+/[\w.+-]+", media_type) else "application/octet-stream"
    )
