"""Makes every small mistake there is in a room, one after the other, and counts what tests see.

`python -m tests.chaos.mutation [PATH …]` takes modules or folders, core/policy and core/context
where none is named. It prints each mistake that no test notices, and the share that was noticed.
"""

import ast
import importlib
import importlib.abc
import importlib.util
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ROOMS = ("core/policy", "core/context")
TESTS = {
    "core/context": ("tests/context",),
    "core/policy": ("tests/policy",),
    "core/turn": ("tests/turn",),
}
"""Per room, the tests that have to notice."""
AT_ONCE = 2
OPTIONS = (
    *("-x", "-q", "--assert=plain", "--timeout=20", "-p", "no:cacheprovider"),
    *("-p", "pytest_asyncio.plugin", "-p", "pytest_timeout"),
)
"""A test that hangs has noticed something."""

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
}
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}
UNSEEN = frozenset({"annotation", "returns", "decorator_list"})
"""Parts of the syntax that say nothing at run time, or nothing of behaviour."""


@dataclass(frozen=True)
class Mistake:
    path: str
    line: int
    right: str
    wrong: str
    source: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.right}  ->  {self.wrong}"


def wrong(node: ast.AST, field: str) -> Iterator[ast.expr]:
    """What might have been written in its place by mistake."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            for index, op in enumerate(ops):
                changed: list[ast.cmpop] = [*ops]
                changed[index] = COMPARED[type(op)]()
                yield ast.Compare(left=left, ops=changed, comparators=others)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(op=ast.Or() if isinstance(op, ast.And) else ast.And(), values=values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in COMPUTED:
            yield ast.BinOp(left=left, op=COMPUTED[type(op)](), right=right)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(value=not value)
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value=value + 1)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=more) if name in NAMES:
            yield ast.Call(func=ast.Name(id=NAMES[name]), args=args, keywords=more)
        case _:
            pass
    if field in ("test", "ifs") and isinstance(node, ast.expr):
        yield ast.Constant(value=True)
        yield ast.Constant(value=False)


def mistakes(path: Path) -> Iterator[Mistake]:
    """Each of them with the source of the whole module as it would be."""
    tree = ast.parse(path.read_text("utf-8"))
    name = str(path.relative_to(ROOT))
    for parent in _seen(tree):
        for field, value in list(ast.iter_fields(parent)):
            if field in UNSEEN:
                continue
            children: list[Any] = value if isinstance(value, list) else [value]
            for index, child in enumerate(children):
                for node in wrong(child, field) if isinstance(child, ast.AST) else ():
                    _put(parent, field, value, index, node)
                    source = ast.unparse(ast.fix_missing_locations(tree))
                    _put(parent, field, value, index, child)
                    line = getattr(child, "lineno", 0)
                    yield Mistake(name, line, ast.unparse(child), ast.unparse(node), source)


def _seen(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that are not looked at."""
    yield tree
    for field, value in ast.iter_fields(tree):
        if field not in UNSEEN:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _seen(child)


def _put(parent: ast.AST, field: str, value: Any, index: int, node: ast.AST) -> None:
    if isinstance(value, list):
        value[index] = node
    else:
        setattr(parent, field, node)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Loads one module from a text in place of its file."""

    def __init__(self, mistake: Mistake) -> None:
        self._name = mistake.path.removesuffix(".py").replace("/", ".")
        self._mistake = mistake

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname == self._name:
            return importlib.util.spec_from_loader(fullname, self)
        return None

    def get_filename(self, fullname: str) -> str:
        return str(ROOT / self._mistake.path)

    def get_data(self, path: str) -> bytes:
        return self._mistake.source.encode()

    def path_stats(self, path: str) -> Any:
        raise OSError("never from a cache")


def is_noticed(mistake: Mistake) -> bool:
    """Whether a test fails; in a process of its own, which is a copy of this one."""
    import pytest

    sys.meta_path.insert(0, _Finder(mistake))
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    room = next(room for room in TESTS if mistake.path.startswith(room))
    # The tests of the same name first: they are the likeliest to notice.
    name = f"test_{Path(mistake.path).stem}"
    files = [file for one in TESTS[room] for file in sorted((ROOT / one).glob("test_*.py"))]
    files.sort(key=lambda file: not file.stem.startswith(name))
    return pytest.main([*OPTIONS, *map(str, files)]) != 0


def main(paths: Sequence[str]) -> int:
    files = [file for path in paths or ROOMS for file in sorted(_files(ROOT / path))]
    found = [mistake for file in files for mistake in mistakes(file)]
    _load()
    survivors: list[Mistake] = []
    with multiprocessing.get_context("fork").Pool(AT_ONCE, maxtasksperchild=1) as pool:
        for mistake, noticed in zip(found, pool.imap(is_noticed, found), strict=True):
            if not noticed:
                survivors.append(mistake)
                print(mistake, flush=True)
    for path in paths or ROOMS:
        here = [one for one in found if one.path.startswith(path)]
        missed = [one for one in survivors if one.path.startswith(path)]
        share = 100 * (len(here) - len(missed)) / max(1, len(here))
        print(f"{path}: {len(here) - len(missed)} of {len(here)} noticed ({share:.1f} %)")
    return 0


def _files(path: Path) -> list[Path]:
    return [path] if path.suffix == ".py" else list(path.glob("*.py"))


def _load() -> None:
    """What every copy needs is loaded once. Of that our own modules are dropped again, so that each
    copy loads them with its mistake."""
    for name in ("hypothesis", "pytest_asyncio.plugin", "pytest_timeout", "tests.conftest"):
        importlib.import_module(name)
    for folder in (folder for folders in TESTS.values() for folder in folders):
        for file in (ROOT / folder).glob("test_*.py"):
            importlib.import_module(f"{folder.replace('/', '.')}.{file.stem}")
    for name in list(sys.modules):
        if name.partition(".")[0] in ("adapters", "bot", "core", "tests"):
            del sys.modules[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
