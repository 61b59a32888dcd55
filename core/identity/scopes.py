"""What a permission is called, and whether it was granted.

A bare word belongs to Microsoft Graph; a permission of another resource carries its address or
the id of its application.
"""

from collections.abc import Iterable

GRAPH = "https://graph.microsoft.com"
_SIGN_IN = frozenset({"openid", "profile", "email", "offline_access"})


def plain(scope: str) -> str:
    """The one spelling under which permissions are compared: Graph's without the address."""
    return scope.removeprefix(f"{GRAPH}/")


def resource(scope: str) -> str:
    """The address of what the permission is for."""
    return scope.rpartition("/")[0] if "/" in scope else GRAPH


def asked(scopes: Iterable[str]) -> tuple[str, ...]:
    """The permissions in one spelling and order.

    Raises ValueError when there are none, or when they are for more than one resource: a token is
    good for one.
    """
    wanted = sorted({plain(scope) for scope in scopes} - _SIGN_IN)
    if len({resource(scope) for scope in wanted}) != 1:
        raise ValueError("a token is for the permissions of one resource")
    return tuple(wanted)


def granted(answer: object) -> frozenset[str]:
    """The permissions in the `scope` of a token answer, without those of the sign-in itself."""
    words = answer.split() if isinstance(answer, str) else []
    return frozenset(plain(word) for word in words) - _SIGN_IN


def missing(wanted: Iterable[str], given: frozenset[str]) -> tuple[str, ...]:
    """Those of the wanted permissions that were not given. Names are compared without case, as
    Microsoft does."""
    held = {scope.lower() for scope in given}
    return tuple(scope for scope in map(plain, wanted) if scope.lower() not in held)


def merged(before: frozenset[str], given: frozenset[str]) -> frozenset[str]:
    """What is known to be granted after an answer: of the resources that it speaks of, that and
    nothing else; of others, what was known before."""
    spoken = {resource(scope) for scope in given}
    return given | {scope for scope in before if resource(scope) not in spoken}
