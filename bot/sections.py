"""The shapes of the sections of `countersign.yaml` that no room reads by itself."""

from decimal import Decimal
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")]
Place = Annotated[str, Field(pattern=r"^[a-z]+:[^\s/]+/[^\s/]+$")]
"""A place id: `slack:T…/C…`."""
Tag = Annotated[str, Field(pattern=r"^[a-z_]+(:[A-Za-z0-9_.-]+)?$")]
BotId = Annotated[str, Field(pattern=r"^[ABUW][A-Z0-9]{2,40}$")]
TeamId = Annotated[str, Field(pattern=r"^T[A-Z0-9]{2,40}$")]
Text = Annotated[str, Field(min_length=1)]
Dollars = Annotated[Decimal, Field(ge=0, strict=False)]
Seconds = Annotated[float, Field(gt=0, le=3600, strict=False)]
Count = Annotated[int, Field(ge=0)]


class Price(BaseModel):
    """US dollars for a million tokens; where `cached` or `cache_write` is left out, `input`."""

    model_config = STRICT

    input: Dollars
    output: Dollars
    cached: Dollars | None = None
    cache_write: Dollars | None = None


class Model(BaseModel):
    """A model beside the default one that people may name in a question, or more about a model
    that the environment names."""

    model_config = STRICT

    price: Price | None = None
    """Negotiated; beats the public table."""
    context_window: Count = 0
    """Tokens."""
    max_output_tokens: Count = 0
    use_responses_api: bool = False
    dimensions: Count = 0
    """Of an embedding model's vectors; the others have none."""


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
    """A path under the folder of the configuration, in place of `text`."""
    when: tuple[Text, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _has_one_origin(self) -> Self:
        if bool(self.text) == bool(self.file):
            raise ValueError("needs either `text` or `file`")
        return self


class Limits(BaseModel):
    """The rounds of a turn are four and no setting."""

    model_config = STRICT

    call_deadline: Seconds = 60.0
    turn_deadline: Seconds = 300.0
    question_length: Annotated[int, Field(ge=100, le=40_000)] = 12_000
    """Characters; Slack sends no more than 40,000."""

    @model_validator(mode="after")
    def _call_fits_its_turn(self) -> Self:
        if self.call_deadline > self.turn_deadline:
            raise ValueError("a call may not take longer than its turn")
        return self


class Slack(BaseModel):
    """What holds for Slack alone."""

    model_config = STRICT

    bots: tuple[BotId, ...] = Field(default=(), strict=False)
    """Other bots that may ask, by the id of the bot, of its app or of its user."""
    workspaces: tuple[TeamId, ...] = Field(default=(), strict=False)
    """Where the bot may be installed, when it is for several workspaces."""
    auth_provider: bool = False
    """Whether the workspaces have Slack's block to connect accounts with."""


class Sections(BaseModel):
    """The file without the sections that rooms read by themselves."""

    model_config = STRICT

    models: dict[str, Model] = {}
    agents: dict[Word, Agent] = {}
    channels: dict[Place, Channel] = {}
    skills: dict[Word, Skill] = {}
    limits: Limits = Limits()
    slack: Slack = Slack()


WHOLE: dict[str, type[BaseModel]] = {"limits": Limits, "slack": Slack}
"""Sections that are one entry themselves."""
SHAPES: dict[str, type[BaseModel]] = {
    "models": Model,
    "agents": Agent,
    "channels": Channel,
    "skills": Skill,
}
"""Of one entry of each section whose entries have names."""
