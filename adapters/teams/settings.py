"""What the Teams adapter has to be told before it starts."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from adapters.links import is_loopback
from adapters.teams.origins import MICROSOFT, Origins
from core.errors import Misconfigured

OPENID = "https://login.botframework.com/v1/.well-known/openidconfiguration"
LOGIN = "https://login.microsoftonline.com"
_RESOURCE = re.compile(
    r"api://(?:[a-z0-9.-]+/)?(?:botid-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)
_GUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamsSettings:
    """Raises `Misconfigured` with a sentence where a value would make the adapter unsafe.

    Exactly one of `password`, `certificate` and `is_managed_identity` says how the bot proves who
    it is to Microsoft.
    """

    app_id: str
    tenant_id: str
    """Of the bot's own registration; nobody of another tenant is answered."""
    also_tenants: tuple[str, ...] = ()
    password: str = field(default="", repr=False)
    certificate: str = field(default="", repr=False)
    """PEM: the certificate and its private key."""
    is_managed_identity: bool = False
    identity_endpoint: str = ""
    """Where a hosted bot asks for its managed identity's tokens; empty: the machine's own."""
    identity_secret: str = field(default="", repr=False)
    openid_url: str = OPENID
    login_url: str = LOGIN
    service_origins: tuple[str, ...] = MICROSOFT
    sso_resource: str = ""
    """The Application ID URI of the app with which people connect their accounts, where their
    Teams may sign them in without a browser; empty: it may not."""
    is_targeting: bool = False
    """What is for one person of a channel or a group chat is shown to them there, where Teams
    allows it; links never are."""
    sensitivity: str = ""
    """The label that stands on every answer, `name: what it means`; empty: none."""
    is_unverified: bool = False
    """Take activities that nobody signed: for a test client on this machine alone."""
    is_workspace: bool = False
    host: str = "127.0.0.1"
    """Where the bot listens."""

    def __post_init__(self) -> None:
        faults = [*self._identity_faults(), *self._address_faults()]
        if self.is_unverified and not (self.is_workspace and is_loopback(self.host)):
            faults.append(
                "TEAMS_AUTHENTICATION is off: that is taken with --workspace and on a loopback "
                "address only, because anybody who reaches the bot could speak for anybody."
            )
        if self.sso_resource and not _RESOURCE.fullmatch(self.sso_resource):
            faults.append(
                "TEAMS_SSO_RESOURCE is not an Application ID URI: it begins with api:// and ends "
                "with the application's id, as under Expose an API."
            )
        if faults:
            raise Misconfigured("\n".join(faults))
        # Raises for what is no origin.
        Origins.of(self.service_origins)

    @property
    def tenants(self) -> frozenset[str]:
        return frozenset((self.tenant_id, *self.also_tenants))

    @property
    def origins(self) -> Origins:
        return Origins.of(self.service_origins)

    @property
    def is_local(self) -> bool:
        """Whether a stand-in on this machine plays Teams."""
        return all(is_loopback(urlsplit(one).hostname or "") for one in self.service_origins)

    def _identity_faults(self) -> list[str]:
        found: list[str] = []
        if not _GUID.fullmatch(self.app_id):
            found.append(
                "TEAMS_APP_ID is not an application id: it stands as Microsoft App ID in the "
                "configuration of the Azure Bot, in lower case."
            )
        if not all(_GUID.fullmatch(tenant) for tenant in self.tenants):
            found.append(
                "TEAMS_TENANT_ID is not a tenant id. The bot is registered as single tenant: copy "
                "the Directory (tenant) ID of the app registration, in lower case."
            )
        ways = [self.password, self.certificate, self.is_managed_identity]
        if sum(map(bool, ways)) != 1 and not self.is_unverified:
            found.append(
                "Set exactly one of TEAMS_APP_PASSWORD, TEAMS_APP_CERTIFICATE and "
                "TEAMS_MANAGED_IDENTITY: without it the bot can be asked and cannot answer."
            )
        return found

    def _address_faults(self) -> list[str]:
        return [
            f"{name} is not an https address (plain http is taken on loopback only)."
            for name, address in (
                ("TEAMS_OPENID_URL", self.openid_url),
                ("TEAMS_LOGIN_URL", self.login_url),
            )
            if not is_safe(address)
        ]


def is_safe(address: str) -> bool:
    """Whether a secret may travel there: https, or this machine."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.username is not None or not host:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
