"""Reads sets of graded questions from YAML."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.errors import Misconfigured

SHIPPED = ("sheets",)
_STRICT = ConfigDict(frozen=True, extra="forbid")


class Gold(BaseModel):
    """One right answer: its rows, or a query that brings them."""

    model_config = _STRICT

    rows: list[list[Any]] | None = None
    sql: str = ""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.rows is None) == (not self.sql):
            raise ValueError("a gold has either `rows` or `sql`")
        return self


class Case(BaseModel):
    """A question with the answers that are right; without any it has none, and to say so is."""

    model_config = _STRICT

    id: Annotated[str, Field(pattern=r"^[\w.-]{1,60}$")]
    question: Annotated[str, Field(min_length=3)]
    book: str = ""
    """The file that is posted before the question."""
    golds: list[Gold] = []
    is_ordered: bool = False
    about: str = ""
    """What makes it hard."""

    @property
    def has_answer(self) -> bool:
        return bool(self.golds)


class Sheet(BaseModel):
    model_config = _STRICT

    name: str
    is_hidden: bool = False
    rows: list[list[Any]]
    merged: list[str] = []
    """Ranges: `A1:G1`."""


class Book(BaseModel):
    """A spreadsheet or a CSV file, written when it is needed."""

    model_config = _STRICT

    name: str
    sheets: list[Sheet] = []
    text: str = ""
    """Of a CSV file."""
    encoding: str = "utf-8"


class Cases(BaseModel):
    model_config = _STRICT

    name: str
    source: str = ""
    """The configured source that is asked; empty where each question has a book."""
    books: list[Book] = []
    questions: list[Case]

    def book(self, name: str) -> Book:
        return next(one for one in self.books if one.name == name)


def read(name: str) -> Cases:
    """A shipped set by its name, or a file. Raises `Misconfigured`."""
    try:
        if name in SHIPPED:
            text = files("bot.evaluation").joinpath(f"{name}.yaml").read_text("utf-8")
        else:
            text = Path(name).read_text("utf-8")
        found = Cases.model_validate(yaml.safe_load(text))
    except OSError as error:
        shipped = ", ".join(SHIPPED)
        raise Misconfigured(
            f"{name} is no file that can be read, and no shipped set ({shipped}): {error.strerror}"
        ) from error
    except (yaml.YAMLError, ValidationError, UnicodeDecodeError) as error:
        raise Misconfigured(f"{name} is no set of questions: {_first(error)}") from error
    return found


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        one = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(str(step) for step in one['loc'])}: {one['msg']}"
    return " ".join(str(error).split())[:200]
