"""The documents as a question may ask for them: within rights that are looked up now."""

import asyncio
import math
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import ModelFailed, NeedsAccount, SourceFailed, Unavailable
from core.policy.audience import ENTRA, Readable, readable
from core.policy.rules import Rules
from core.ports import Surface
from core.records import Billing, Chunk, FileRef, PersonId, Turn, TurnId
from core.specialists.documents import folder, places
from core.specialists.documents.drive import Drive
from core.specialists.documents.ingest import Ingest
from core.specialists.documents.parsing.kinds import ENDINGS, PICTURES, ending
from core.specialists.documents.parsing.parse import LAYOUT
from core.storage import documents, embeddings, spoken
from core.storage.documents import Cited, Document, Source
from core.telemetry import logs

FILE_BYTES = 25 * 2**20
"""Of a file that is posted in a thread."""
FILE_SECONDS = 120.0
"""For all files of one question."""
_TAG = re.compile(r"(?<![\w#&])#(\w[\w.\-]{1,80})")

_WORD = re.compile(r"\w{4,}")
_BY_WORDS = 0.6
"""The nearness of a passage that holds every word that was asked for."""

log = logs.get(__name__)

Say = Callable[[str], Awaitable[None]]
"""Shows in the thread what goes on."""
Joined = Callable[[PersonId], Awaitable[Sequence[PersonId]]]
"""Every id of the human behind a person."""


Objects = Callable[[PersonId], Awaitable[frozenset[str]]]
"""The ids under which Entra knows a person now: their own, and those of their groups."""


async def unknown(person: PersonId) -> frozenset[str]:
    return frozenset()


async def alone(person: PersonId) -> Sequence[PersonId]:
    return (person,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """What a turn asks of it is `core.turn.papers.Papers`."""

    ingest: Ingest
    rules: Callable[[], Rules]
    addresses: places.Addresses
    drive: Drive | None = None
    joined: Joined = alone
    objects: Objects = unknown

    async def take(
        self, turn: Turn, files: Sequence[FileRef], surface: Surface, say: Say
    ) -> list[str]:
        wanted = [file for file in files if ending(file.name) in ENDINGS | PICTURES]
        problems: list[str] = []
        try:
            async with asyncio.timeout(FILE_SECONDS):
                for file in wanted:
                    problems += await self._take(turn, file, surface, say)
        except TimeoutError:
            problems.append("Reading took too long; what was read until then can be asked about.")
        return problems

    async def scopes(self, turn: Turn) -> Sequence[str]:
        return (await self.readable(turn)).here

    async def readable(self, turn: Turn) -> Readable:
        """What this person may be answered from in this place, and what only elsewhere. Raises
        `Unavailable`."""
        question = turn.question
        sets = await documents.reader_sets(self.ingest.db)
        if not sets:
            return Readable()
        also = [id for id in await self.joined(question.person.id) if id != question.person.id]
        is_asked = any(one.startswith(ENTRA) for readers in sets.values() for one in readers)
        objects = await self.objects(question.person.id) if is_asked else ()
        return readable(
            sets, question.person, question.place, self.rules(), also=also, objects=objects
        )

    async def named(self, turn: Turn, scopes: Sequence[str]) -> list[str]:
        tags = {_folded(tag) for tag in _TAG.findall(turn.question.text)}
        if not tags:
            return []
        found: list[str] = []
        for scope in (*scopes, f"{documents.THREAD}{turn.question.thread}"):
            found += [
                documents.index_source(document.id)
                for document in await documents.of_scope(self.ingest.db, scope)
                if tags & {_folded(document.name), _folded(document.name.rpartition(".")[0])}
            ]
        return found

    async def proven(
        self, turn: Turn, chunks: Sequence[Chunk], vector: Sequence[float], asked: str = ""
    ) -> list[Cited]:
        """Also forgets, moves or leaves out what turns out to be gone or for others by now.
        `asked` is what was searched for, where that is not the question as it stands."""
        wanted = [chunk for chunk in chunks if chunk.source.startswith(documents.PREFIX)]
        scopes = {chunk.source.removeprefix(documents.PREFIX): chunk.scope for chunk in wanted}
        sources = {source.id: source for source in await documents.sources(self.ingest.db)}
        async with asyncio.TaskGroup() as group:
            checks = {
                id: group.create_task(self.current(id, scope, sources))
                for id, scope in scopes.items()
            }
        standing = {id: task.result() for id, task in checks.items()}
        where = await documents.places(self.ingest.db, [chunk.id for chunk in wanted])
        kept = await embeddings.vectors(self.ingest.db, [chunk.id for chunk in wanted])
        found: list[Cited] = []
        for chunk in wanted:
            document = standing[chunk.source.removeprefix(documents.PREFIX)]
            place = where.get(chunk.id)
            if document is not None and place is not None:
                found.append(
                    Cited(
                        chunk=chunk,
                        label=places.label(document, place),
                        url=self.addresses.of(document, place),
                        nearness=nearness(
                            cosine(vector, kept.get(chunk.id, ())),
                            asked or turn.question.text,
                            f"{chunk.title}\n{chunk.text}",
                        ),
                    )
                )
        return found

    async def used(self, turn: Turn, cited: Sequence[Cited]) -> None:
        rests = [one.chunk.source.removeprefix(documents.PREFIX) for one in cited]
        await spoken.note(self.ingest.db, turn.question.thread, turn.id, rests)

    async def hidden(self, turn: Turn) -> frozenset[TurnId]:
        thread = turn.question.thread
        rests = await spoken.of_thread(self.ingest.db, thread)
        rests.pop(turn.id, None)
        if not rests:
            return frozenset()
        may = await self._standing(turn, frozenset[str]().union(*rests.values()))
        hidden = frozenset(id for id, held in rests.items() if not held <= may)
        seen = (held for id, held in rests.items() if id not in hidden)
        await spoken.note(self.ingest.db, thread, turn.id, frozenset[str]().union(*seen))
        return hidden

    async def _standing(self, turn: Turn, ids: Collection[str]) -> set[str]:
        """Those of the documents that may be spoken of to this person in this place now."""
        scopes = {*await self.scopes(turn), f"{documents.THREAD}{turn.question.thread}"}
        sources = {source.id: source for source in await documents.sources(self.ingest.db)}
        async with asyncio.TaskGroup() as group:
            checks = {id: group.create_task(self._stands(id, scopes, sources)) for id in ids}
        return {id for id, check in checks.items() if check.result()}

    async def _stands(
        self, id: str, scopes: Collection[str], sources: Mapping[str, Source]
    ) -> bool:
        # Twice, for one that is found to be for others by now may still be for this person.
        for _ in range(2):
            document = await documents.read(self.ingest.db, id)
            if document is None or document.scope not in scopes:
                return False
            if await self.current(id, document.scope, sources) is not None:
                return True
        return False

    async def current(
        self, id: str, scope: str, sources: Mapping[str, Source] | None = None
    ) -> Document | None:
        """The document where those of this scope may still read it, as its source says now."""
        document = await documents.read(self.ingest.db, id)
        if document is None or document.scope != scope:
            return None
        if not document.source:
            return document
        if sources is None:
            sources = {one.id: one for one in await documents.sources(self.ingest.db)}
        source = sources.get(document.source)
        if source is None:
            return None
        if source.kind == "folder":
            return await self._in_folder(source, document)
        readers = await self.drive.readers(source, document.path) if self.drive else None
        if readers is None:
            return None
        return await self._for(document, readers)

    async def _in_folder(self, source: Source, document: Document) -> Document | None:
        root = Path(source.place)
        if not await asyncio.to_thread(root.is_dir):
            return None
        readers = await asyncio.to_thread(folder.readers_of, root, document.path, source.readers)
        return await self._for(document, readers or ())

    async def _for(self, document: Document, readers: Sequence[str]) -> Document | None:
        """The document where these are its readers as before; where nobody is, it is gone."""
        if not readers:
            await self.ingest.forget(document)
            return None
        if documents.scope_of(readers) != document.scope:
            scope = await documents.know_readers(self.ingest.db, readers)
            await self.ingest.move(document, scope)
            return None
        return document

    async def _take(self, turn: Turn, file: FileRef, surface: Surface, say: Say) -> list[str]:
        question = turn.question
        scope = f"{documents.THREAD}{question.thread}"
        path = f"{question.thread} {file.id}"
        before = await documents.at(self.ingest.db, "", path)
        if (
            before is not None
            and before.digest.startswith(f"{LAYOUT}:")
            and before.state != "reading"
        ):
            return [before.problem] if before.problem else []
        fresh = Document(id=secrets.token_hex(8), source="", path=path, name=file.name, scope=scope)
        await say(f"is reading {file.name}…")

        async def progress(name: str, what: str, done: int, total: int) -> None:
            await say(f"is reading {name}: {done}{f' of {total}' if total else ''} {what}…")

        billing = Billing(
            turn=turn.id,
            thread=question.thread,
            person=question.person.id,
            place=question.place.id,
            purpose="documents",
        )
        try:
            content = await surface.fetch(file, limit=FILE_BYTES, person=question.person.id)
            taken = await self.ingest.take(before or fresh, content, billing, progress)
        except (SourceFailed, NeedsAccount) as fault:
            return [str(fault)]
        except (ModelFailed, Unavailable) as fault:
            log.warning("documents.untaken", turn=turn.id, kind=type(fault).__name__)
            return [f"{file.name} could not be read to its end just now: {fault}"]
        return [taken.problem] if taken.problem else []


def nearness(cosine: float, asked: str, text: str) -> float:
    """How near a passage is to what was asked: by meaning, or by the words that it holds, since a
    number or a name has no meaning."""
    wanted = set(_WORD.findall(asked.casefold()))
    held = wanted & set(_WORD.findall(text.casefold()))
    return max(cosine, _BY_WORDS * len(held) / len(wanted)) if wanted else cosine


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """1.0 where there is nothing to compare: then words alone have found it."""
    if not one or len(one) != len(other):
        return 1.0
    length = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 1.0


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "-", name.casefold()).strip("-")
