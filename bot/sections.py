"""The shapes of the sections of `countersign.yaml` that no room reads by itself."""

from decimal import Decimal
from typing import Annotated, Literal, Self

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
    page: Dollars | None = None
    """For one page that is read; `image` for one image that is made."""
    image: Dollars | None = None


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


class Limit(BaseModel):
    """One budget, in the installation's currency or in tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)

    whom: Annotated[str, Field(alias="for", pattern=r"^(everyone|(group|person|place):\S+)$")]
    each: Dollars | None = None
    """Of every person that is meant, by themselves."""
    together: Dollars | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None
    """In place of money: of every person by themselves where `shared` is not set."""
    shared: bool = False
    per: Literal["day", "month"] = "month"

    @model_validator(mode="after")
    def _has_one_amount(self) -> Self:
        given = [one for one in (self.each, self.together, self.tokens) if one is not None]
        if len(given) != 1:
            raise ValueError("needs exactly one of `each`, `together` and `tokens`")
        if self.shared and self.tokens is None:
            raise ValueError("`shared` belongs to `tokens`; write `together` for money")
        if self.whom.startswith("place:") and self.is_each:
            raise ValueError("a place has its budget together")
        return self

    @property
    def is_each(self) -> bool:
        return self.each is not None or (self.tokens is not None and not self.shared)


class Budgets(BaseModel):
    """What may be spent, and what happens to models whose price is not known."""

    model_config = STRICT

    unpriced: Literal["refuse", "allow", "count"] = "refuse"
    limits: Annotated[tuple[Limit, ...], Field(strict=False)] = ()


class Prices(BaseModel):
    """What amounts are shown in; the ledger itself counts US dollars."""

    model_config = STRICT

    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    per_dollar: Annotated[Decimal, Field(gt=0, strict=False)] = Decimal(1)

    @model_validator(mode="after")
    def _dollars_are_dollars(self) -> Self:
        if self.currency == "USD" and self.per_dollar != 1:
            raise ValueError("`per_dollar` needs another `currency`")
        return self


Days = Annotated[float, Field(ge=1, le=3_650, strict=False)]


class Keeping(BaseModel):
    """How long things are kept, in days."""

    model_config = STRICT

    inbox: Annotated[float, Field(ge=3, le=3_650, strict=False)] = 7.0
    """Also the keys of deliveries, which a platform may repeat for up to three days."""
    outbox: Days = 7.0
    evidence: Days = 30.0
    turns: Days = 90.0
    decisions: Days = 400.0


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
    budgets: Budgets = Budgets()
    prices: Prices = Prices()
    retention: Keeping = Keeping()


WHOLE: dict[str, type[BaseModel]] = {
    "limits": Limits,
    "slack": Slack,
    "budgets": Budgets,
    "prices": Prices,
    "retention": Keeping,
}
"""Sections that are one entry themselves."""
SHAPES: dict[str, type[BaseModel]] = {
    "models": Model,
    "agents": Agent,
    "channels": Channel,
    "skills": Skill,
}
"""Of one entry of each section whose entries have names."""
