"""The part of OData's `$filter` language that mail, events and people are asked with."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.records import Json, list_of, object_of

TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<mark>[(),])|(?P<time>\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?)"
    r"|(?P<number>-?\d+(?:\.\d+)?)|(?P<name>[\w@.]+(?:/[\w@.]+)*(?::)?))"
)
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "gt": lambda a, b: a is not None and b is not None and a > b,
    "ge": lambda a, b: a is not None and b is not None and a >= b,
    "lt": lambda a, b: a is not None and b is not None and a < b,
    "le": lambda a, b: a is not None and b is not None and a <= b,
}
TESTS: dict[str, Callable[[str, str], bool]] = {
    "contains": lambda a, b: b in a,
    "startswith": lambda a, b: a.startswith(b),
    "endswith": lambda a, b: a.endswith(b),
}
LITERALS = {"true": True, "false": False, "null": None}
DEPTH = 20


def holds(text: str, item: Json) -> bool:
    """Whether the item meets the condition. Raises GraphRefused for one that cannot be read."""
    reading = _Reading(_tokens(text))
    found = reading.either(item, 0)
    if reading.rest():
        raise _unreadable(text)
    return found


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    position = 0
    while position < len(text.rstrip()):
        match = TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise _unreadable(text)
        found.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    return found


def _unreadable(text: str) -> Exception:
    return refused(400, "BadRequest", f"Invalid filter clause: {text[:80]}")


def value_of(item: Any, path: Sequence[str]) -> Any:
    """What stands at a path such as from/emailAddress/address; None where nothing does."""
    for name in path:
        found = object_of(item)
        if found is None:
            return None
        folded = {key.lower(): value for key, value in found.items()}
        item = folded.get(name.lower())
    return item


class _Reading:
    """A recursive descent over the tokens; every step says whether its part holds."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens, self._at = tokens, 0

    def rest(self) -> list[tuple[str, str]]:
        return self._tokens[self._at :]

    def _peek(self) -> str:
        return self._tokens[self._at][1].lower() if self._at < len(self._tokens) else ""

    def _next(self, expected: str = "") -> tuple[str, str]:
        if self._at >= len(self._tokens) or (expected and self._peek() != expected):
            raise _unreadable(" ".join(text for _, text in self._tokens))
        self._at += 1
        return self._tokens[self._at - 1]

    def either(self, item: Json, depth: int) -> bool:
        found = self._both(item, depth)
        while self._peek() == "or":
            self._next()
            found = self._both(item, depth) or found
        return found

    def _both(self, item: Json, depth: int) -> bool:
        found = self._one(item, depth)
        while self._peek() == "and":
            self._next()
            found = self._one(item, depth) and found
        return found

    def _one(self, item: Json, depth: int) -> bool:
        if depth > DEPTH:
            raise _unreadable("too deep")
        word = self._peek()
        if word == "not":
            self._next()
            return not self._one(item, depth + 1)
        if word == "(":
            self._next()
            found = self.either(item, depth + 1)
            self._next(")")
            return found
        if word in TESTS:
            return self._test(item)
        if word.endswith(("/any", "/all")):
            return self._several(item, depth)
        left = self._operand(item)
        compare = COMPARED.get(self._next()[1].lower())
        if compare is None:
            raise _unreadable(word)
        right = self._operand(item)
        if left is not None and right is not None and type(left) is not type(right):
            raise _unreadable(f"{word} compared with another kind of value")
        return bool(compare(left, right))

    def _operand(self, item: Json) -> Any:
        kind, text = self._next()
        match kind:
            case "text":
                return text[1:-1].replace("''", "'").lower()
            case "number":
                return float(text) if "." in text else int(text)
            case "time":
                return text.lower()
            case "name" if text.lower() in LITERALS:
                return LITERALS[text.lower()]
            case "name":
                value = value_of(item, text.split("/"))
                return value.lower() if isinstance(value, str) else value
            case _:
                raise _unreadable(text)

    def _test(self, item: Json) -> bool:
        test = TESTS[self._next()[1].lower()]
        self._next("(")
        left = self._operand(item)
        self._next(",")
        right = self._operand(item)
        self._next(")")
        return bool(test(str(left or ""), str(right)))

    def _several(self, item: Json, depth: int) -> bool:
        """`categories/any(c:c eq 'x')`: the condition about each member of a list in turn."""
        path, _, quantifier = self._next()[1].rpartition("/")
        self._next("(")
        variable = self._next()[1].rstrip(":")
        start = self._at
        found: list[bool] = []
        for member in list_of(value_of(item, path.split("/"))) or [None]:
            self._at = start
            holds = self.either({**item, variable: member}, depth + 1)
            found += [holds] if member is not None else []
        self._next(")")
        return any(found) if quantifier.lower() == "any" else all(found)
