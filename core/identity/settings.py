"""Where and as which application people sign in to Microsoft, judged before anything is sent."""

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from core.errors import Misconfigured

LOGIN = "https://login.microsoftonline.com"
_GUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ANYBODY = ("common", "organizations", "consumers")
"""Authorities that let accounts of foreign tenants in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntraSettings:
    """Raises `Misconfigured` when made of unsafe values, one problem a line."""

    tenant_id: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    certificate: str = field(default="", repr=False)
    """PEM: the private key and the certificate, in place of a secret."""
    authority: str = ""
    """With the tenant; empty: `LOGIN` and the tenant."""
    public_url: str
    """Where people's browsers reach this bot."""

    def __post_init__(self) -> None:
        faults = (
            _id_fault("ENTRA_TENANT_ID", self.tenant_id),
            _id_fault("ENTRA_CLIENT_ID", self.client_id),
            _credential_fault(self.client_secret, self.certificate),
            _authority_fault(self.authority, self.tenant_id),
            _address_fault("COUNTERSIGN_PUBLIC_URL", self.public_url),
        )
        if found := [fault for fault in faults if fault]:
            raise Misconfigured("\n".join(found))

    @property
    def base(self) -> str:
        """The authority, with the tenant, without a trailing slash."""
        return (self.authority or f"{LOGIN}/{self.tenant_id}").rstrip("/")

    @property
    def redirect_uri(self) -> str:
        return f"{self.public_url.rstrip('/')}/connect/callback"

    @property
    def is_loopback(self) -> bool:
        """True where browsers come over plain http, which only this machine can do."""
        return self.public_url.startswith("http://")


def _id_fault(name: str, value: str) -> str:
    if not value:
        return f"{name} is missing."
    if value.lower() in _ANYBODY:
        return f"{name} is {value}, which lets anybody in; write the id of your tenant."
    if not _GUID.fullmatch(value):
        return f"{name} is not an id like 00000000-0000-0000-0000-000000000000."
    return ""


def _credential_fault(secret: str, certificate: str) -> str:
    if bool(secret) == bool(certificate):
        given = "Both are given; keep one" if secret else "One of them is needed"
        return f"ENTRA_CLIENT_SECRET, ENTRA_CLIENT_CERTIFICATE: {given}."
    if secret and _GUID.fullmatch(secret):
        return "ENTRA_CLIENT_SECRET is the id of a secret; write the secret's value."
    if certificate and not ("PRIVATE KEY" in certificate and "BEGIN CERTIFICATE" in certificate):
        return "ENTRA_CLIENT_CERTIFICATE must hold a private key and its certificate, as PEM."
    return ""


def _authority_fault(authority: str, tenant: str) -> str:
    if not authority:
        return ""
    if fault := _address_fault("ENTRA_AUTHORITY", authority):
        return fault
    path = urlsplit(authority).path.strip("/").lower()
    if path in _ANYBODY:
        return f"ENTRA_AUTHORITY ends in {path}, which lets anybody in; end it in your tenant's id."
    if path != tenant.lower():
        return "ENTRA_AUTHORITY must end in the id of ENTRA_TENANT_ID and nothing else."
    return ""


def _address_fault(name: str, address: str) -> str:
    if not address:
        return f"{name} is missing."
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return f"{name} is not a web address."
    if parts.scheme not in ("http", "https") or not host:
        return f"{name} is not a web address that begins with https://."
    if parts.username or parts.password or parts.query or parts.fragment:
        return f"{name} carries more than a host and a path; take it off."
    if parts.scheme == "http" and not _is_loopback(host):
        return f"{name} uses http; anything that is not on this machine needs https."
    return ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
