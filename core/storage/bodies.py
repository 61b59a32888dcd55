"""Records as the JSON text of a column."""

import json
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

Record = TypeVar("Record")


@lru_cache(maxsize=64)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def storable(text: str) -> str:
    """The text without what a database cannot hold: NUL (Postgres) and lone surrogates (UTF-8);
    both arrive in tool results and pasted text."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def packed(kind: Any, record: object) -> str:
    """The record as JSON text. `kind` is its type, which may be a `tuple[Chip, ...]`."""
    adapter = _adapter(kind)
    try:
        return adapter.dump_json(record, warnings="error").decode()
    except PydanticSerializationError:  # a lone surrogate, among others
        plain = adapter.dump_python(record, warnings="error")
        return storable(json.dumps(plain, ensure_ascii=False, separators=(",", ":")))


def unpacked(kind: type[Record], text: str) -> Record:
    """The record back from `packed`. Raises pydantic's ValidationError for a foreign text."""
    return _adapter(kind).validate_json(text)
