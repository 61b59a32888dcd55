"""Reads `countersign.yaml`: everything an operator decides that is neither secret nor address.

Unknown sections and keys are refused with their line, because a misspelt rule that is passed over
in silence is worse than a bot that does not start.
"""

import difflib
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot import addresses, marks
from bot.settings import Settings
from core.errors import Misconfigured

NOT_YET = ("budgets", "sources", "retention")
"""Sections that have a meaning and no consumer: refused, so that nobody relies on them."""

STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")]
Tag = Annotated[str, Field(pattern=r"^[a-z_]+(:[A-Za-z0-9_.-]+)?$")]
Text = Annotated[str, Field(min_length=1)]
Dollars = Annotated[Decimal, Field(ge=0, strict=False)]
Seconds = Annotated[float, Field(gt=0, le=3600, strict=False)]


class Price(BaseModel):
    """US dollars for a million tokens; where `cached` is left out, `input` counts."""

    model_config = STRICT

    input: Dollars
    output: Dollars
    cached: Dollars | None = None
    cache_write: Dollars | None = None


class Model(BaseModel):
    """A chat model that people may name in a question, besides the default one."""

    model_config = STRICT

    price: Price | None = None
    """Negotiated; beats the public table."""
    context_window: Annotated[int, Field(ge=1000)] | None = None
    """Tokens."""
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    use_responses_api: bool = False


class Agent(BaseModel):
    """A named profile: how the bot answers, with which capabilities, by which model."""

    model_config = STRICT

    instructions: str = ""
    capabilities: tuple[Tag, ...] | None = Field(default=None, strict=False)
    """A tool must carry one of these tags; None: whatever policy permits."""
    model: str = ""


class Channel(BaseModel):
    """What a question in one place gets when it names nothing itself."""

    model_config = STRICT

    agent: str = ""
    model: str = ""


class Skill(BaseModel):
    """One extra system message, added when a question holds one of the words."""

    model_config = STRICT

    text: str = ""
    file: str = ""
    """A path under the file's own folder; it has become `text` once the file is read."""
    when: tuple[Text, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if bool(self.text) == bool(self.file):
            raise ValueError("needs either `text` or `file`")
        return self


class Server(BaseModel):
    """An MCP server, by address or by command."""

    model_config = STRICT

    url: str = ""
    command: tuple[Text, ...] = Field(default=(), strict=False)
    accept: Literal["none", "first"] = "none"
    """`first` pins what the first contact shows; `none` waits for an admin."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.url) == bool(self.command):
            raise ValueError("needs either `url` or `command`")
        if self.url and (fault := addresses.web_fault(self.url)):
            raise ValueError(f"has a `url` that {fault}")
        return self


class Limits(BaseModel):
    """The rounds of a turn are four and no setting."""

    model_config = STRICT

    call_deadline: Seconds = 60.0
    turn_deadline: Seconds = 300.0
    question_length: Annotated[int, Field(ge=100, le=40_000)] = 12_000
    """Characters."""

    @model_validator(mode="after")
    def _call_in_turn(self) -> Self:
        if self.call_deadline > self.turn_deadline:
            raise ValueError("lets one call take longer than its turn")
        return self


class Config(BaseModel):
    """The whole file. `policy` stays as it was written: core.policy reads it."""

    model_config = STRICT

    models: dict[str, Model] = {}
    agents: dict[Word, Agent] = {}
    channels: dict[Annotated[str, Field(pattern=r"^[a-z]+:\S+/\S+$")], Channel] = {}
    """By place id: `slack:T…/C…`."""
    skills: dict[Word, Skill] = {}
    servers: dict[Word, Server] = {}
    policy: dict[str, Any] | None = None
    limits: Limits = Limits()
    policy_lines: Annotated[dict[marks.Path, int], Field(exclude=True)] = {}
    """The line of each value of `policy`, by its path inside that section."""


def read(path: Path | None, settings: Settings) -> Config:
    """The configuration in `path`, or the defaults where there is none.

    Raises `Misconfigured`, one problem a line, each with file and line number.
    """
    if path is None:
        return Config()
    try:
        marked = marks.read(path.read_text("utf-8"))
    except OSError as error:
        raise Misconfigured(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Misconfigured(f"{path} is not text in UTF-8.") from error
    faults = list(marked.faults)
    config = Config()
    if not isinstance(marked.value, dict):
        faults.append((1, "The file must hold sections, such as `agents:`."))
    elif not faults:
        config, faults = _parsed(marked, path.parent)
    faults += [(marked.line(where), text) for where, text in _misfits(config, settings)]
    if faults:
        lines = [f"{path.name}:{line}: {text}" for line, text in sorted(faults)]
        raise Misconfigured("\n".join(lines))
    return config


def _parsed(marked: marks.Marked, folder: Path) -> tuple[Config, list[tuple[int, str]]]:
    sections = cast("dict[str, Any]", marked.value)
    faults = [
        (marked.line((name,)), f"`{name}` is not supported by this version.")
        for name in NOT_YET
        if name in sections
    ]
    # An empty section (`agents:` and nothing below) is a section left at its defaults.
    given = {k: v for k, v in sections.items() if k not in NOT_YET and v is not None}
    given.pop("policy_lines", None)
    lines = {path[1:]: line for path, line in marked.lines.items() if path[:1] == ("policy",)}
    try:
        config = Config.model_validate({**given, "policy_lines": lines})
    except ValidationError as error:
        for one in error.errors(include_url=False, include_input=False):
            where = tuple(step for step in one["loc"] if step != "[key]")
            faults.append((marked.line(where), _sentence(one["type"], one["msg"], where)))
        return Config(), faults
    skills: dict[str, Skill] = {}
    for name, skill in config.skills.items():
        try:
            skills[name] = _filled(skill, folder)
        except (OSError, ValueError):
            where = ("skills", name, "file")
            text = f"`skills.{name}.file` names no text file under {folder}."
            faults.append((marked.line(where), text))
    return config.model_copy(update={"skills": skills}), faults


def _filled(skill: Skill, folder: Path) -> Skill:
    """Raises OSError or ValueError when the file is not one under `folder`."""
    if not skill.file:
        return skill
    path = (folder / skill.file).resolve()
    path.relative_to(folder.resolve())
    return Skill(text=path.read_text("utf-8").strip(), when=skill.when)


def _sentence(kind: str, message: str, where: marks.Path) -> str:
    name = ".".join(str(step) for step in where)
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(str(where[-1]), _known_beside(where), 1)
        hint = f"; did you mean `{near[0]}`?" if near else "."
        return f"`{name}` is not known{hint}"
    if kind == "missing":
        return f"`{name}` is missing."
    return f"`{name}`: {message.removeprefix('Value error, ')}."


def _known_beside(where: marks.Path) -> list[str]:
    """The names that may stand where this one stands."""
    if len(where) == 1:
        return [*Config.model_fields, *NOT_YET]
    if where[0] == "limits":
        return list(Limits.model_fields)
    kinds: Mapping[str, type[BaseModel]] = {
        "models": Model,
        "agents": Agent,
        "channels": Channel,
        "skills": Skill,
        "servers": Server,
    }
    kind = Price if "price" in where[:-1] else kinds.get(str(where[0]))
    return list(kind.model_fields) if kind else []


def _misfits(config: Config, settings: Settings) -> Iterator[tuple[marks.Path, str]]:
    """What each section takes for itself and the whole does not."""
    for name in config.models:
        if fault := addresses.model_fault(name):
            yield ("models", name), f"`{name}` {fault}."
        elif lack := settings.providers.lack(name.partition(":")[0]):
            yield ("models", name), f"`{name}` needs {lack}."
    offered = {*config.models, settings.model}
    named = [("agents", name, agent.model) for name, agent in config.agents.items()]
    named += [("channels", name, channel.model) for name, channel in config.channels.items()]
    for section, name, model in named:
        if model and model not in offered:
            text = f"`{model}` is neither COUNTERSIGN_MODEL nor listed under `models`."
            yield (section, name, "model"), text
    for place, channel in config.channels.items():
        if channel.agent and channel.agent not in config.agents:
            yield ("channels", place, "agent"), f"There is no agent `{channel.agent}`."
