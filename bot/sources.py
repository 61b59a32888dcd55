"""The `sources` section with the files that its entries name: read, and looked at."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from bot import marks
from core.errors import Misconfigured
from core.specialists.dax import reading as dax
from core.specialists.dax.source import SemanticModel
from core.specialists.sql.reading import read_sources
from core.specialists.sql.source import Source

Fault = tuple[int, str]
"""A line of the configuration and a sentence."""


def read(
    section: Any, lines: Mapping[marks.Path, int], folder: Path, secrets: Mapping[str, str]
) -> tuple[tuple[Source, ...], list[Fault]]:
    """`lines` are those of the section's values by their path within it. A relative path of a
    database lies under `folder`, as a file that an entry names does."""
    if not isinstance(section, dict):
        read_so_far, wrong = _read(section, lines, secrets)
        return read_so_far, [(lines.get((), 1), text) for _, text in wrong]
    found: list[Source] = []
    faults: list[Fault] = []
    for name, entry in cast("dict[str, Any]", section).items():
        own, its_lines, file = _entry(name, entry, lines, folder, faults)
        if own and dax.is_one(own[name]):
            continue
        sources, wrong = _read(own, its_lines, secrets)
        found += (_placed(source, folder) for source in sources)
        at = lines.get((name,), 1)
        faults += ((at, f"{file}:{line}: {text}") if file else (line, text) for line, text in wrong)
    return tuple(found), faults


def read_models(
    section: Any, lines: Mapping[marks.Path, int], folder: Path
) -> tuple[tuple[SemanticModel, ...], list[Fault]]:
    """Those entries that are semantic models of Power BI; `read` says what is wrong with files."""
    found: list[SemanticModel] = []
    faults: list[Fault] = []
    for name, entry in cast("dict[str, Any]", section if isinstance(section, dict) else {}).items():
        own, its_lines, file = _entry(name, entry, lines, folder, [])
        if not own or not dax.is_one(own[name]):
            continue

        def wrong(path: marks.Path, sentence: str, its: Any = its_lines, file: str = file) -> None:
            while path and path not in its:
                path = path[:-1]
            line = its.get(path, 1)
            text = f"`sources.{'.'.join(map(str, path))}`: {sentence}."
            at = lines.get(path[:1], 1) if file else line
            faults.append((at, f"{file}:{line}: {text}" if file else text))

        if (model := dax.read_model(name, own[name], wrong)) is not None:
            found.append(model)
    return tuple(found), faults


def _entry(
    name: str, entry: Any, lines: Mapping[marks.Path, int], folder: Path, faults: list[Fault]
) -> tuple[Any, Mapping[marks.Path, int], str]:
    named = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    if "file" not in named:
        return {name: cast("Any", entry)}, lines, ""
    file = str(named["file"])
    at = lines.get((name,), 1)
    if len(named) > 1:
        faults.append((at, f"`sources.{name}` names a file and says more; it is one or the other."))
    try:
        path = (folder / file).resolve()
        path.relative_to(folder.resolve())
        marked = marks.read(path.read_text("utf-8"))
    except (OSError, ValueError):
        faults.append((at, f"`sources.{name}.file` names no text file under {folder}."))
        return None, {}, file
    faults += ((at, f"{file}:{line}: {text}") for line, text in marked.faults)
    return {name: marked.value}, {(name, *key): line for key, line in marked.lines.items()}, file


def _read(
    section: Any, lines: Mapping[marks.Path, int], secrets: Mapping[str, str]
) -> tuple[tuple[Source, ...], list[Fault]]:
    try:
        return read_sources(section, secrets, lines), []
    except Misconfigured as problem:
        return (), [_fault(one) for one in str(problem).splitlines()]


def _fault(sentence: str) -> Fault:
    match = re.fullmatch(r"line (\d+): (.*)", sentence)
    text = match[2] if match else sentence
    where, _, rest = text.partition(": ")
    said = f"`sources.{where}`: {rest}." if not where.startswith("sources") else f"{text}."
    return (int(match[1]) if match else 1, said)


def _placed(source: Source, folder: Path) -> Source:
    connection = dict(source.connection)
    if path := connection.get("path"):
        connection["path"] = str((folder / path).absolute())
    return replace(source, connection=connection)


async def checked(sources: Sequence[Source]) -> tuple[list[str], bool]:
    """What to print about each source, and whether all of them are well."""
    from core.specialists.sql import checking

    said: list[str] = []
    is_well = True
    for source in sources:
        if checking.wants_a_person(source):
            said.append(f"{source.id}: well written; asked only with a person's own sign-in")
            continue
        found = await checking.faults(source)
        is_well = is_well and not found
        said.append(f"{source.id}: {'not as described' if found else 'as described'}")
        said += (f"- {one}" for one in found)
    return said, is_well
