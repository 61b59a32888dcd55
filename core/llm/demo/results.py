"""What a tool result says: its lead, its table, the ids in it."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from core.context.prompts import EVIDENCE_MARK
from core.llm.demo.words import stems, words
from core.records import ToolCall

_MARK = re.compile(re.escape(EVIDENCE_MARK).replace(r"\{number\}", r"(\d+)"))
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")
_ASIDE = re.compile(r"^\s*\[[^\[\]]+\]\s*$")
"""A line in brackets: what the host notes about files and sources."""
_SHORTENED = re.compile(r"\n*\[Shortened:.*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    call: ToolCall
    number: int
    """Of the evidence; 0 where the result has none."""
    text: str
    is_error: bool
    is_shortened: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def read(call: ToolCall, text: str, *, is_error: bool) -> Result:
    """A tool message as the demo works with it."""
    mark = _MARK.match(text.strip())
    body = text.strip()[mark.end() :].strip() if mark else text.strip()
    whole = _SHORTENED.sub("", body)
    return Result(
        call=call,
        number=int(mark.group(1)) if mark else 0,
        text=whole,
        is_error=is_error,
        is_shortened=whole != body,
    )


def table(text: str) -> Table | None:
    """The first table of the text: Markdown, or a JSON list of objects."""
    lines = text.splitlines()
    for index, line in enumerate(lines[1:], start=1):
        if _RULE.match(line) and "|" in lines[index - 1]:
            rows = [_cells(row) for row in _while_table(lines[index + 1 :])]
            return Table(_cells(lines[index - 1]), tuple(rows))
    return _json_table(parsed(text))


def prose(text: str) -> str:
    """The text without its tables and JSON."""
    if parsed(text) is not None:
        return ""
    kept = [
        re.sub(r"^#+\s*(.+)$", r"**\1**", line)
        for line in text.splitlines()
        if not line.lstrip().startswith("|") and not _ASIDE.match(line)
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def holds_file(text: str) -> bool:
    """Whether the host notes that the result brought a file."""
    return any(_ASIDE.match(line) and "[file " in line for line in text.splitlines())


def parsed(text: str) -> Any:
    """The JSON document that the text is, or that stands in it between fences; None otherwise."""
    fenced = re.search(r"```(?:json)?\s*\n(.+?)\n```", text, re.DOTALL)
    try:
        value: object = json.loads(fenced.group(1) if fenced else text)
    except ValueError:
        return None
    return cast(Any, value) if isinstance(value, (dict, list)) else None


def harvest(name: str, question: str, results: Sequence[Result]) -> str | None:
    """A value for the parameter `name` that an earlier result holds, from the row or object that
    fits the question best."""
    wanted = set(stems(question))
    best: tuple[float, str] | None = None
    for result in results:
        if result.is_error:
            continue
        for value, context in _values(name, result):
            fit = len(wanted & set(stems(context)))
            if best is None or fit > best[0]:
                best = (fit, value)
    return best[1] if best else None


def is_used_later(result: Result, results: Sequence[Result]) -> bool:
    """Whether a later call took an argument from this result."""
    later = results[list(results).index(result) + 1 :]
    used = {
        str(value)
        for r in later
        for given in r.call.arguments.values()
        for value in (cast("list[Any]", given) if isinstance(given, list) else [given])
        if isinstance(value, (str, int)) and re.search(r"\d|\S@\S", str(value))
    }
    asked = {str(value) for value in result.call.arguments.values()}
    return any(re.search(rf"(?<!\w){re.escape(v)}(?!\w)", result.text) for v in used - asked)


def _values(name: str, result: Result) -> list[tuple[str, str]]:
    """(value, text around it) pairs."""
    subject = [w for w in words(name) if w != "id"]
    keys = {"".join(words(name))}
    # A bare `id` is the wanted one when the tool that returned it speaks of the subject.
    if "id" in words(name) and set(stems(" ".join(subject))) <= set(stems(result.call.name)):
        keys.add("id")
    found: list[tuple[str, str]] = _from_json(keys, parsed(result.text))
    rows = table(result.text)
    if rows is not None:
        for index, column in enumerate(rows.head):
            if "".join(words(column)) in keys:
                found += [(r[index], " ".join(r)) for r in rows.rows if index < len(r)]
    if not found:
        label = r"[\s_-]*".join(words(name))
        pattern = (
            rf"(?i)\b(?:{label}{'|id' if 'id' in keys else ''})\b[\s:=*`\"'(]+([\w-]*\d[\w-]*)"
        )
        found = [(m.group(1), result.text) for m in re.finditer(pattern, result.text)]
    return [(value.strip(' `*"'), context) for value, context in found if value.strip(' `*"')]


def _from_json(keys: set[str], value: Any) -> list[tuple[str, str]]:
    if isinstance(value, list):
        return [pair for item in cast("list[Any]", value) for pair in _from_json(keys, item)]
    if not isinstance(value, dict):
        return []
    found: list[tuple[str, str]] = []
    for key, inner in cast("dict[str, Any]", value).items():
        if "".join(words(key)) in keys and isinstance(inner, (str, int)):
            found.append((str(inner), json.dumps(value, ensure_ascii=False)))
        found += _from_json(keys, inner)
    return found


def _json_table(value: Any) -> Table | None:
    if isinstance(value, dict):
        for inner in cast("dict[str, Any]", value).values():
            if (found := _json_table(inner)) is not None:
                return found
        return None
    if not isinstance(value, list) or not value:
        return None
    items = cast("list[Any]", value)
    if not all(isinstance(item, dict) for item in items):
        return None
    head = tuple(str(k) for k in cast("dict[str, Any]", items[0]))
    return Table(head, tuple(tuple(str(item.get(k, "")) for k in head) for item in items))


def _while_table(lines: list[str]) -> list[str]:
    rows: list[str] = []
    for line in lines:
        if "|" not in line:
            break
        rows.append(line)
    return rows


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
