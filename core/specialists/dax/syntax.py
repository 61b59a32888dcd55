"""Parses a DAX query into a tree."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from core.specialists.dax.tokens import Refused, Token, place, tokens

DEEPEST = 60
"""Expressions within one another."""
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, or a string without its marks."""

    token: Token


@dataclass(frozen=True, slots=True)
class Word:
    """A bare name: a table, a variable, or a word such as DESC."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Reference:
    """`Sales[Amount]`, or `[Amount]` with no table."""

    table: str
    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    """In capitals."""
    parts: "tuple[Tree, ...]"
    at: int


@dataclass(frozen=True, slots=True)
class Operation:
    sign: str
    parts: "tuple[Tree, ...]"
    at: int
    ends: int


@dataclass(frozen=True, slots=True)
class Listed:
    """`{1, 2}`, `(1, 2)` or an expression in parentheses."""

    parts: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Named:
    """`VAR name = …`"""

    name: str
    value: "Tree"


@dataclass(frozen=True, slots=True)
class Block:
    """`VAR … RETURN …`"""

    variables: tuple[Named, ...]
    returned: "Tree"

    @property
    def parts(self) -> "tuple[Tree, ...]":
        return (*(one.value for one in self.variables), self.returned)


Tree: TypeAlias = Literal | Word | Reference | Call | Operation | Listed | Block


@dataclass(frozen=True, slots=True)
class Definition:
    """What DEFINE adds for this query: a measure, a column, a table or a variable."""

    kind: str
    table: str
    name: str
    value: Tree
    text: str
    """Its expression, as it was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    text: str
    """Written anew from the tokens: what is run, without a comment."""
    definitions: tuple[Definition, ...]
    evaluated: Tree
    ordered: tuple[Tree, ...]

    def trees(self) -> Iterator[Tree]:
        """Every expression in it, from the outside in."""
        for whole in (*(one.value for one in self.definitions), self.evaluated, *self.ordered):
            yield from walk(whole)


def walk(tree: Tree) -> Iterator[Tree]:
    yield tree
    for part in getattr(tree, "parts", ()):
        yield from walk(part)


def parse(text: str) -> Query:
    """One `[DEFINE …] EVALUATE … [ORDER BY …]`. Raises `Refused` with the place of the fault."""
    return _Parser(text).query()


_BINDING = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("=", "==", "<>", "<", ">", "<=", ">=", "IN"), 4),
    "&": 5,
    "+": 6,
    "-": 6,
    "*": 7,
    "/": 7,
    "^": 9,
}
_NOT, _MINUS = 3, 8
_STARTS = ("DEFINE", "EVALUATE", "ORDER", "START", "RETURN", "VAR", "MEASURE", "COLUMN", "TABLE")


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._next = 0
        self._depth = 0

    @property
    def _here(self) -> Token:
        return self._tokens[self._next]

    def query(self) -> Query:
        defined: list[Definition] = []
        if self._takes("DEFINE"):
            while (kind := self._here.word) in ("MEASURE", "COLUMN", "TABLE", "VAR"):
                defined.append(self._definition(kind))
            if not defined:
                raise self._wrong("DEFINE is followed by MEASURE, COLUMN, TABLE or VAR")
        if not self._takes("EVALUATE"):
            raise self._wrong("a query is EVALUATE and a table, with DEFINE before it or without")
        evaluated, ordered = self._expression(), list[Tree]()
        if self._takes("ORDER"):
            self._needs("BY")
            ordered = self._listed(self._order_item)
        if self._here.word == "EVALUATE":
            raise self._wrong("a query has one EVALUATE")
        if self._here.kind != "end":
            raise self._wrong("nothing more was expected")
        return Query(
            text=self._written_anew(),
            definitions=tuple(defined),
            evaluated=evaluated,
            ordered=tuple(ordered),
        )

    def _written_anew(self) -> str:
        """The tokens, with one blank where there was anything between two."""
        parts, ends = list[str](), 0
        for token in self._tokens[:-1]:
            parts.append(f" {token.text}" if token.at > ends else token.text)
            ends = token.at + len(token.text)
        return "".join(parts).strip()

    def _definition(self, kind: str) -> Definition:
        self._next += 1
        table = ""
        if kind in ("MEASURE", "COLUMN"):
            table = self._one_of("table", "name").value
            name = self._one_of("bracket").value
        else:
            name = self._one_of("table", "name").value
        self._needs("=")
        begins = self._here.at
        value = self._expression()
        return Definition(kind, table, name, value, self._text[begins : self._ended()].strip())

    def _order_item(self) -> Tree:
        made = self._expression()
        if self._here.word in ("ASC", "DESC"):
            self._next += 1
        return made

    def _expression(self, least: int = 0) -> Tree:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._wrong(f"expressions stand more than {DEEPEST} deep within one another")
        begins = self._here.at
        made = self._first()
        while (binding := _BINDING.get(self._here.word or self._here.text, 0)) > least:
            sign = self._here.word or self._here.text
            if self._here.kind not in ("mark", "name"):
                break
            self._next += 1
            made = Operation(sign, (made, self._expression(binding)), begins, self._ended())
        self._depth -= 1
        return made

    def _first(self) -> Tree:
        token = self._here
        self._next += 1
        if token.kind in ("number", "string"):
            return Literal(token)
        if token.kind == "bracket":
            return Reference("", token.value, token.at)
        if token.text in ("-", "+"):
            return Operation(token.text, (self._expression(_MINUS),), token.at, self._ended())
        if token.text in ("(", "{"):
            parts = tuple(self._listed(self._expression))
            self._needs(")" if token.text == "(" else "}")
            return Listed(parts)
        if token.word == "VAR":
            return self._block()
        if token.word == "NOT" and self._here.text != "(":
            return Operation("NOT", (self._expression(_NOT),), token.at, self._ended())
        if token.kind in ("table", "name") and token.word not in _STARTS:
            return self._named(token)
        self._next -= 1
        raise self._wrong("an expression was expected")

    def _named(self, token: Token) -> Tree:
        if self._here.kind == "bracket":
            self._next += 1
            return Reference(token.value, self._tokens[self._next - 1].value, token.at)
        if token.kind == "name" and self._takes("("):
            parts = [] if self._here.text == ")" else self._listed(self._argument)
            self._needs(")")
            return Call(token.word, tuple(part for part in parts if part is not None), token.at)
        return Word(token.value, token.at)

    def _argument(self) -> Tree | None:
        """None where it is left out: `TOPN(5, Sales, , ASC)`."""
        return None if self._here.text in (",", ")") else self._expression()

    def _block(self) -> Tree:
        variables = [self._variable()]
        while self._takes("VAR"):
            variables.append(self._variable())
        self._needs("RETURN")
        return Block(tuple(variables), self._expression())

    def _variable(self) -> Named:
        name = self._one_of("name").value
        self._needs("=")
        return Named(name, self._expression())

    def _listed(self, one: Callable[[], Part]) -> list[Part]:
        found = [one()]
        while self._takes(","):
            found.append(one())
        return found

    def _takes(self, text: str) -> bool:
        is_it = text in (self._here.word, self._here.text) and self._here.kind in ("mark", "name")
        self._next += is_it
        return is_it

    def _needs(self, text: str) -> None:
        if not self._takes(text):
            raise self._wrong(f"{text} was expected")

    def _one_of(self, *kinds: str) -> Token:
        token = self._here
        if token.kind not in kinds:
            raise self._wrong("a name was expected")
        self._next += 1
        return token

    def _ended(self) -> int:
        last = self._tokens[self._next - 1]
        return last.at + len(last.text)

    def _wrong(self, reason: str) -> Refused:
        found = self._here.text or "the end of the query"
        return Refused(f"{place(self._text, self._here.at)}, at {found[:40]}: {reason}.")
