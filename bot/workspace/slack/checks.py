"""What Slack refuses in a message or a view, decided from the values alone."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from bot.workspace.slack import limits
from bot.workspace.slack.blocks import BLOCKS
from bot.workspace.slack.elements import IDENTIFIER, plain_text
from bot.workspace.slack.shapes import Anything, Chars, Fields, Items, Kinds, Problem, problems

Json = dict[str, Any]


class Refusal(Exception):
    """Slack's `{"ok": false, "error": …}`: `code` is the word, `extra` what stands beside it."""

    def __init__(self, code: str, **extra: Any) -> None:
        super().__init__(code)
        self.code = code
        self.extra = extra


def objects_of(value: Any) -> Iterator[Json]:
    """Every JSON object inside `value`, itself included."""
    if isinstance(value, dict):
        found = cast("Json", value)
        yield found
        for inner in found.values():
            yield from objects_of(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from objects_of(inner)


def text_length(blocks: list[Json]) -> int:
    """The characters of all text in these blocks."""
    texts = (found.get("text") for found in objects_of(blocks))
    return sum(len(text) for text in texts if isinstance(text, str))


_HEADING = re.compile(r" {0,3}#{1,6}(\s|$)")
_RULE = re.compile(r" {0,3}([-*_])\s*(?:\1\s*){2,}$")
_TABLE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")


def _line_kinds(markdown: str) -> Iterator[str]:
    fence, lines = "", markdown.split("\n")
    in_table = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        opened = _FENCE.match(line)
        if fence or opened:
            if opened and not fence:
                fence = opened[1]
            elif opened and opened[1].startswith(fence):
                fence = ""
            yield "run"
        elif _HEADING.match(line) or _RULE.match(line):
            yield "single"
        elif not line.strip():
            in_table = False
            yield "blank"
        else:
            in_table = in_table or ("|" in line and _TABLE.match(following) is not None)
            yield "table" if in_table else "run"


def expansion_items(markdown: str) -> int:
    """How many items Slack makes of a markdown block: each heading, rule and table is one, and
    each run of anything else between them is one."""
    items, previous = 0, ""
    for kind in _line_kinds(markdown):
        if kind == "blank":
            previous = "" if previous == "table" else previous
            continue
        items += kind == "single" or kind != previous
        previous = kind
    return items


def markdown_tables(markdown: str) -> list[tuple[int, int]]:
    """Rows with the header, and columns, of each table in a markdown block."""
    found: list[tuple[int, int]] = []
    previous = ""
    kinds = zip(_line_kinds(markdown), markdown.split("\n"), strict=True)
    for kind, line in kinds:
        if kind == "table" and _TABLE.match(line) is None:
            rows, columns = found.pop() if previous == "table" else (0, 0)
            found.append((rows + 1, max(columns, _columns(line))))
        previous = kind
    return found


def _columns(line: str) -> int:
    return len(_BAR.split(line.strip().removeprefix("|").removesuffix("|")))


def block_problems(blocks: Any, most: int = limits.MESSAGE_BLOCKS) -> list[Problem]:
    """Every place where a list of blocks is not what Slack takes, with a JSON pointer."""
    found = list(problems(Items(Kinds(BLOCKS), most, 0), blocks, "/blocks"))
    if found:
        return found
    known = cast("list[Json]", blocks)
    for index, block in enumerate(known):
        found += _one_block(block, f"/blocks/{index}")
    found += _repeated(known)
    found += _counted(known)
    return found


def _one_block(block: Json, at: str) -> Iterator[Problem]:
    match block["type"]:
        case "section" if not block.get("text") and not block.get("fields"):
            yield Problem(at, "missing required field: text")
        case "image" if not block.get("image_url") and not block.get("slack_file"):
            yield Problem(at, "missing required field: image_url")
        case "markdown" if expansion_items(block["text"]) > limits.MARKDOWN_ITEMS:
            yield Problem(at, f"expands to more than {limits.MARKDOWN_ITEMS} items")
        case "markdown" if any(
            rows > limits.TABLE_ROWS or columns > limits.TABLE_COLUMNS
            for rows, columns in markdown_tables(block["text"])
        ):
            yield Problem(at, "expands to a table that is too large")
        case "card" if not {"hero_image", "title", "actions", "body"} & block.keys():
            yield Problem(at, "must have one of: hero_image, title, actions, body")
        case "container" if not {"title", "rich_text_title"} & block.keys():
            yield Problem(at, "missing required field: title")
        case "table" | "data_table":
            yield from _table(block, at)
        case "data_visualization":
            yield from _chart(block["chart"], f"{at}/chart")
        case _:
            return


def _table(block: Json, at: str) -> Iterator[Problem]:
    rows = cast("list[list[Json]]", block["rows"])
    if len({len(row) for row in rows}) > 1:
        yield Problem(f"{at}/rows", "all rows must have the same number of cells")
    if block["type"] == "data_table":
        if any(cell["type"] == "rich_text" for cell in rows[0]):
            yield Problem(f"{at}/rows/0", "the header row takes no rich_text cells")
        if text_length([block]) > limits.DATA_TABLE_TEXT:
            yield Problem(at, f"must be less than {limits.DATA_TABLE_TEXT + 1} characters")


def _chart(chart: Json, at: str) -> Iterator[Problem]:
    if chart["type"] == "pie":
        for index, segment in enumerate(chart["segments"]):
            if segment["value"] <= 0:
                yield Problem(f"{at}/segments/{index}/value", "must be greater than 0")
        return
    names = [series["name"] for series in chart["series"]]
    if len(set(names)) < len(names):
        yield Problem(f"{at}/series", "series names must be unique")
    for index, series in enumerate(chart["series"]):
        labels = [point["label"] for point in series["data"]]
        if labels != chart["axis_config"]["categories"]:
            yield Problem(f"{at}/series/{index}/data", "labels must match the axis categories")


def _repeated(blocks: list[Json]) -> Iterator[Problem]:
    for name in ("block_id", "action_id"):
        values = [found[name] for found in objects_of(blocks) if found.get(name)]
        for value, count in Counter(values).items():
            if count > 1 and (name == "block_id" or _shares_a_block(blocks, value)):
                yield Problem("/blocks", f"{name} already exists: {value}")


def _shares_a_block(blocks: list[Json], action_id: str) -> bool:
    return any(
        sum(found.get("action_id") == action_id for found in objects_of(block)) > 1
        for block in blocks
    )


def _counted(blocks: list[Json]) -> Iterator[Problem]:
    kinds = Counter(found["type"] for found in objects_of(blocks) if "type" in found)
    texts = [found["text"] for found in objects_of(blocks) if found.get("type") == "markdown"]
    in_markdown = sum(len(markdown_tables(text)) for text in texts)
    if kinds["table"] + in_markdown > limits.TABLES_PER_MESSAGE:
        yield Problem("/blocks", "only one table block is allowed")
    if kinds["data_visualization"] > limits.CHARTS_PER_MESSAGE:
        yield Problem("/blocks", "only two data_visualization blocks are allowed")


def _invalid(found: list[Problem]) -> Refusal:
    sentences = [str(problem) for problem in found]
    return Refusal(
        "invalid_blocks",
        errors=sentences,
        response_metadata={"messages": [f"[ERROR] {sentence}" for sentence in sentences]},
    )


def check_blocks(blocks: Any, most: int = limits.MESSAGE_BLOCKS) -> None:
    """Raises Refusal: `invalid_blocks`, `msg_too_long` or `msg_blocks_too_long`."""
    found = block_problems(blocks, most)
    if any(block["type"] == "input" for block in blocks if not found):
        found.append(Problem("/blocks", "unsupported type: input"))
    if found:
        raise _invalid(found)
    markdown = (found["text"] for found in objects_of(blocks) if found.get("type") == "markdown")
    if sum(len(text) for text in markdown) > limits.MARKDOWN_TEXT:
        raise Refusal("msg_too_long")
    if text_length(blocks) > limits.ALL_BLOCK_TEXT:
        raise Refusal("msg_blocks_too_long")


def check_message(args: Json) -> None:
    """What chat.postMessage, chat.postEphemeral and chat.update refuse alike."""
    text, blocks, markdown = args.get("text"), args.get("blocks"), args.get("markdown_text")
    if markdown is not None and (text or blocks):
        raise Refusal("markdown_text_conflict")
    if markdown is not None and len(markdown) > limits.MARKDOWN_TEXT:
        raise Refusal("msg_too_long")
    attachments = cast("list[Json]", args.get("attachments") or [])
    if not text and not blocks and not markdown and not attachments:
        raise Refusal("no_text")
    if len(attachments) > limits.ATTACHMENTS:
        raise Refusal("too_many_attachments")
    if blocks:
        check_blocks(blocks)
    check_metadata(args.get("metadata"))


_METADATA = Fields({"event_type": Chars(limits.IDENTIFIER), "event_payload": Anything()})


def check_metadata(metadata: Any) -> None:
    """Raises Refusal: `invalid_metadata_format` or `metadata_too_large`."""
    if metadata is None:
        return
    if any(problems(_METADATA, metadata)) or not isinstance(metadata["event_payload"], dict):
        raise Refusal("invalid_metadata_format")
    if len(json.dumps(metadata).encode()) > limits.METADATA_BYTES:
        raise Refusal("metadata_too_large")


_VIEW = {
    "private_metadata": Chars(limits.PRIVATE_METADATA, 0),
    "callback_id": IDENTIFIER,
    "external_id": IDENTIFIER,
    "blocks": Items(Kinds(BLOCKS), limits.VIEW_BLOCKS, 1),
}
_MODAL = Fields(
    {"title": plain_text(limits.VIEW_TITLE), "blocks": _VIEW["blocks"]},
    {
        **_VIEW,
        "submit": plain_text(limits.VIEW_TITLE),
        "close": plain_text(limits.VIEW_TITLE),
        "clear_on_close": Anything(),
        "notify_on_close": Anything(),
        "submit_disabled": Anything(),
    },
)
_HOME = Fields({"blocks": _VIEW["blocks"]}, _VIEW)


def check_view(view: Any, kind: str) -> None:
    """Raises Refusal `invalid_arguments` or `view_too_large`; `kind` is `modal` or `home`."""
    found = list(problems(Kinds({"modal": _MODAL, "home": _HOME}, only=(kind,)), view, "/view"))
    found += block_problems(view.get("blocks"), limits.VIEW_BLOCKS) if not found else []
    has_input = not found and any(block["type"] == "input" for block in view["blocks"])
    if kind == "modal" and has_input and not view.get("submit"):
        found.append(Problem("/view", "missing required field: submit"))
    if found:
        sentences = [f"[ERROR] {problem}" for problem in found]
        raise Refusal("invalid_arguments", response_metadata={"messages": sentences})
    if len(json.dumps(view).encode()) > limits.VIEW_BYTES:
        raise Refusal("view_too_large")
