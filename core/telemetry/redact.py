"""Takes secrets out of a text before anybody can read it.

Two nets: the secrets that this process knows, in every form in which they may be printed, and the
shapes that tokens are known to have. Neither is a licence to log bodies or headers.
"""

import base64
import json
import re
import threading
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

MARK = "[secret]"
SHORTEST = 8
"""Characters. A shorter value would take ordinary words out of the log; the settings refuse such
secrets where they matter."""

_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, flags), replacement)
    for pattern, flags, replacement in (
        (r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*-----|\Z)", re.S, MARK),
        (r"\b(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{6,}", 0, MARK),
        (r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}", re.I, rf"\1 {MARK}"),
        (r"\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*", 0, MARK),
        (r"\bsk-[A-Za-z0-9_-]{12,}", 0, MARK),
        # user:password@ of any address; greedy, because passwords may hold an unescaped @.
        (r"(://[^\s/:@]*:)[^\s/]+@", 0, rf"\1{MARK}@"),
        (r"(hooks\.slack\.com/)[^\s\"'<>]+", re.I, rf"\1{MARK}"),
        # Query and form fields, and the key=value form of a Postgres connection string.
        (
            r"\b(password|passwd|client_secret|access_token|refresh_token|id_token|api_key"
            r"|code_verifier|sig|signature)=[^\s&\"']+",
            re.I,
            rf"\1={MARK}",
        ),
        (r"([?&](?:code|state|token|key|assertion)=)[^\s&\"']+", re.I, rf"\1{MARK}"),
        # 32 bytes in base64 are what a sealing key looks like.
        (r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{43}=(?!=)", 0, MARK),
    )
)
_TELLTALE = re.compile(
    r"-----BEGIN|xox|xapp-|Bearer|Basic|eyJ|sk-|://|hooks\.slack|=", re.IGNORECASE
)
"""No shape without one of these: most of what is logged are ids and sizes."""


def printed_forms(secret: str) -> set[str]:
    """The secret as it may stand in a text: clear, in JSON, in an address, in hexadecimal or
    base64.

    Base64 depends on what stands before the secret, so each of the three alignments gives a form
    of its own, without the characters that neighbours share.
    """
    raw = secret.encode()
    forms = {secret, json.dumps(secret)[1:-1], raw.hex()}
    for quoted in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        forms |= {quoted, re.sub("%..", lambda escape: escape[0].lower(), quoted)}
    for before in range(3):
        coded = base64.b64encode(bytes(before) + raw).decode()
        core = coded[(0, 2, 3)[before] : (before + len(raw)) * 8 // 6]
        forms |= {core, core.replace("+", "-").replace("/", "_")}
    return {form for form in forms if len(form) >= SHORTEST}


class Redactor:
    """Knows the secrets of this process. The lock guards the list against a second learner."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._forms: set[str] = set()
        self._known: re.Pattern[str] | None = None
        self.learn(*secrets)

    def learn(self, *secrets: str) -> None:
        """From now on take these out too. Values under `SHORTEST` characters are passed over."""
        with self._lock:
            for secret in secrets:
                if len(secret) >= SHORTEST:
                    self._forms |= printed_forms(secret)
            if self._forms:
                # The longest first, so that no form is cut by a shorter one inside it.
                ordered = sorted(self._forms, key=len, reverse=True)
                self._known = re.compile("|".join(map(re.escape, ordered)))

    def clean(self, text: str) -> str:
        """The text with every secret replaced by `MARK`."""
        if self._known is not None:
            text = self._known.sub(MARK, text)
        if _TELLTALE.search(text) is not None:
            for shape, replacement in _SHAPES:
                text = shape.sub(replacement, text)
        return text
