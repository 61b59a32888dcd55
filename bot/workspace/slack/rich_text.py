"""What a person typed into the composer, turned into Slack's `text` with its escapes and into the
`rich_text` block that stands beside it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from bot.workspace.slack.records import Channel, Json, Member

Style = dict[str, bool]

_INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|<@(?P<user>[UW]\w+)>"
    r"|<#(?P<channel>C\w+)(?:\|[^>]*)?>"
    r"|<!(?P<broadcast>here|channel|everyone)>"
    r"|(?P<url>https?://[^\s<>|]+)"
    r"|(?<![\w*])\*(?P<bold>[^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*])"
    r"|(?<![\w_])_(?P<italic>[^_\s](?:[^_\n]*[^_\s])?)_(?![\w_])"
    r"|(?<![\w~])~(?P<strike>[^~\s](?:[^~\n]*[^~\s])?)~(?![\w~])"
)
_FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
_MARKS = {"bold": "*", "italic": "_", "strike": "~"}


class Typed(NamedTuple):
    text: str
    block: Json


def escaped(text: str) -> str:
    """The three characters that Slack escapes in message text."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def typed(said: str, members: Iterable[Member], channels: Iterable[Channel]) -> Typed:
    """`@Name` and `#channel` become mentions where such a member or channel exists."""
    channels = tuple(channels)
    names = {channel.id: channel.name for channel in channels}
    resolved = _resolve(said, members, channels)
    texts: list[str] = []
    elements: list[Json] = []
    for kind, piece in _paragraphs(resolved):
        if kind == "preformatted":
            texts.append(f"```{escaped(piece)}```")
            parts: list[Json] = [{"type": "text", "text": piece}]
        else:
            inline = list(_inline(piece, {}, names))
            quoted = "&gt; " if kind == "quote" else ""
            texts.append("\n".join(quoted + line for line in _text(inline).split("\n")))
            parts = [part for _, part in inline]
        elements.append({"type": f"rich_text_{kind}", "elements": parts})
    return Typed("\n".join(texts), {"type": "rich_text", "elements": elements})


def _resolve(said: str, members: Iterable[Member], channels: Iterable[Channel]) -> str:
    named = {f"@{name}": f"<@{m.id}>" for m in members for name in (m.real_name, m.name) if name}
    named |= {f"#{channel.name}": f"<#{channel.id}>" for channel in channels if channel.name}
    named |= {f"@{word}": f"<!{word}>" for word in ("here", "channel", "everyone")}
    longest_first = sorted(named, key=len, reverse=True)
    pattern = re.compile(
        r"(?<![\w<])(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)", re.IGNORECASE
    )
    folded = {name.casefold(): mention for name, mention in named.items()}
    pieces = re.split(r"(`[^`]*`)", said)
    return "".join(
        piece
        if piece.startswith("`")
        else pattern.sub(lambda m: folded.get(m[0].casefold(), m[0]), piece)
        for piece in pieces
    )


def _paragraphs(text: str) -> Iterator[tuple[str, str]]:
    for index, piece in enumerate(_FENCE.split(text)):
        if index % 2:
            yield "preformatted", piece
        elif piece.strip("\n"):
            yield from _quotes(piece.strip("\n"))


def _quotes(text: str) -> Iterator[tuple[str, str]]:
    lines: list[str] = []
    was_quoted = False
    for line in text.split("\n"):
        is_quoted = line.startswith(">")
        if lines and is_quoted != was_quoted:
            yield "quote" if was_quoted else "section", "\n".join(lines)
            lines = []
        was_quoted = is_quoted
        lines.append(line[1:].removeprefix(" ") if is_quoted else line)
    yield "quote" if was_quoted else "section", "\n".join(lines)


def _text(inline: list[tuple[str, Json]]) -> str:
    return "".join(text for text, _ in inline)


def _inline(text: str, style: Style, names: dict[str, str]) -> Iterator[tuple[str, Json]]:
    """Pairs of what stands in `text` and the part of the rich text block."""
    at = 0
    for found in _INLINE.finditer(text):
        if found.start() > at:
            yield _words(text[at : found.start()], style)
        at = found.end()
        kind, value = str(found.lastgroup), found[str(found.lastgroup)]
        if kind in _MARKS:
            inner = list(_inline(value, {**style, kind: True}, names))
            yield from _marked(inner, _MARKS[kind])
        else:
            yield _part(kind, value, style, names)
    if at < len(text):
        yield _words(text[at:], style)


def _marked(inner: list[tuple[str, Json]], mark: str) -> Iterator[tuple[str, Json]]:
    last = len(inner) - 1
    for index, (text, part) in enumerate(inner):
        yield (mark if index == 0 else "") + text + (mark if index == last else ""), part


def _words(text: str, style: Style) -> tuple[str, Json]:
    return escaped(text), _styled({"type": "text", "text": text}, style)


def _part(kind: str, value: str, style: Style, names: dict[str, str]) -> tuple[str, Json]:
    match kind:
        case "code":
            code = _styled({"type": "text", "text": value}, {**style, "code": True})
            return f"`{escaped(value)}`", code
        case "user":
            return f"<@{value}>", _styled({"type": "user", "user_id": value}, style)
        case "channel":
            part = _styled({"type": "channel", "channel_id": value}, style)
            return f"<#{value}|{names.get(value, '')}>", part
        case "broadcast":
            return f"<!{value}>", _styled({"type": "broadcast", "range": value}, style)
        case _:
            return f"<{escaped(value)}>", _styled({"type": "link", "url": value}, style)


def _styled(part: dict[str, Any], style: Style) -> Json:
    return {**part, "style": style} if style else part
