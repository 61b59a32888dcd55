"""The files that stand in a message, by id alone."""

from adapters.slack import fields, identity
from core.records import FileId, FileRef, Json

_LOST = frozenset({"tombstone", "hidden_by_limit"})


def posted(message: Json, team: str) -> tuple[FileRef, ...]:
    """A file shared from another organisation may come without its name."""
    return tuple(
        FileRef(
            id=FileId(f"slack:{team}/{fields.text(file, 'id')}"),
            name=fields.text(file, "name") or "file",
            media_type=fields.text(file, "mimetype") or "application/octet-stream",
            size=fields.number(file, "size"),
        )
        for file in fields.children(message, "files")
        if identity.is_id(fields.text(file, "id")) and fields.text(file, "mode") not in _LOST
    )
