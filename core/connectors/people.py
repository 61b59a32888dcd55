"""Finds people of the organisation, and who is meant by a name."""

import re
from collections.abc import Iterable

from core.connectors.office import Office, look_at_all
from core.connectors.request import Request, text
from core.errors import BadArguments
from core.records import Json, PersonId

READ = ("User.ReadBasic.All",)
_ADDRESS = re.compile(r"[^@\s<>,;:\"()]+@[^@\s<>,;:\"()]+\.[^@\s<>,;:\"()]+")
_MOST = 25


def search(name: str) -> Request:
    """Everybody with a name, or a part of one, that begins like this."""
    words = re.sub(r'["\\:]', " ", name).split()
    asked = " AND ".join(f'"displayName:{word}"' for word in words[:5])
    return Request(
        path="/users",
        query={
            "$search": asked,
            "$select": "id,displayName,mail,userPrincipalName,jobTitle,department",
            "$top": str(_MOST),
        },
        # A search over the directory is refused without it.
        headers={"ConsistencyLevel": "eventual"},
    )


def address_of(found: Json) -> str:
    return text(found, "mail") or text(found, "userPrincipalName")


def is_address(word: str) -> bool:
    return bool(_ADDRESS.fullmatch(word))


async def resolve(office: Office, person: PersonId, words: Iterable[str]) -> Json:
    """word → `{name, address}` for every recipient: an address stands for itself, a name for the
    one colleague who has it. Raises BadArguments where nobody has it, or several."""
    return {word: await _one(office, person, word.strip()) for word in dict.fromkeys(words)}


async def _one(office: Office, person: PersonId, word: str) -> Json:
    if is_address(word):
        return {"name": "", "address": word}
    if not word or "@" in word:
        raise BadArguments(f"{word!r} is neither a mail address nor a name")
    found = await look_at_all(office, person, search(word), _MOST, *READ)
    found = [one for one in found if address_of(one)]
    exact = [one for one in found if text(one, "displayName").casefold() == word.casefold()]
    if len(exact) == 1:
        found = exact
    if not found:
        raise BadArguments(f"nobody here is called {word!r}: ask for the mail address")
    if len(found) > 1:
        named = "; ".join(f"{text(one, 'displayName')} <{address_of(one)}>" for one in found[:10])
        raise BadArguments(
            f"{len(found)} people are called {word!r}: {named}. Ask which one is meant, then call"
            " this again with the address"
        )
    return {"name": text(found[0], "displayName"), "address": address_of(found[0])}
