"""How the app proves who it is: with its secret, or with a certificate."""

import hmac
from collections.abc import Mapping

import jwt
from cryptography import x509

from bot.workspace.microsoft.entra import failures
from bot.workspace.microsoft.entra.directory import LOGIN, Directory

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ALGORITHMS = ["PS256", "RS256"]


def check(directory: Directory, form: Mapping[str, str]) -> None:
    """Raises Refused."""
    app = directory.registration
    if form.get("client_id") != app.client_id:
        raise failures.said(
            failures.UNKNOWN_APP,
            client=form.get("client_id", ""),
            tenant=directory.tenant.name,
        )
    if form.get("client_assertion_type") == ASSERTION:
        _check_assertion(directory, form.get("client_assertion", ""))
    elif not form.get("client_secret"):
        raise failures.said(failures.NO_CREDENTIAL)
    elif not hmac.compare_digest(form["client_secret"].encode(), app.secret.encode()):
        raise failures.said(failures.BAD_SECRET)


def _check_assertion(directory: Directory, assertion: str) -> None:
    """Signed with a registered certificate, by and about the app, for this token endpoint."""
    app, now = directory.registration, directory.tenant.clock()
    for pem in app.certificates:
        key = x509.load_pem_x509_certificate(pem.encode()).public_key()
        try:
            claims = jwt.decode(
                assertion,
                key,  # pyright: ignore[reportArgumentType]
                ALGORITHMS,
                audience=f"{LOGIN}/{directory.tenant.id}/oauth2/v2.0/token",
                issuer=app.client_id,
                subject=app.client_id,
                options={"verify_exp": False, "verify_nbf": False, "verify_iat": False},
            )
        except jwt.InvalidTokenError:
            continue
        if float(claims.get("exp", 0)) < now:
            raise failures.said(failures.OLD_CERTIFICATE)
        return
    raise failures.said(failures.BAD_CERTIFICATE)
