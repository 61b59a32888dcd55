"""Reads the environment, once, into one frozen value.

Each name may also be given as NAME_FILE with the path of a file that holds the value. Everything
that is wrong is reported together, in sentences that an operator can act on.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from adapters.links import is_loopback
from adapters.teams.settings import TeamsSettings
from bot import addresses, given_teams, keyfile
from bot.given import Given
from core.errors import Misconfigured
from core.identity.settings import EntraSettings
from core.llm import models
from core.llm.models import ModelSettings

_NO_SURFACE = (
    "No chat platform is configured: set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET "
    "(or SLACK_APP_TOKEN, where Slack cannot reach the bot), or TEAMS_APP_ID and what goes with "
    "it, or start the local workspace, which needs no account: countersign run --workspace"
)
OFFLINE_EMBEDDER = "minilm"
GRAPH = "https://graph.microsoft.com/v1.0"
POWERBI = "https://api.powerbi.com/v1.0/myorg"
_EXPIRES = (
    "expires within hours, since the app's tokens rotate; let the workspace install the bot "
    "itself, with SLACK_CLIENT_ID, and the token is renewed"
)
SIGNING_SECRET_LENGTH = 32
"""Characters: Slack's signing secrets are 16 bytes in hexadecimal."""

METRICS_TOKEN_LENGTH = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack:
    bot_token: str = field(repr=False)
    signing_secret: str = field(default="", repr=False)
    """Empty where deliveries come over a socket alone."""
    app_token: str = field(default="", repr=False)
    """With it, deliveries come over a socket."""
    client_id: str = ""
    """With it, several workspaces can install the bot."""
    client_secret: str = field(default="", repr=False)
    api_url: str = "https://slack.com/api/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Providers:
    """How to reach the model providers; empty where the operator gave nothing."""

    openai_api_key: str = field(default="", repr=False)
    openai_base_url: str = ""
    anthropic_api_key: str = field(default="", repr=False)
    anthropic_base_url: str = ""
    azure_api_key: str = field(default="", repr=False)
    azure_endpoint: str = ""
    azure_api_version: str = ""

    def reach(self, name: str) -> ModelSettings:
        """The model `provider:name` with its address and key. Raises `Misconfigured`."""
        model = models.parse(name)
        match model.provider:
            case "openai":
                address, key = self.openai_base_url, self.openai_api_key
            case "anthropic":
                address, key = self.anthropic_base_url, self.anthropic_api_key
            case "azure":
                address, key = self.azure_endpoint, self.azure_api_key
            case "demo":
                address, key = "", ""
        version = self.azure_api_version if model.provider == "azure" else ""
        return replace(model, base_url=address, api_key=key, api_version=version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Microsoft:
    """Where people link their Microsoft account, and where Graph is."""

    entra: EntraSettings
    graph_url: str = GRAPH


@dataclass(frozen=True, slots=True, kw_only=True)
class Observing:
    """What may be watched from outside; nothing by default."""

    collector: str = ""
    """Base address of an OTLP collector for traces; empty: nothing is traced."""
    collector_headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    service: str = "countersign"
    metrics_token: str = field(default="", repr=False)
    """Who shows it may read `/metrics`; empty: there is no such route."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    is_workspace: bool
    slack: Slack | None
    """None in the local workspace, which brings its own credentials."""
    teams: TeamsSettings | None
    """None in the local workspace, which brings its own, unless a test client is to be served."""
    microsoft: Microsoft | None
    """None where no Microsoft account can be connected; the local workspace brings its own."""
    model: str
    """`demo` or `provider:name`: the default chat model."""
    embeddings: str
    """`minilm` or `provider:name`."""
    vision: str = ""
    """The model that reads pictures of pages, `provider:name`; empty: none does."""
    providers: Providers
    database: str = field(repr=False)
    """`sqlite:///` with an absolute path, or `postgresql://…`."""
    state: Path
    """Folder for derived files and the generated key."""
    config: Path | None
    keys: str = field(repr=False)
    """`id:base64,…`; empty where a key file in `state` takes its place."""
    server_secrets: Mapping[str, str] = field(repr=False)
    """Values for `${MCP_…}` in the `servers` section, by that name."""
    public_url: str
    host: str
    port: int
    """0 takes any free port."""
    workspace_port: int
    """Of the local workspace's page; 0 takes any free port."""
    source_secrets: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Values for `${SOURCE_…}` in the `sources` section, by that name."""
    powerbi_url: str = POWERBI
    observing: Observing = field(default_factory=Observing)

    @property
    def reads_locally(self) -> bool:
        """Whether pictures of pages are read by a program of this machine."""
        return self.vision.partition(":")[0] == "tesseract"

    @property
    def key_file(self) -> Path:
        return self.state / "sealing.key"

    def secrets(self) -> tuple[str, ...]:
        """Every value that must not be printed, for the redactor."""
        access = self.providers
        given = [access.openai_api_key, access.anthropic_api_key, access.azure_api_key]
        if self.slack:
            given += [self.slack.bot_token, self.slack.signing_secret, self.slack.app_token]
            given.append(self.slack.client_secret)
        if self.teams:
            given += [self.teams.password, self.teams.certificate, self.teams.identity_secret]
        if self.microsoft:
            given += [self.microsoft.entra.client_secret, self.microsoft.entra.certificate]
        given += [key.partition(":")[2] for key in self.keys.split(",")]
        given += self.server_secrets.values()
        given += self.source_secrets.values()
        given += [self.observing.metrics_token, *self.observing.collector_headers.values()]
        if password := urlsplit(self.database).password:
            given += [password, unquote(password)]
        return tuple(value for value in given if value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Where the state is, for commands that look at it and need nothing else."""

    database: str = field(repr=False)
    file: Path | None
    """None where it is no file."""
    state: Path


def stored_from_environment() -> Stored:
    """Where this process' state is. Raises `Misconfigured`, one problem a line."""
    given = Given(os.environ, Path.cwd())
    found = _stored(given, Path.cwd())
    if given.problems:
        raise Misconfigured("\n".join(given.problems))
    return found


def from_environment(*, is_workspace: bool) -> Settings:
    """The settings of this process. Raises `Misconfigured`, one problem a line."""
    return read(os.environ, folder=Path.cwd(), is_workspace=is_workspace)


def read(environment: Mapping[str, str], *, folder: Path, is_workspace: bool) -> Settings:
    """The settings in `environment`; relative paths lie under `folder`.

    Raises `Misconfigured`, one problem a line.
    """
    given = Given(environment, folder)
    stored = _stored(given, folder)
    teams = given_teams.read(given, is_workspace=is_workspace)
    settings = Settings(
        is_workspace=is_workspace,
        slack=None if is_workspace else _slack(given),
        teams=teams,
        microsoft=None if is_workspace else _microsoft(given),
        model=given.text("COUNTERSIGN_MODEL", "demo"),
        embeddings=given.text("COUNTERSIGN_EMBEDDINGS", OFFLINE_EMBEDDER),
        vision=given.text("COUNTERSIGN_VISION"),
        providers=_providers(given),
        database=stored.database,
        state=stored.state,
        config=_config(given, folder),
        keys=given.text("COUNTERSIGN_KEYS", is_secret=True),
        server_secrets=given.all_named("MCP_"),
        source_secrets=given.all_named("SOURCE_"),
        powerbi_url=given.address("POWERBI_API_URL", POWERBI, ends="/v1.0/myorg"),
        public_url=given.address("COUNTERSIGN_PUBLIC_URL"),
        host=given.text("COUNTERSIGN_HOST", "127.0.0.1"),
        port=_port(given, "COUNTERSIGN_PORT", 3978),
        workspace_port=_port(given, "COUNTERSIGN_WORKSPACE_PORT", 3979),
        observing=_observing(given),
    )
    _judge_whole(given, settings)
    if given.problems:
        raise Misconfigured("\n".join(given.problems))
    return settings


def _stored(given: Given, folder: Path) -> Stored:
    database = given.text("COUNTERSIGN_DATABASE", "sqlite:///.state/countersign.db", is_secret=True)
    given.judge("COUNTERSIGN_DATABASE", addresses.database_fault(database))
    file = addresses.sqlite_file(database, folder)
    return Stored(
        database=f"sqlite:///{file}" if file else database,
        file=file,
        state=file.parent if file else (folder / ".state").absolute(),
    )


def _slack(given: Given) -> Slack | None:
    token = given.text("SLACK_BOT_TOKEN", is_secret=True)
    secret = given.text("SLACK_SIGNING_SECRET", is_secret=True)
    app_token = given.text("SLACK_APP_TOKEN", is_secret=True)
    client = given.text("SLACK_CLIENT_ID")
    if not token and not secret and not app_token and not client:
        return None
    if client:
        fault = "takes no SLACK_BOT_TOKEN beside it: each workspace gives its own" if token else ""
        given.judge("SLACK_CLIENT_ID", fault)
    elif not token:
        given.judge("SLACK_BOT_TOKEN", "is missing; it stands under OAuth & Permissions of the app")
    elif token.startswith("xoxe."):
        given.judge("SLACK_BOT_TOKEN", _EXPIRES)
    elif not token.startswith("xoxb-"):
        given.judge("SLACK_BOT_TOKEN", "is not a bot token; it must begin with xoxb-")
    if app_token and not app_token.startswith("xapp-"):
        given.judge("SLACK_APP_TOKEN", "is not an app-level token; it must begin with xapp-")
    if not secret and (client or not app_token):
        where = "it stands under Basic Information of the app"
        given.judge("SLACK_SIGNING_SECRET", f"is missing, so nothing could be verified; {where}")
    elif secret and len(secret) < SIGNING_SECRET_LENGTH:
        fault = (
            f"is too short: Slack's have {SIGNING_SECRET_LENGTH} characters, this has {len(secret)}"
        )
        given.judge("SLACK_SIGNING_SECRET", fault)
    return Slack(
        bot_token=token,
        signing_secret=secret,
        app_token=app_token,
        client_id=client,
        client_secret=given.text("SLACK_CLIENT_SECRET", is_secret=True),
        api_url=given.address("SLACK_API_URL", "https://slack.com/api/", ends="/api/"),
    )


def _microsoft(given: Given) -> Microsoft | None:
    tenant = given.text("ENTRA_TENANT_ID")
    client = given.text("ENTRA_CLIENT_ID")
    if not tenant and not client:
        return None
    graph_url = given.address("GRAPH_API_URL", GRAPH, ends="/v1.0")
    try:
        entra = EntraSettings(
            tenant_id=tenant,
            client_id=client,
            client_secret=given.text("ENTRA_CLIENT_SECRET", is_secret=True),
            certificate=given.text("ENTRA_CLIENT_CERTIFICATE", is_secret=True),
            authority=given.text("ENTRA_AUTHORITY"),
            public_url=given.text("COUNTERSIGN_PUBLIC_URL"),
        )
    except Misconfigured as faults:
        given.problems += str(faults).splitlines()
        return None
    return Microsoft(entra=entra, graph_url=graph_url)


def _providers(given: Given) -> Providers:
    return Providers(
        openai_api_key=given.text("OPENAI_API_KEY", is_secret=True),
        openai_base_url=given.address("OPENAI_BASE_URL"),
        anthropic_api_key=given.text("ANTHROPIC_API_KEY", is_secret=True),
        anthropic_base_url=given.address("ANTHROPIC_BASE_URL"),
        azure_api_key=given.text("AZURE_OPENAI_API_KEY", is_secret=True),
        azure_endpoint=given.address("AZURE_OPENAI_ENDPOINT"),
        azure_api_version=given.text("AZURE_OPENAI_API_VERSION"),
    )


def _observing(given: Given) -> Observing:
    headers: dict[str, str] = {}
    for pair in given.text("OTEL_EXPORTER_OTLP_HEADERS", is_secret=True).split(","):
        name, is_pair, value = pair.partition("=")
        if is_pair and name.strip():
            headers[name.strip()] = unquote(value.strip())
        elif pair.strip():
            given.judge("OTEL_EXPORTER_OTLP_HEADERS", "is not of the form name=value,name=value")
    token = given.text("COUNTERSIGN_METRICS_TOKEN", is_secret=True)
    if token and len(token) < METRICS_TOKEN_LENGTH:
        fault = f"is too short: write at least {METRICS_TOKEN_LENGTH} random characters"
        given.judge("COUNTERSIGN_METRICS_TOKEN", fault)
    return Observing(
        collector=given.address("OTEL_EXPORTER_OTLP_ENDPOINT"),
        collector_headers=headers,
        service=given.text("OTEL_SERVICE_NAME", "countersign"),
        metrics_token=token,
    )


def _config(given: Given, folder: Path) -> Path | None:
    named = given.text("COUNTERSIGN_CONFIG")
    path = folder / (named or "countersign.yaml")
    if path.is_file():
        return path
    if named:
        given.judge("COUNTERSIGN_CONFIG", f"names a file that is not there: {path}")
    return None


def _port(given: Given, name: str, default: int) -> int:
    text = given.text(name, str(default))
    if text.isascii() and text.isdigit() and int(text) <= 65535:
        return int(text)
    given.judge(name, "is not a port; write a number from 0 to 65535")
    return 0


def _judge_whole(given: Given, settings: Settings) -> None:
    """What can only be judged from several settings together."""
    has_chat = settings.is_workspace or settings.slack or given.text("TEAMS_APP_ID")
    if not has_chat:
        given.problems.append(_NO_SURFACE)
    _judge_models(given, settings)
    if settings.keys:
        given.judge("COUNTERSIGN_KEYS", keyfile.keys_fault(settings.keys))
    elif settings.database.startswith("postgresql://"):
        fault = "is missing; on Postgres the sealing keys must be yours: id:base64 of 32 bytes"
        given.judge("COUNTERSIGN_KEYS", fault)
    elif settings.key_file.exists():
        given.judge(f"The key file {settings.key_file}", keyfile.file_fault(settings.key_file))
    if settings.is_workspace and not is_loopback(settings.host):
        fault = f"is {settings.host}; the local workspace has no sign-in and stays on 127.0.0.1"
        given.judge("COUNTERSIGN_HOST", fault)


def _judge_models(given: Given, settings: Settings) -> None:
    named = (
        ("MODEL", settings.model),
        ("EMBEDDINGS", settings.embeddings),
        ("VISION", settings.vision),
    )
    for name, value in named:
        if (name == "EMBEDDINGS" and value == OFFLINE_EMBEDDER) or (name == "VISION" and not value):
            continue
        if name == "VISION" and settings.reads_locally:
            continue
        try:
            model = models.known([settings.providers.reach(value)])[value]
            if name == "EMBEDDINGS" and model.provider != "openai":
                raise Misconfigured(
                    f"`{value}` does not embed; write {OFFLINE_EMBEDDER} or openai:NAME"
                )
            if name == "VISION" and model.provider == "demo":
                raise Misconfigured("the demo model does not see; write provider:name, or nothing")
        except Misconfigured as fault:
            given.problems.append(f"COUNTERSIGN_{name}: {fault}.")
