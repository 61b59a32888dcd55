"""Judges the addresses that an operator gives."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from adapters.links import is_loopback


def web_fault(address: str, *, ends: str = "") -> str:
    """What is wrong with a web address, as the end of a sentence that begins with its name; empty
    when nothing is. Plain http is taken on loopback only; user:password@ never."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return "is not a web address"
    if parts.scheme not in ("http", "https") or not host:
        return "is not a web address that begins with https://"
    if parts.username or parts.password:
        return "carries a user name or password; take them out of the address"
    if parts.query or parts.fragment:
        return "carries a query or fragment; take it off"
    if parts.scheme == "http" and not is_loopback(host):
        return "uses http; anything that is not on this machine needs https"
    if ends and not address.endswith(ends):
        return f"does not end in {ends}"
    return ""


def database_fault(address: str) -> str:
    """What is wrong with a database address; empty when nothing is."""
    if address.startswith("sqlite:///"):
        name = address.removeprefix("sqlite:///")
        if not name.strip("/") or name.endswith("/"):
            return "names no file; write sqlite:///folder/countersign.db"
        if "?" in name or name == ":memory:":
            return "must name a file on disk and nothing else"
        return ""
    if re.match(r"postgresql://[^\s]+$", address):
        try:
            parts = urlsplit(address)
            _ = parts.port
        except ValueError:
            return "is not a database address"
        return "" if parts.path.strip("/") else "names no database after the host"
    return "is neither sqlite:///FILE nor postgresql://USER:PASSWORD@HOST/NAME"


def sqlite_file(address: str, folder: Path) -> Path | None:
    """The file of a SQLite address, relative ones under `folder`; None for another database."""
    if not address.startswith("sqlite:///"):
        return None
    return (folder / address.removeprefix("sqlite:///")).absolute()
