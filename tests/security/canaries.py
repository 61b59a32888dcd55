"""Secrets that are planted so that a leak can be found, in whatever form they leave."""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, quote_plus

CANARIES: Mapping[str, str] = {
    "bot token": "xoxb-7310046215-7310046216-cAnArYbOtToKeNaaaaaaaaaa",
    "user token": "xoxp-7310046215-7310046217-cAnArYuSeRtOkEnbbbbbbbb",
    "refresh token": "0.AXkAcAnArYrEfReSh-ToKeN_cccccccccccccccccccc",
    "Graph token": "EwBcAnArYgRaPhToKeN+ddddddddddd/dddddddddddd==",
    "MCP token": "mcp_cAnArYmCpToKeN_eeeeeeeeeeeeeeeeee",
    "signing secret": "cafef00dcafef00dcafef00dcafef00d",
    "client secret": "Q~cAnArYcLiEnTsEcReT.ffffffffffff~f",
    "sealing key": "Y0FuQXJZc0VhTGlOZ0tFeWdnZ2dnZ2dnZ2dnZ2dnZ2c=",
    "OAuth code": "0.AUcAnArYoAuThCoDe-gggggggggggggggg",
    "OAuth state": "cAnArYoAuThStAtEhhhhhhhhhhhhhhhh",
    "JWT": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.cAnArYjWtSiGnAtUrEiiiiiiii",
    "webhook address": "https://hooks.slack.com/services/T0/B0/cAnArYwEbHoOkjjjjjj",
    "database password": "cAnArY pAsSwOrD@kkkkkk",
    "model key": "sk-proj-cAnArYmOdElKeYllllllllllllllll",
}
"""What is planted, by the name under which a leak is reported."""


@dataclass(frozen=True, slots=True)
class Leak:
    canary: str
    form: str
    where: str


def forms(secret: str) -> dict[str, bytes]:
    """Every form that is looked for, by its name.

    In base64 a secret looks different at each of the three positions where it can begin in a
    group of three bytes; the characters that its neighbours share are left off.
    """
    raw = secret.encode()
    found = {
        "clear": raw,
        "JSON": json.dumps(secret)[1:-1].encode(),
        "URL": quote(secret, safe="").encode(),
        "URL in lower case": _lowered(quote(secret, safe="")).encode(),
        "path": quote(secret).encode(),
        "form field": quote_plus(secret).encode(),
        "hexadecimal": raw.hex().encode(),
    }
    for skipped in range(3):
        whole = base64.b64encode(b"~" * skipped + raw + b"~" * 3)
        first = -(-skipped * 8 // 6)
        last = (skipped + len(raw)) * 8 // 6
        found[f"base64 at {skipped}"] = whole[first:last]
        found[f"base64url at {skipped}"] = whole[first:last].replace(b"+", b"-").replace(b"/", b"_")
    return found


def _lowered(quoted: str) -> str:
    return re.sub("%..", lambda escape: escape[0].lower(), quoted)


def _pieces(form: bytes) -> tuple[bytes, ...]:
    """Half a long secret is a leak as well."""
    half = len(form) // 2
    return (form[:half], form[half:]) if half >= 12 else (form,)


def leaks(places: Mapping[str, bytes], canaries: Mapping[str, str] | None = None) -> list[Leak]:
    """Where any canary stands in any of the places (name -> bytes)."""
    return [
        Leak(name, form, where)
        for name, secret in (canaries or CANARIES).items()
        for form, wanted in forms(secret).items()
        for where, content in places.items()
        if any(piece in content for piece in _pieces(wanted))
    ]


def files_under(folders: Iterable[Path]) -> dict[str, bytes]:
    """The bytes of every file below: databases, write-ahead logs, backups, outputs."""
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
