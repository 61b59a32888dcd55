"""Reads those entries of the `sources` section that are semantic models of Power BI."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.specialists.dax import committed
from core.specialists.dax.guard import admit
from core.specialists.dax.source import SemanticModel, Verified
from core.specialists.dax.tokens import Refused
from core.times import zone

KIND = "powerbi"
_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)
_ID = re.compile(r"[a-z][a-z0-9_]{0,31}")
_Text = Annotated[str, Field(min_length=1)]
_Guid = Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{1,64}$")]

Wrong = Callable[[tuple[str | int, ...], str], None]
"""Takes the path of a mistake within the section, and a sentence."""


class _Verified(BaseModel):
    model_config = _STRICT

    question: _Text
    dax: _Text
    owner: _Text
    checked: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class _Model(BaseModel):
    model_config = _STRICT

    kind: Literal["powerbi"]
    title: _Text
    workspace: _Guid | Literal[""] = ""
    dataset: _Guid
    description: str = ""
    time_zone: str = "UTC"
    tables: tuple[_Text, ...] = Field(default=(), strict=False)
    glossary: dict[_Text, _Text] = {}
    verified: tuple[_Verified, ...] = Field(default=(), strict=False)
    unprofiled: tuple[_Text, ...] = Field(default=(), strict=False)
    definition: str = ""

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if zone(self.time_zone).key != self.time_zone:
            raise ValueError("time_zone is an IANA name like Europe/Copenhagen")
        if self.definition:
            known = committed.read(self.definition)
            for one in self.verified:
                try:
                    admit(re.sub(r"\{\w+\}", "2026-01-01", one.dax), known)
                except Refused as refusal:
                    raise ValueError(f"verified, {one.question!r}: {refusal.reason}") from None
        return self


def is_one(entry: Any) -> bool:
    """Whether an entry of the section is a semantic model."""
    return isinstance(entry, dict) and cast("dict[str, Any]", entry).get("kind") == KIND


def read_model(name: str, entry: Any, wrong: Wrong) -> SemanticModel | None:
    """None where something is wrong with it, which `wrong` was told."""
    if not _ID.fullmatch(name):
        wrong((name,), "a name is 1 to 32 of a-z 0-9 _ and begins with a letter")
        return None
    try:
        given = _Model.model_validate(entry)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_input=False, include_context=False):
            where = tuple(step for step in one["loc"] if step != "[key]")
            wrong((name, *where), _sentence(one["type"], one["msg"]))
        return None
    return SemanticModel(
        id=name,
        title=given.title,
        workspace=given.workspace,
        dataset=given.dataset,
        description=given.description,
        tables=given.tables,
        glossary=given.glossary,
        verified=tuple(
            Verified(question=one.question, dax=one.dax, owner=one.owner, checked=one.checked)
            for one in given.verified
        ),
        unprofiled=frozenset(given.unprofiled),
        definition=given.definition,
        time_zone=given.time_zone,
    )


def _sentence(kind: str, message: str) -> str:
    known = {"extra_forbidden": "this is not known here", "missing": "this is missing"}
    return known.get(kind, message.removeprefix("Value error, "))
