"""Reads which sign-in a server of ours says that a call needs: `countersign/sign-in` of a
result's `_meta`."""

from collections.abc import Mapping
from typing import Any

from core.capabilities import shapes
from core.errors import NeedsAccount

SIGN_IN = "countersign/sign-in"


def needed(meta: Mapping[str, Any] | None, sentence: str) -> NeedsAccount | None:
    """What `{"countersign/sign-in": {scopes, claims?}}` asks the person for, said in that sentence;
    None where nothing is asked for. A source that names no further proof has revoked the
    sign-in."""
    asked = shapes.mapping((meta or {}).get(SIGN_IN))
    scopes = tuple(shapes.names(asked.get("scopes")))
    if not scopes:
        return None
    claims = asked.get("claims")
    if not isinstance(claims, str) or not claims:
        return NeedsAccount("revoked", sentence, scopes=scopes)
    return NeedsAccount("interaction_required", sentence, scopes=scopes, claims=claims)
