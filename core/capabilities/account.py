"""Reads which sign-in a server of ours says that a call needs: `countersign/account` of a
result's `_meta`."""

from collections.abc import Mapping
from typing import Any

from core.capabilities import shapes
from core.errors import NeedsAccount

ACCOUNT = "countersign/account"


def needed(meta: Mapping[str, Any] | None, sentence: str) -> NeedsAccount | None:
    """What `{"countersign/account": {scopes, claims?}}` asks the person for, said in that sentence;
    None where nothing is asked for. A source that names no further proof has revoked the
    sign-in."""
    asked = shapes.mapping((meta or {}).get(ACCOUNT))
    scopes = tuple(shapes.names(asked.get("scopes")))
    if not scopes:
        return None
    claims = asked.get("claims")
    if not isinstance(claims, str) or not claims:
        return NeedsAccount("revoked", sentence, scopes=scopes)
    return NeedsAccount("interaction_required", sentence, scopes=scopes, claims=claims)
