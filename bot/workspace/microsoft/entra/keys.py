"""The keys that tokens are signed with."""

import json
import secrets
from functools import cache

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from bot.workspace.microsoft.records import Json


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


@cache
def key_of_this_process() -> rsa.RSAPrivateKey:
    """Making one takes a tenth of a second, so every stand-in begins with the same."""
    return new_key()


class SigningKeys:
    """The newest key signs; every published one is accepted."""

    def __init__(self, first: rsa.RSAPrivateKey | None = None) -> None:
        self._published: dict[str, rsa.RSAPrivateKey] = {}
        self._publish(first or new_key())

    def rotate(self, *, keeps_old: bool = True) -> str:
        """Sign with a new key from now on. Without `keeps_old` the earlier ones are withdrawn, as
        after a compromise. Returns the new key's id."""
        if not keeps_old:
            self._published.clear()
        return self._publish(new_key())

    def _publish(self, key: rsa.RSAPrivateKey) -> str:
        kid = secrets.token_urlsafe(20)
        self._published[kid] = key
        return kid

    @property
    def kid(self) -> str:
        return next(reversed(self._published))

    def sign(self, claims: Json) -> str:
        return jwt.encode(claims, self._published[self.kid], "RS256", headers={"kid": self.kid})

    def verified(self, token: str, audiences: tuple[str, ...]) -> Json:
        """The claims of a token that was signed here, whatever its age. Raises
        jwt.InvalidTokenError."""
        key = self._published.get(str(jwt.get_unverified_header(token).get("kid")))
        if key is None:
            raise jwt.InvalidTokenError("unknown key")
        claims: Json = jwt.decode(
            token,
            key.public_key(),
            ["RS256"],
            audience=audiences,
            options={"verify_exp": False, "verify_nbf": False, "verify_iat": False},
        )
        return claims

    def jwks(self) -> Json:
        return {"keys": [_published_form(kid, key) for kid, key in self._published.items()]}


def _published_form(kid: str, key: rsa.RSAPrivateKey) -> Json:
    form: Json = json.loads(RSAAlgorithm.to_jwk(key.public_key()))
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid, "n": form["n"], "e": form["e"]}
