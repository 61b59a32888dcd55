"""Who may read a document, and who would hear what is said of it in a place: pure verdicts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.policy.rules import Rules, is_meant
from core.records import Person, PersonId, Place

EVERYONE = "group:everyone"
ENTRA = "entra:"
"""What a reader begins with that is somebody in Entra, or a group there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """Scopes of an index that a question may be answered from."""

    here: tuple[str, ...] = ()
    """The asker may read them, and so may whoever hears the answer where it was asked."""
    alone: tuple[str, ...] = ()
    """The asker may read them, and others of that place may not."""


def readable(
    sets: Mapping[str, Sequence[str]],
    person: Person,
    place: Place,
    rules: Rules,
    *,
    also: Iterable[PersonId] = (),
    objects: Collection[str] = (),
) -> Readable:
    """What of `sets` (scope → readers) this person may be answered from in this place. `also`
    are other ids of the same human, `objects` the ids under which Entra knows them: their own, and
    those of the groups that they are in.

    A reader is `group:…` as in policy, or one whole id, which names its tenant:
    `person:slack:T…/U…`, `place:slack:T…/C…` (whoever is in that place), `tenant:slack:T…`,
    `entra:<object id>`.
    """
    asker = (person, *(replace(person, id=other) for other in also))
    known = {f"{ENTRA}{id}" for id in objects}
    here: list[str] = []
    alone: list[str] = []
    for scope, readers in sorted(sets.items()):
        is_known = any(reader in known for reader in readers)
        if not is_known and not any(
            _may_read(one, place, reader, rules) for one in asker for reader in readers
        ):
            continue
        heard = place.kind == "dm" or any(_is_heard(place, reader) for reader in readers)
        (here if heard else alone).append(scope)
    return Readable(here=tuple(here), alone=tuple(alone))


def _may_read(person: Person, place: Place, reader: str, rules: Rules) -> bool:
    kind, _, word = reader.partition(":")
    match kind:
        case "group":
            return is_meant(person, reader, rules)
        case "person":
            return person.id == word
        case "place":
            return place.id == word
        case "tenant":
            return bool(word) and person.id.startswith(f"{word}/")
        case _:
            return False


def _is_heard(place: Place, reader: str) -> bool:
    """Whether all who hear what is said there are among these readers: who is in a channel is not
    known, so no group but everyone holds them, and not even that one where outsiders listen."""
    if reader == f"place:{place.id}":
        return True
    own = f"tenant:{place.surface}:{place.tenant}"
    return reader in (EVERYONE, own) and not place.is_shared
