"""Reads `countersign.yaml`: everything an operator decides that is neither secret nor address.

Unknown sections and keys are refused with their line, because a misspelt rule that is passed over
in silence is worse than a bot that does not start.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from bot import marks, sources
from bot.sections import (
    SHAPES,
    WHOLE,
    Agent,
    Budgets,
    Channel,
    Keeping,
    Limits,
    Model,
    Price,
    Prices,
    Sections,
)
from bot.settings import Settings
from core.capabilities.servers import HOST, Server, read_servers
from core.connectors.scopes import SERVER as OFFICE
from core.context.skills import Skill
from core.errors import Misconfigured
from core.ledger.prices import Rates
from core.llm import models
from core.llm.models import ModelSettings
from core.policy.rules import EVERYTHING, Rules
from core.policy.section import read_policy
from core.specialists.dax.source import SemanticModel
from core.specialists.sql.source import Source

BY_ROOMS = ("policy", "servers", "sources")
"""Sections that core.policy, core.capabilities and core.specialists.sql read by themselves."""
DOCUMENTS = "documents"
"""The server of the documents specialist."""
SAMPLE = "sample"
"""The sample server of the local workspace."""
SOURCES, SHEETS, POWERBI = "sources", "posted", "powerbi"
"""The servers of the data specialists."""
OWN_SERVERS = (HOST, OFFICE, DOCUMENTS, SAMPLE, SOURCES, SHEETS, POWERBI)
"""Names that no server of the file may have, whether ours run or not: the file is good everywhere
or nowhere."""
NOT_YET: tuple[str, ...] = ()
"""Sections that have a meaning and no consumer: refused, so that nobody relies on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    models: Mapping[str, ModelSettings]
    """By the name that people type; the default one is first."""
    embedding_dimensions: int = 0
    """0 where the file says nothing about the embedding model."""
    agents: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    channels: Mapping[str, Channel] = field(default_factory=dict[str, Channel])
    """By place id."""
    skills: tuple[Skill, ...] = ()
    servers: tuple[Server, ...] = ()
    sources: tuple[Source, ...] = ()
    semantic_models: tuple[SemanticModel, ...] = ()
    rules: Rules = EVERYTHING
    limits: Limits = field(default_factory=Limits)
    budgets: Budgets = field(default_factory=Budgets)
    prices: Prices = field(default_factory=Prices)
    retention: Keeping = field(default_factory=Keeping)
    bots: frozenset[str] = frozenset()
    """Other bots that may ask on Slack."""
    workspaces: frozenset[str] = frozenset()
    """Of Slack, where the bot may be installed."""
    has_auth_provider: bool = False


def read(settings: Settings) -> Config:
    """What the file that the settings name says, or the defaults where there is none.

    Raises `Misconfigured`, one problem a line, each with file and line number.
    """
    path = settings.config
    if path is None:
        return Config(models=models.known([settings.providers.reach(settings.model)]))
    try:
        marked = marks.read(path.read_text("utf-8"))
    except OSError as error:
        raise Misconfigured(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Misconfigured(f"{path} is not text in UTF-8.") from error
    reading = _Reading(marked, settings, path.parent)
    config = reading.config()
    if reading.faults:
        lines = [f"{path.name}:{line}: {text}" for line, text in sorted(set(reading.faults))]
        raise Misconfigured("\n".join(lines))
    return config


class _Reading:
    """One pass over the file that collects what is wrong with it."""

    def __init__(self, marked: marks.Marked, settings: Settings, folder: Path) -> None:
        self.faults = list(marked.faults)
        self._marked = marked
        self._settings = settings
        self._folder = folder
        self._sections: dict[str, Any] = {}
        if isinstance(marked.value, dict):
            self._sections = cast("dict[str, Any]", marked.value)
        else:
            self._wrong((), "The file must hold sections, such as `agents:`.")

    def config(self) -> Config:
        """What could be read; worth nothing when there are faults."""
        for name in NOT_YET:
            if name in self._sections:
                self._wrong((name,), f"`{name}` is not supported by this version.")
        found = self._own_sections()
        self._check_names(found)
        embedding = found.models.get(self._settings.embeddings, Model())
        return Config(
            models=self._models(found.models),
            embedding_dimensions=embedding.dimensions,
            agents=found.agents,
            channels=found.channels,
            skills=self._skills(found),
            servers=self._servers(),
            sources=self._sources(),
            semantic_models=self._semantic_models(),
            rules=self._rules(),
            limits=found.limits,
            budgets=found.budgets,
            prices=found.prices,
            retention=found.retention,
            bots=frozenset(found.slack.bots),
            workspaces=frozenset(found.slack.workspaces),
            has_auth_provider=found.slack.auth_provider,
        )

    def _wrong(self, path: marks.Path, sentence: str) -> None:
        self.faults.append((self._marked.line(path), sentence))

    def _own_sections(self) -> Sections:
        # An empty section (`agents:` with nothing below) is a section left at its defaults.
        given = {
            name: value
            for name, value in self._sections.items()
            if name not in (*BY_ROOMS, *NOT_YET) and value is not None
        }
        try:
            return Sections.model_validate(given)
        except ValidationError as error:
            for one in error.errors(include_url=False, include_input=False):
                where = tuple(step for step in one["loc"] if step != "[key]")
                self._wrong(where, _sentence(one["type"], one["msg"], where))
            return Sections()

    def _models(self, given: Mapping[str, Model]) -> Mapping[str, ModelSettings]:
        default = self._settings.model
        names = [default, *(n for n in given if n not in (default, self._settings.embeddings))]
        found: list[ModelSettings] = []
        for name in names:
            try:
                model = _described(self._settings.providers.reach(name), given.get(name, Model()))
                models.known([model])
                found.append(model)
            except Misconfigured as fault:
                self._wrong(("models", name), f"{fault}.")
        return models.known(found)

    def _skills(self, found: Sections) -> tuple[Skill, ...]:
        skills: list[Skill] = []
        for name, skill in found.skills.items():
            text = skill.text
            if skill.file:
                try:
                    text = _text_under(self._folder, skill.file)
                except (OSError, ValueError):
                    where = f"`skills.{name}.file` names no text file under {self._folder}."
                    self._wrong(("skills", name, "file"), where)
            skills.append(Skill(name=name, text=text.strip(), when=skill.when))
        return tuple(skills)

    def _servers(self) -> tuple[Server, ...]:
        given = self._sections.get("servers")
        named = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
        for name in (OFFICE, DOCUMENTS, SAMPLE):
            if name in named:
                taken = ", ".join(f"`{one}`" for one in OWN_SERVERS)
                text = f"`{name}` is a server of Countersign itself: {taken} are taken; name it"
                self._wrong(("servers", name), f"{text} otherwise.")
        try:
            return read_servers(given, self._settings.server_secrets)
        except Misconfigured as faults:
            for sentence in str(faults).splitlines():
                fault = sentence
                name = fault.partition(":")[0].partition(".")[2]
                if "which is not set" in fault and "MCP_" not in fault:
                    fault += "; only names that begin with MCP_ are handed to servers"
                self._wrong(("servers", name) if name else ("servers",), f"{fault}.")
            return ()

    def _sources(self) -> tuple[Source, ...]:
        lines = {path[1:]: n for path, n in self._marked.lines.items() if path[:1] == ("sources",)}
        section, secrets = self._sections.get("sources"), self._settings.source_secrets
        found, faults = sources.read(section, lines, self._folder, secrets)
        self.faults += faults
        return found

    def _semantic_models(self) -> tuple[SemanticModel, ...]:
        lines = {path[1:]: n for path, n in self._marked.lines.items() if path[:1] == ("sources",)}
        found, faults = sources.read_models(self._sections.get("sources"), lines, self._folder)
        self.faults += faults
        return found

    def _rules(self) -> Rules:
        lines = {path[1:]: n for path, n in self._marked.lines.items() if path[:1] == ("policy",)}
        try:
            return read_policy(self._sections.get("policy"), lines)
        except Misconfigured as faults:
            for fault in str(faults).splitlines():
                number, text = re.fullmatch(r"(?:line (\d+): )?(.*)", fault, re.S).groups()  # pyright: ignore[reportOptionalMemberAccess]
                self.faults.append((int(number or 1), f"{text}."))
            return EVERYTHING

    def _check_names(self, found: Sections) -> None:
        offered = {self._settings.model, *found.models}
        uses = [("agents", name, agent.model) for name, agent in found.agents.items()]
        uses += [("channels", name, channel.model) for name, channel in found.channels.items()]
        for section, name, model in uses:
            if model and model not in offered:
                text = f"`{model}` is neither COUNTERSIGN_MODEL nor listed under `models`."
                self._wrong((section, name, "model"), text)
        for place, channel in found.channels.items():
            if channel.agent and channel.agent not in found.agents:
                self._wrong(("channels", place, "agent"), f"There is no agent `{channel.agent}`.")


def _described(model: ModelSettings, more: Model) -> ModelSettings:
    return replace(
        model,
        rates=_rates(more.price) if more.price else None,
        context_window=more.context_window,
        max_output_tokens=more.max_output_tokens,
        use_responses_api=more.use_responses_api,
    )


def _rates(price: Price) -> Rates:
    given = {name: str(value) for name, value in price.model_dump().items() if value is not None}
    return Rates(**given)


def _text_under(folder: Path, name: str) -> str:
    """Raises OSError or ValueError when `name` is not a text file under `folder`."""
    path = (folder / name).resolve()
    path.relative_to(folder.resolve())
    return path.read_text("utf-8")


def _sentence(kind: str, message: str, where: marks.Path) -> str:
    name = ".".join(str(step) for step in where)
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(str(where[-1]), _known_beside(where), 1)
        return f"`{name}` is not known{f'; did you mean `{near[0]}`?' if near else '.'}"
    if kind == "missing":
        return f"`{name}` is missing."
    return f"`{name}`: {message.removeprefix('Value error, ')}."


def _known_beside(where: marks.Path) -> list[str]:
    """The names that may stand where this one stands."""
    if len(where) == 1:
        return [*Sections.model_fields, *BY_ROOMS, *NOT_YET]
    shape = WHOLE.get(str(where[0])) or SHAPES.get(str(where[0]))
    if "price" in where[:-1]:
        shape = Price
    return list(shape.model_fields) if shape else []
