"""The effect behind writing a file of the thread into somebody's OneDrive."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

from core.cards import CardField
from core.connectors import attachments, failures
from core.connectors.failures import GraphFailed, Wording
from core.connectors.files import drive
from core.connectors.office import Office, link, look, other_sender, sender
from core.connectors.outcome import Description, Done, Failed, Outcome
from core.connectors.request import Request, text
from core.errors import BadArguments
from core.parked import EffectKind, ParkedCall
from core.records import Json

_WORDING = Wording(
    asked="write the file",
    nothing="Nothing was written.",
    look_at="the folder in OneDrive",
    needs=(drive.WRITE,),
)
_BEHAVIOUR = "@microsoft.graph.conflictBehavior"


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadFile:
    """An `Effect`, keyed: the same bytes under the same path are the same file."""

    office: Office
    tool: str = "office/upload_file"

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "keyed"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return (drive.WRITE,)

    async def prepare(self, call: ParkedCall) -> Json:
        facts: Json = {
            "sender": await sender(self.office, call.authority),
            "path": drive.checked(text(call.arguments, "path")),
        }
        wanted = text(call.arguments, "file")
        if wanted.startswith(attachments.ONEDRIVE):
            raise BadArguments("that file is in OneDrive already")
        facts["file"] = (await attachments.gather(self.office, call, [wanted]))[0]
        if call.arguments.get("replace"):
            facts["replaces"] = await self._replaced(call, facts["path"])
        return facts

    def describe(self, arguments: Json, facts: Json) -> Description:
        whose = str(facts.get("sender") or "") or "the Microsoft account that is connected then"
        fields = [
            CardField(label="OneDrive of", value=whose),
            CardField(label="Path", value=f"/{facts['path']}"),
            CardField(label="File", value=attachments.in_words(facts["file"])),
        ]
        if replaced := facts.get("replaces"):
            old = f"{replaced['size']:,} bytes, changed {replaced['changed']}"
            fields.append(CardField(label="Replaces", value=f"the file that is there ({old})"))
        return Description(title="Write a file to OneDrive", fields=tuple(fields))

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        """A file that the card did not speak of is never written over."""
        if other := await other_sender(self.office, call.authority, text(call.facts, "sender")):
            return Failed(reason=f"{other} Nothing was written.")
        try:
            content = await attachments.load(self.office.db, call.facts["file"])
        except BadArguments as fault:
            return Failed(reason=f"{fault}. Nothing was written.")
        try:
            answer = await self.office.graph.ask(token, self._request(call, content))
        except GraphFailed as failure:
            if failure.status in (409, 412):
                same = await self.reconcile(call, token)
                return same or failures.outcome(failure, _WORDING)
            return failures.outcome(failure, _WORDING)
        return self._done(call, answer.body, answer.request_id)

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        """What lies under the path, compared by its bytes."""
        known = call.facts["file"]
        try:
            asked = Request(path=drive.by_path(call.facts["path"]))
            found = await self.office.graph.ask(token, asked)
            if found.body.get("size") != known["size"]:
                return None
            id = text(found.body, "id")
            content = await drive.content(self.office.graph, token, id, known["size"])
        except GraphFailed:
            return None
        if hashlib.sha256(content).hexdigest() != known["sha256"]:
            return None
        return self._done(call, found.body, found.request_id)

    def _request(self, call: ParkedCall, content: bytes) -> Request:
        replaced = call.facts.get("replaces")
        return Request(
            method="PUT",
            path=f"{drive.by_path(call.facts['path'])}/content",
            query={_BEHAVIOUR: "replace" if replaced else "fail"},
            headers={"If-Match": replaced["etag"]} if replaced else {},
            content=content,
            id=call.id,
        )

    def _done(self, call: ParkedCall, item: Json, request_id: str) -> Done:
        return Done(
            summary=f"/{call.facts['path']} is in OneDrive.",
            link=link(item),
            request_id=request_id,
            evidence={"item_id": text(item, "id"), "path": call.facts["path"]},
        )

    async def _replaced(self, call: ParkedCall, path: str) -> Json:
        """The file that is to be written over, as the card shows it."""
        asked = Request(path=drive.by_path(path))
        found = await look(self.office, call.authority, asked, drive.READ)
        return {
            "etag": text(found, "eTag"),
            "size": int(found.get("size") or 0),
            "changed": text(found, "lastModifiedDateTime"),
        }
