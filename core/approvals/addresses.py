"""Says of a mail address whether it leads outside, or to somewhere that only looks familiar."""

import re
import unicodedata
from collections.abc import Collection

from core.approvals.visible import has_mixed_scripts

EXTERNAL = "external"
LOOK_ALIKE = "look-alike"

_ADDRESS = re.compile(r"[^\s<>,;:\"()\[\]]+@[^\s<>,;:\"()\[\]]+")
_ALIKE = {"rn": "m", "vv": "w", "cl": "d", "0": "o", "1": "l", "i": "l", "5": "s", "-": ""}
_FOREIGN = str.maketrans("аеорсухіјѕһԁԛԝոսνορτικϲ", "aeopcyxijshdqwnuvoptikc")
"""Cyrillic, Armenian and Greek letters that are drawn like Latin ones."""


def addresses(text: str) -> list[str]:
    """The mail addresses in the text, as they are written."""
    return [found.rstrip(".") for found in _ADDRESS.findall(text)]


def marks(address: str, own: Collection[str]) -> tuple[str, ...]:
    """`external` where the domain is none of ours; `look-alike` where it, or the name before it,
    is made to be taken for another one."""
    name, _, domain = address.rpartition("@")
    domain = domain.casefold().rstrip(".")
    found: list[str] = []
    if domain not in own:
        found.append(EXTERNAL)
    is_foreign = not domain.isascii() or domain.startswith("xn--") or ".xn--" in domain
    is_near = domain not in own and any(_skeleton(domain) == _skeleton(one) for one in own)
    if is_foreign or is_near or any(has_mixed_scripts(word) for word in re.split(r"[^\w]", name)):
        found.append(LOOK_ALIKE)
    return tuple(found)


def spelled_out(address: str) -> str:
    """The address with its domain as the network knows it, where that is another spelling."""
    domain = address.rpartition("@")[2]
    if domain.isascii():
        return address
    try:
        return f"{address} ({domain.encode('idna').decode()})"
    except UnicodeError:
        return f"{address} (no such domain)"


def _skeleton(domain: str) -> str:
    """What the domain looks like at a glance."""
    plain = unicodedata.normalize("NFKD", domain).translate(_FOREIGN)
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    for seen, meant in _ALIKE.items():
        plain = plain.replace(seen, meant)
    return plain
