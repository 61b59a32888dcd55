"""What Entra remembers about sign-ins."""

from dataclasses import dataclass, field

from bot.workspace.microsoft.entra.scopes import Asked
from bot.workspace.microsoft.records import Account, Json

ATTEMPT_SECONDS = 600.0
CODE_SECONDS = 600.0
"""How long a sign-in page, and the code that it leads to, may be used."""
IDLE_SECONDS = 90 * 86_400.0
"""After this long without use a refresh token is dead."""


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One visit of the authorize address, from the first page to the redirect."""

    id: str
    client_id: str
    redirect_uri: str
    response_mode: str
    state: str
    nonce: str
    asked: Asked
    challenge: str
    prompt: str
    login_hint: str
    claims: str
    started_at: float
    account: Account | None = None
    has_met_condition: bool = False
    has_agreed: bool = False


@dataclass(slots=True, kw_only=True)
class Code:
    """An authorization code."""

    attempt: Attempt
    account: Account
    issued_at: float
    is_used: bool = False


@dataclass(slots=True, kw_only=True)
class RefreshToken:
    account: Account
    issued_at: float
    used_at: float
    family: str
    """Shared by all tokens that came out of one sign-in."""
    is_spent: bool = False
    """Replaced by a newer one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Minted:
    """An access token as it was given out."""

    uti: str
    oid: str
    number: int
    """Its place in the order of everything that happened."""
    has_cae: bool
    """The client can handle claims challenges, so that a revocation reaches this token too."""
    text: str = field(repr=False)
    claims: Json
