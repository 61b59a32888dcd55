"""Reads YAML into plain values that remember their line numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import yaml

_KINDS = ("map", "seq", "str", "int", "float", "bool", "null", "timestamp")
Path = tuple[str | int, ...]
"""The way to a value: keys of mappings and indices of lists."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Plain values (dict, list, str, int, float, bool, None) and the line of each."""

    value: Any
    lines: Mapping[Path, int]
    faults: tuple[tuple[int, str], ...] = ()
    """(line, sentence) pairs for what YAML allows and this file does not."""

    def line(self, path: Path) -> int:
        """The line of a value, or of the nearest value around it; from 1."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read(text: str) -> Marked:
    """The one document in `text`. A text that is no YAML gives a fault and an empty mapping."""
    try:
        # The stubs leave the parser's results without a type.
        node = cast("yaml.Node | None", yaml.compose(text, Loader=yaml.SafeLoader))  # pyright: ignore[reportUnknownMemberType]
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        return Marked({}, {}, ((line, f"This is not YAML: {error.problem}."),))
    except yaml.YAMLError:
        return Marked({}, {}, ((1, "This is not YAML: it holds characters that cannot be read."),))
    if node is None:
        return Marked({}, {})
    reading = _Reading()
    value = reading.plain(node, ())
    return Marked(value, reading.lines, tuple(reading.faults))


@dataclass(slots=True)
class _Reading:
    lines: dict[Path, int] = field(default_factory=dict[Path, int])
    faults: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    _seen: set[int] = field(default_factory=set[int])
    _scalars: yaml.SafeLoader = field(default_factory=lambda: yaml.SafeLoader(""))

    def plain(self, node: yaml.Node, path: Path) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        # An alias is the same node again: a short file could stand for an endless value.
        if id(node) in self._seen:
            self.faults.append((line, "Anchors and aliases (& and *) are not taken here."))
            return None
        self._seen.add(id(node))
        if node.tag.removeprefix("tag:yaml.org,2002:") not in _KINDS:
            self.faults.append((line, f"The tag {node.tag} is not taken here."))
            return None
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            items = cast("list[yaml.Node]", node.value)
            return [self.plain(item, (*path, index)) for index, item in enumerate(items)]
        return self._scalar(node, line)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                self.faults.append((line, "A key must be a word."))
                continue
            name = str(key.value)
            if name in found:
                self.faults.append((line, f"“{name}” stands here a second time."))
            self.lines[(*path, name)] = line
            found[name] = self.plain(value, (*path, name))
        return found

    def _scalar(self, node: yaml.Node, line: int) -> Any:
        # A date is a word that happens to look like one.
        if node.tag == "tag:yaml.org,2002:timestamp":
            return str(node.value)
        try:
            return cast("object", self._scalars.construct_object(node))  # pyright: ignore[reportUnknownMemberType]
        except ValueError:
            self.faults.append((line, f"“{node.value}” is not what it was said to be."))
            return None
