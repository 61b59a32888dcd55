"""What a passage is called, and the address under which it opens at its place."""

import base64
import binascii
import json
from dataclasses import dataclass

from core.errors import Unreadable
from core.identity.vault import KeyRing
from core.ports import Clock
from core.storage.documents import Document, Place

PATH = "/documents/passage"
KEPT_DAYS = 30
_PURPOSE = "document passage"
_LONGEST = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What an address opens."""

    document: str
    chunk: str
    scope: str
    """Of the document when the address was made: for other readers it holds no longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Makes and opens addresses. Whoever holds one may read the document until it runs out or its
    readers change: it is said only where the document may be spoken of."""

    keys: KeyRing
    clock: Clock
    base: str
    """Where the bot is reached; empty: there are no addresses but those of the documents."""

    def of(self, document: Document, place: Place) -> str:
        if not self.base:
            return document.link
        ends = int(self.clock()) + KEPT_DAYS * 86_400
        said = json.dumps([document.id, place.id, document.scope, ends], separators=(",", ":"))
        sealed = self.keys.seal(said.encode(), _PURPOSE)
        return f"{self.base}{PATH}?key={base64.urlsafe_b64encode(sealed).decode().rstrip('=')}#here"

    def open(self, key: str) -> Opened:
        """Raises `Unreadable` for an address that we did not make, or that ran out."""
        try:
            sealed = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
        except (binascii.Error, ValueError):
            raise Unreadable from None
        document, chunk, scope, ends = json.loads(self.keys.unseal(sealed, _PURPOSE))
        if self.clock() > ends:
            raise Unreadable("the address has run out")
        return Opened(document=document, chunk=chunk, scope=scope)


def label(document: Document, place: Place) -> str:
    """`Travel policy.pdf, page 3` or `handbook.md › Travel › Hotels`."""
    name = " ".join(document.name.split())
    if place.page:
        what = {"pptx": "slide", "xlsx": "sheet", "xlsm": "sheet", "xls": "sheet"}
        kind = what.get(name.rpartition(".")[2].lower(), "page")
        where = f", {kind} {place.page}"
    else:
        where = "".join(f" › {' '.join(heading.split())}" for heading in place.heading[-2:])
    return f"{name[: _LONGEST - 60]}{where}"[:_LONGEST]
