"""A folder of files as a source of documents, with what its `.readers` files say."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.errors import SourceFailed
from core.specialists.documents.parsing.kinds import ENDINGS, PICTURES, ending

READERS = ".readers"
"""A file that says who may read its folder and what lies below: one reader a line, `#` begins a
remark. The nearest one counts."""
_MOST_READERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file as it is listed. `path` is in the source, with slashes."""

    path: str
    stamp: str
    size: int
    readers: tuple[str, ...]


def listed(root: Path, readers: tuple[str, ...]) -> list[Found]:
    """The files below `root` that can be read, by path. Neither hidden ones nor links, which
    could lead out of it. Raises `SourceFailed`."""
    if not root.is_dir():
        raise SourceFailed(f"The folder {root} is not there, or cannot be read.")
    return sorted(_walk(root, root, readers), key=lambda found: found.path)


def _walk(root: Path, folder: Path, readers: tuple[str, ...]) -> Iterator[Found]:
    readers = _said(folder / READERS) or readers
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as fault:
        raise SourceFailed(f"The folder {folder} cannot be read: {fault.strerror}.") from fault
    for entry in entries:
        if entry.name.startswith((".", "~$")) or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from _walk(root, Path(entry.path), readers)
        elif entry.is_file() and ending(entry.name) in ENDINGS | PICTURES:
            state = entry.stat()
            yield Found(
                path=PurePosixPath(Path(entry.path).relative_to(root)).as_posix(),
                stamp=f"{state.st_mtime_ns}:{state.st_size}",
                size=state.st_size,
                readers=readers,
            )


def readers_of(root: Path, path: str, readers: tuple[str, ...]) -> tuple[str, ...] | None:
    """Who may read the file now; None where it is gone."""
    file = located(root, path)
    if file is None:
        return None
    for folder in file.parents:
        if said := _said(folder / READERS):
            return said
        if folder == root.resolve():
            break
    return readers


def located(root: Path, path: str) -> Path | None:
    """The file at the path, if it is one and lies below the root."""
    file = (root / path).resolve()
    return file if file.is_relative_to(root.resolve()) and file.is_file() else None


def content(root: Path, path: str, limit: int) -> bytes:
    """Raises `SourceFailed`."""
    file = located(root, path)
    if file is None:
        raise SourceFailed(f"{path} is no longer there.")
    try:
        if file.stat().st_size > limit:
            raise SourceFailed(f"{path} is larger than {limit // 2**20} MB.")
        return file.read_bytes()
    except OSError as fault:
        raise SourceFailed(f"{path} cannot be read: {fault.strerror}.") from fault


def _said(file: Path) -> tuple[str, ...]:
    try:
        lines = file.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError):
        # A rule that cannot be read lets nobody in.
        return ("nobody",)
    named = [line.partition("#")[0].strip() for line in lines[:_MOST_READERS]]
    return tuple(name for name in named if name) or ("nobody",)
