"""Reads DAX as the stand-in understands it, by a grammar that shares nothing with the product's."""

import re
from dataclasses import dataclass, field
from typing import Any

TOKEN = re.compile(
    r"""(?P<ws>\s+|//[^\n]*|--[^\n]*|/\*.*?\*/)|(?P<num>\d+(?:\.\d+)?)|(?P<str>"(?:[^"]|"")*")
      |(?P<tab>'(?:[^']|'')*')|(?P<col>\[[^\]]*\])|(?P<id>[A-Za-z_][\w.]*)
      |(?P<op><>|<=|>=|&&|\|\||[-+*/<>=(),{}&])""",
    re.S | re.X,
)
BINDS = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("=", "<>", "<", ">", "<=", ">=", "IN"), 3),
    "&": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
}
Node = tuple[Any, ...]


class DaxError(Exception):
    """A refusal of the engine, with its code."""

    def __init__(self, said: str, code: int = 3241803862, at: int | None = None, text: str = ""):
        if at is not None:
            line = text.count("\n", 0, at) + 1
            said = f"Query ({line}, {at - (text.rfind(chr(10), 0, at) + 1) + 1}) {said}"
        super().__init__(said)
        self.code = code


@dataclass
class Parsed:
    measures: dict[str, Node] = field(default_factory=dict)
    tables: list[Node] = field(default_factory=list)
    ordered: list[tuple[Node, str]] = field(default_factory=list)


def _tokens(text: str) -> list[tuple[str, str, int]]:
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise DaxError(f"The syntax for '{text[at]}' is incorrect.", at=at, text=text)
        if match.lastgroup != "ws":
            found.append((match.lastgroup or "", match[0], at))
        at = match.end()
    return [*found, ("eof", "", len(text))]


class Reader:
    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.at = text, _tokens(text), 0

    @property
    def here(self) -> tuple[str, str, int]:
        return self.tokens[self.at]

    def _step(self) -> tuple[str, str, int]:
        self.at += 1
        return self.tokens[self.at - 1]

    def _word(self, *words: str) -> bool:
        if self.here[0] == "id" and self.here[1].upper() in words:
            self.at += 1
            return True
        return False

    def _needs(self, mark: str) -> None:
        _, said, at = self._step()
        if said != mark:
            self._wrong(said, at)

    def _wrong(self, said: str, at: int) -> None:
        said = said or "end of query"
        raise DaxError(f"The syntax for '{said}' is incorrect.", at=at, text=self.text)

    def query(self) -> Parsed:
        made = Parsed()
        if self._word("DEFINE"):
            while self._word("MEASURE"):
                self._step()
                name = self._step()[1][1:-1]
                self._needs("=")
                made.measures[name] = self.expression()
        while self._word("EVALUATE"):
            made.tables.append(self.expression())
            if self._word("ORDER"):
                self._needs(self.here[1] if self.here[1].upper() == "BY" else "BY")
                made.ordered.append(self._ordered())
                while self.here[1] == ",":
                    self._step()
                    made.ordered.append(self._ordered())
        if self.here[0] != "eof" or not made.tables:
            self._wrong(self.here[1], self.here[2])
        return made

    def _ordered(self) -> tuple[Node, str]:
        key = self.expression()
        is_down = self._word("DESC")
        if not is_down:
            self._word("ASC")
        return key, "DESC" if is_down else "ASC"

    def expression(self, least: int = 0) -> Node:
        left = self._first()
        while BINDS.get(self.here[1].upper(), 0) > least and self.here[0] in ("op", "id"):
            sign = self._step()[1].upper()
            left = ("bin", sign, left, self.expression(BINDS[sign]))
        return left

    def _first(self) -> Node:
        kind, said, at = self._step()
        if kind == "num":
            return ("num", said)
        if kind == "str":
            return ("str", said[1:-1].replace('""', '"'))
        if kind == "col":
            return ("measure", said[1:-1], at)
        if said == "(":
            inner = self.expression()
            self._needs(")")
            return inner
        if said == "{":
            listed = [self.expression()]
            while self.here[1] == ",":
                self._step()
                listed.append(self.expression())
            self._needs("}")
            return ("set", listed)
        if said == "-":
            return ("neg", self.expression(7))
        if kind == "id" and said.upper() == "NOT" and self.here[1] != "(":
            return ("call", "NOT", [self.expression(3)], at)
        if kind in ("id", "tab"):
            return self._named(kind, said, at)
        self._wrong(said, at)
        raise AssertionError

    def _named(self, kind: str, said: str, at: int) -> Node:
        name = said[1:-1].replace("''", "'") if kind == "tab" else said
        if self.here[0] == "col":
            return ("column", name, self._step()[1][1:-1], at)
        if kind == "id" and self.here[1] == "(":
            self._step()
            parts: list[Node] = []
            while self.here[1] != ")":
                parts.append(self.expression())
                if self.here[1] == ",":
                    self._step()
                elif self.here[1] != ")":
                    self._wrong(self.here[1], self.here[2])
            self._step()
            return ("call", name.upper(), parts, at)
        if kind == "id" and name.upper() in ("TRUE", "FALSE"):
            return ("bool", name.upper())
        return ("table", name, at)
