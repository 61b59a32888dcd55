"""The names, addresses and limits of the models that this installation may ask."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal, get_args

from core.errors import Misconfigured
from core.ledger.prices import Rates

Provider = Literal["openai", "azure", "anthropic", "demo"]
Dialect = Literal["openai", "anthropic", "plain"]

KEY_VARIABLES: Mapping[Provider, str] = {
    "openai": "OPENAI_API_KEY",
    "azure": "AZURE_OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}
EXAMPLES = "`openai:gpt-5.5`, `azure:my-deployment`, `anthropic:claude-sonnet-5` or `demo`"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """One model that may be asked, with all that a client needs to reach it."""

    provider: Provider
    name: str
    """As the provider knows it; the deployment's name on Azure."""
    base_url: str = ""
    """Empty: the provider's own address. On Azure the resource's endpoint."""
    api_key: str = field(default="", repr=False)
    api_version: str = ""
    """Azure alone."""
    rates: Rates | None = None
    """Negotiated prices; they beat the public table."""
    context_window: int = 0
    """Tokens; 0 where it is not known."""
    timeout: float = 90.0
    """Seconds without a byte (before the first one, or between two) after which the attempt is
    given up. The caller's deadline bounds all attempts together."""
    max_output_tokens: int = 0
    """0: as the provider decides."""
    use_responses_api: bool = False
    """OpenAI's Responses API in place of chat completions, which every compatible server has."""

    @property
    def key(self) -> str:
        """The name that people type: `openai:gpt-5.5`."""
        return self.provider if self.provider == "demo" else f"{self.provider}:{self.name}"


def parse(text: str) -> ModelSettings:
    """The model that `text` names, with default settings. Raises `Misconfigured`."""
    provider, _, name = text.strip().partition(":")
    if provider == "demo" and not name:
        return ModelSettings(provider="demo", name="demo")
    for known_provider in get_args(Provider):
        if provider == known_provider != "demo" and name:
            return ModelSettings(provider=known_provider, name=name)
    raise Misconfigured(f"`{text}` is not a model name; write {EXAMPLES}")


def known(models: Iterable[ModelSettings]) -> dict[str, ModelSettings]:
    """The models by key, in the order given. Raises `Misconfigured` with a sentence that names
    what is missing."""
    found: dict[str, ModelSettings] = {}
    for model in models:
        if model.key in found:
            raise Misconfigured(f"the model `{model.key}` is configured twice")
        _check(model)
        found[model.key] = model
    return found


def rates(models: Iterable[ModelSettings]) -> dict[str, Rates]:
    """Negotiated prices as the meter takes them, keyed by `provider:name`."""
    return {f"{m.provider}:{m.name}": m.rates for m in models if m.rates is not None}


def find(models: Mapping[str, ModelSettings], wanted: str) -> ModelSettings | None:
    """The model that a person means by `wanted`: its key in any case, or the name alone where
    only one provider has it."""
    folded = wanted.strip().casefold()
    for key, model in models.items():
        if key.casefold() == folded:
            return model
    named = [m for m in models.values() if m.name.casefold() == folded]
    return named[0] if len(named) == 1 else None


def unknown(models: Mapping[str, ModelSettings], wanted: str) -> str:
    """A sentence for somebody who asked for a model that is not here."""
    names = {m.name: key for key, m in models.items()} | {key: key for key in models}
    near = get_close_matches(wanted.strip(), names, n=1, cutoff=0.6)
    hint = f" Did you mean `{names[near[0]]}`?" if near else ""
    listed = ", ".join(f"`{key}`" for key in models) or "none"
    return f"There is no model `{wanted.strip()}` here.{hint} Models: {listed}."


def dialect(model: ModelSettings) -> Dialect:
    """How tool schemas have to be written for the model."""
    match model.provider:
        case "openai" | "azure":
            return "openai"
        case "anthropic":
            return "anthropic"
        case "demo":
            return "plain"


def _check(model: ModelSettings) -> None:
    if model.provider == "azure" and not (model.base_url and model.api_version):
        raise Misconfigured(
            f"`{model.key}` needs the resource's endpoint and an API version"
            " (AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_VERSION)"
        )
    # A compatible server of one's own may take no key; the providers themselves always do.
    if not model.api_key and (
        model.provider in {"azure", "anthropic"}
        or (model.provider == "openai" and not model.base_url)
    ):
        raise Misconfigured(f"`{model.key}` needs a key ({KEY_VARIABLES[model.provider]})")
    if model.timeout <= 0:
        raise Misconfigured(f"`{model.key}`: the timeout has to be a number of seconds above 0")
