"""The state of the Entra stand-in: keys, consents, codes, tokens, conditions."""

import hashlib
import json
import secrets

from bot.workspace.faults import Faults
from bot.workspace.microsoft.entra import failures
from bot.workspace.microsoft.entra.consent import Consents
from bot.workspace.microsoft.entra.failures import Failure
from bot.workspace.microsoft.entra.keys import SigningKeys, key_of_this_process
from bot.workspace.microsoft.entra.records import Attempt, Code, Minted, RefreshToken
from bot.workspace.microsoft.entra.scopes import GRAPH, GRAPH_APP, Asked
from bot.workspace.microsoft.records import Account, Fault, Json, Request
from bot.workspace.microsoft.tenant import Tenant

LOGIN = "https://login.microsoftonline.com"


class Directory:
    """What tests switch is public; nothing in here knows HTTP."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant, self.registration = tenant, tenant.registration
        self.keys = SigningKeys(key_of_this_process())
        self.consents = Consents()
        self.faults: Faults[Fault] = Faults()
        """Met by token requests; the name is `token <grant type>`."""
        self.requests: list[Request] = []
        self.attempts: dict[str, Attempt] = {}
        self.codes: dict[str, Code] = {}
        self.refresh_tokens: dict[str, RefreshToken] = {}
        self.access_tokens: dict[str, Minted] = {}
        """By `uti`, everything that was ever given out."""
        self.conditions: dict[str, Failure] = {}
        """By object id; `failures.MFA` is met by signing in again, others never."""
        self.disabled: set[str] = set()
        """Object ids of people who have left."""
        self.sessions: dict[str, str] = {}
        """By the browser's cookie, the object id of who is signed in."""
        self.lifetime = 3_600
        """Seconds of an access token."""
        self.latency = 0.0
        """Seconds that every token takes."""
        self.is_rotation_strict = False
        """A refresh token that was replaced is refused; Entra itself lets it live on."""
        self.id_token_patch: Json = {}
        """Laid over the claims of every ID token: forgeries for tests."""
        self.id_token_keys: SigningKeys | None = None
        """Signs the ID tokens in place of the published keys: another forgery."""

    @property
    def issuer(self) -> str:
        return f"{LOGIN}/{self.tenant.id}/v2.0"

    def check_standing(self, account: Account, *, is_interactive: bool = False) -> None:
        """Raises Refused when this person gets no token as things are."""
        if account.oid in self.disabled:
            raise failures.said(failures.DISABLED)
        condition = self.conditions.get(account.oid)
        if condition is None or (is_interactive and condition.number == failures.MFA.number):
            return
        raise failures.said(condition)

    # What is given out.

    def access_token(
        self, account: Account, resource: str, names: frozenset[str], *, cae: bool = False
    ) -> Minted:
        """A signed access token for one resource."""
        now = self.tenant.clock()
        uti = secrets.token_urlsafe(16)
        claims: Json = {
            "aud": GRAPH_APP if resource == GRAPH else resource,
            "iss": f"https://sts.windows.net/{self.tenant.id}/",
            "iat": int(now),
            "nbf": int(now) - 300,
            "exp": int(now) + self.lifetime,
            "app_displayname": self.registration.name,
            "appid": self.registration.client_id,
            "idtyp": "user",
            "name": account.display_name,
            "oid": account.oid,
            "scp": " ".join(sorted(names)),
            "sub": self._subject(account, resource),
            "tid": self.tenant.id,
            "unique_name": account.upn,
            "upn": account.upn,
            "uti": uti,
            "ver": "1.0",
        }
        if cae:
            claims["xms_cc"] = ["CP1"]
        text = self.keys.sign(claims)
        minted = Minted(
            uti=uti,
            oid=account.oid,
            number=self.tenant.next_number(),
            has_cae=cae,
            text=text,
            claims=claims,
        )
        self.access_tokens[uti] = minted
        return minted

    def id_token(self, account: Account, nonce: str, asked: Asked) -> str:
        now = int(self.tenant.clock())
        claims: Json = {
            "aud": self.registration.client_id,
            "iss": self.issuer,
            "iat": now,
            "nbf": now,
            "exp": now + 3_900,
            "name": account.display_name,
            "oid": account.oid,
            "preferred_username": account.upn,
            "sub": self._subject(account, self.registration.client_id),
            "tid": self.tenant.id,
            "uti": secrets.token_urlsafe(16),
            "ver": "2.0",
        }
        if nonce:
            claims["nonce"] = nonce
        if "email" in asked.openid:
            claims["email"] = account.upn
        claims |= self.id_token_patch
        return (self.id_token_keys or self.keys).sign(claims)

    def new_refresh_token(self, account: Account, family: str = "") -> str:
        now = self.tenant.clock()
        text = f"1.AX0A{secrets.token_urlsafe(48)}"
        self.refresh_tokens[text] = RefreshToken(
            account=account,
            issued_at=now,
            used_at=now,
            family=family or secrets.token_hex(8),
        )
        return text

    def sso_token(self, account: Account) -> str:
        """What Teams hands to a bot at silent sign-on; the bot exchanges it on behalf of."""
        now = int(self.tenant.clock())
        claims: Json = {
            "aud": self.registration.client_id,
            "iss": self.issuer,
            "iat": now,
            "nbf": now,
            "exp": now + 3_600,
            "name": account.display_name,
            "oid": account.oid,
            "preferred_username": account.upn,
            "scp": "access_as_user",
            "tid": self.tenant.id,
            "ver": "2.0",
        }
        return self.keys.sign(claims)

    def _subject(self, account: Account, audience: str) -> str:
        """Different for each audience, as Entra's are."""
        return hashlib.sha256(f"{account.oid} {audience}".encode()).hexdigest()[:43]

    # What is taken back.

    def revoke(self, account: Account) -> None:
        """All sign-ins of this person until now end: a lost phone, or a new password."""
        self.tenant.valid_from[account.oid] = self.tenant.next_number()
        for token in self.refresh_tokens.values():
            if token.account.oid == account.oid:
                token.is_spent = True
        self.sessions = {k: v for k, v in self.sessions.items() if v != account.oid}
        self.tenant.publish("entra", account.name)

    def is_revoked(self, token: Minted) -> bool:
        return token.number < self.tenant.valid_from.get(token.oid, 0)


def asks_for_cae(claims: str) -> bool:
    """Whether the `claims` parameter of a token request names the capability CP1."""
    try:
        wanted = json.loads(claims)["access_token"]["xms_cc"]["values"]
    except (ValueError, KeyError, TypeError):
        return False
    return "cp1" in [str(value).lower() for value in wanted]
