"""Reads the promise marks of a test tree without importing it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Shown:
    """One mark: the test, the promise, the rooms it shows the promise for."""

    test: str
    promise: str
    rooms: tuple[str, ...]


def shown(folder: Path) -> list[Shown]:
    """Every mark on a test that runs. Raises ValueError for a mark that shows nothing: on no test,
    without a room, or with words that are computed."""
    return [mark for path in sorted(folder.rglob("*.py")) for mark in _of_file(path, folder)]


def _of_file(path: Path, folder: Path) -> Iterator[Shown]:
    tree = ast.parse(path.read_text("utf-8"), str(path))
    place = str(path.relative_to(folder))
    on_tests: set[ast.AST] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        is_test = node.name.startswith("test_") and path.name.startswith("test_")
        for decorator in node.decorator_list:
            if not _is_mark(decorator, "promise"):
                continue
            on_tests.add(decorator)
            if not is_test:
                raise ValueError(f"{place}: {node.name} is no test and cannot show a promise")
            if not any(_is_mark(other, "skip") for other in node.decorator_list):
                yield _read(decorator, f"{place}::{node.name}")
    stray = [n for n in ast.walk(tree) if _is_mark(n, "promise") and n not in on_tests]
    if any(isinstance(node, ast.Call) for node in stray):
        raise ValueError(f"{place}: a promise mark must stand on the function of its test")


def _is_mark(node: ast.AST, name: str) -> bool:
    """`pytest.mark.NAME`, called or not."""
    inner = node.func if isinstance(node, ast.Call) else node
    return (
        isinstance(inner, ast.Attribute)
        and inner.attr == name
        and isinstance(inner.value, ast.Attribute)
        and inner.value.attr == "mark"
    )


def _read(node: ast.expr, test: str) -> Shown:
    arguments = node.args if isinstance(node, ast.Call) else []
    words = [a.value for a in arguments if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if len(words) != len(arguments) or len(words) < 2:
        raise ValueError(f"{test}: a promise mark needs an id and at least one room, as literals")
    return Shown(test, words[0], tuple(words[1:]))
