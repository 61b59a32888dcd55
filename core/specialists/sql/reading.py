"""Reads the `sources` section of the configuration."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.errors import Misconfigured
from core.specialists.sql.source import Kind, Metric, Source, Table, Verified
from core.times import zone

Path = tuple[str | int, ...]
_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)
_SECRET = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_ID = re.compile(r"[a-z][a-z0-9_]{0,31}")
_Text = Annotated[str, Field(min_length=1)]
_Name = Annotated[str, Field(pattern=r"^[^\s.][^.]*(\.[^.]+){0,2}$")]
_Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]

CONNECTIONS: Mapping[Kind, tuple[frozenset[str], frozenset[str]]] = {
    "sqlite": (frozenset({"path"}), frozenset()),
    "duckdb": (frozenset({"path"}), frozenset({"memory"})),
    "postgres": (
        frozenset({"host", "database", "user"}),
        frozenset({"port", "password", "sslmode", "sslrootcert"}),
    ),
    "mssql": (frozenset({"server", "database"}), frozenset({"user", "password", "certificate"})),
    "fabric": (frozenset({"server", "database"}), frozenset({"certificate"})),
    "databricks": (
        frozenset({"host", "http_path", "catalog"}),
        frozenset({"schema", "token", "url", "ca_file"}),
    ),
}
"""Of each kind, what a connection must say and what it may say."""
SECRETS = frozenset({"password", "token"})
"""What stands in the environment and never in the file."""


class _Table(BaseModel):
    model_config = _STRICT

    name: _Name
    description: str = ""
    columns: dict[_Text, str] = {}
    hidden: tuple[_Text, ...] = Field(default=(), strict=False)
    unprofiled: tuple[_Text, ...] = Field(default=(), strict=False)


class _Metric(BaseModel):
    model_config = _STRICT

    sql: _Text
    description: str = ""


class _Verified(BaseModel):
    model_config = _STRICT

    question: _Text
    sql: _Text
    owner: _Text
    checked: _Day


class _Source(BaseModel):
    model_config = _STRICT

    title: _Text
    kind: Kind
    connection: dict[_Text, str | int]
    description: str = ""
    time_zone: str = "UTC"
    tables: tuple[_Table, ...] = Field(default=(), strict=False)
    glossary: dict[_Text, _Text] = {}
    metrics: dict[_Text, _Metric] = {}
    joins: tuple[_Text, ...] = Field(default=(), strict=False)
    verified: tuple[_Verified, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _has_a_zone(self) -> Self:
        if zone(self.time_zone).key != self.time_zone:
            raise ValueError("time_zone is an IANA name like Europe/Copenhagen")
        return self


def read_sources(
    section: Any, secrets: Mapping[str, str], lines: Mapping[Path, int] | None = None
) -> tuple[Source, ...]:
    """The sources of a parsed section; `${NAME}` in a connection becomes `secrets[NAME]`.

    `lines` are the lines of its values by their path. Raises Misconfigured with one sentence per
    mistake, `line 12: …` where the line is known.
    """
    if section is None:
        return ()
    faults: list[str] = []

    def wrong(path: Path, sentence: str) -> None:
        faults.append(f"{_line(lines or {}, path)}{'.'.join(map(str, path))}: {sentence}")

    if not isinstance(section, Mapping):
        raise Misconfigured("sources: must map a word to a source")
    found: list[Source] = []
    for name, entry in cast("Mapping[Any, Any]", section).items():
        if not _ID.fullmatch(str(name)):
            wrong((str(name),), "a name is 1 to 32 of a-z 0-9 _ and begins with a letter")
        source = _source(str(name), entry, secrets, wrong)
        if source:
            found.append(source)
    if faults:
        raise Misconfigured("\n".join(faults))
    return tuple(found)


def _line(lines: Mapping[Path, int], path: Path) -> str:
    while path and path not in lines:
        path = path[:-1]
    return f"line {lines[path]}: " if path else ""


def _source(name: str, entry: Any, secrets: Mapping[str, str], wrong: Any) -> Source | None:
    try:
        given = _Source.model_validate(entry)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_input=False, include_context=False):
            where = tuple(step for step in one["loc"] if step != "[key]")
            wrong((name, *where), _sentence(one["type"], one["msg"]))
        return None
    return Source(
        id=name,
        title=given.title,
        kind=given.kind,
        connection=_connection(name, given, secrets, wrong),
        tables=tuple(
            Table(
                name=one.name,
                description=one.description,
                columns=one.columns,
                hidden=frozenset(one.hidden),
                unprofiled=frozenset(one.unprofiled),
            )
            for one in given.tables
        ),
        description=given.description,
        glossary=given.glossary,
        metrics=tuple(
            Metric(name=key, sql=one.sql, description=one.description)
            for key, one in given.metrics.items()
        ),
        joins=given.joins,
        verified=tuple(
            Verified(question=one.question, sql=one.sql, owner=one.owner, checked=one.checked)
            for one in given.verified
        ),
        time_zone=given.time_zone,
    )


def _sentence(kind: str, message: str) -> str:
    match kind:
        case "extra_forbidden":
            return "this is not known here"
        case "missing":
            return "this is missing"
        case _:
            return message.removeprefix("Value error, ")


def _connection(
    name: str, given: _Source, secrets: Mapping[str, str], wrong: Any
) -> dict[str, str]:
    needed, more = CONNECTIONS[given.kind]
    where = (name, "connection")
    for key in sorted(needed - given.connection.keys()):
        wrong(where, f"{key} is missing")
    filled: dict[str, str] = {}
    for key, value in given.connection.items():
        if key not in needed | more:
            wrong((*where, key), "this is not known here")
        if key in SECRETS and not _SECRET.fullmatch(str(value)):
            wrong((*where, key), "a secret stands in the environment: ${SOURCE_…}")
            continue
        for secret in _SECRET.findall(str(value)):
            if secret not in secrets:
                wrong((*where, key), f"{secret} is not set; its name begins with SOURCE_")
        if key == "url" and not str(value).startswith("https://"):
            wrong((*where, key), "this begins with https://: a token goes there")
        filled[key] = _SECRET.sub(lambda found: secrets.get(found[1], ""), str(value))
    return filled
