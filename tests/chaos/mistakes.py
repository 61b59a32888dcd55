"""Every small mistake that somebody could make in a module, each as a source text of its own."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
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
