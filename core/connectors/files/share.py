"""The effects behind sharing a file: by a link for the organisation, and by invitation."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, cast

from core.cards import CardField
from core.connectors import failures, people
from core.connectors.failures import GraphFailed, Wording
from core.connectors.files import drive
from core.connectors.office import Office, link, look, other_sender, sender
from core.connectors.outcome import Description, Done, Failed, Outcome
from core.connectors.request import Request, text
from core.errors import BadArguments
from core.parked import EffectKind, ParkedCall
from core.records import Json

_RIGHTS = {"read": "may read it", "edit": "may read and change it"}
_WORDING = Wording(
    asked="share the file",
    nothing="Nothing was shared.",
    look_at="Manage access of the file in OneDrive",
    needs=(drive.WRITE,),
)


async def _item(office: Office, call: ParkedCall) -> Json:
    """The file that is shared, as the card shows it. Raises BadArguments."""
    asked = Request(path=drive.by_id(text(call.arguments, "item_id")))
    found = await look(office, call.authority, asked, drive.READ)
    return {
        "sender": await sender(office, call.authority),
        "path": drive.where(found),
        "is_folder": "folder" in found,
        "link": link(found),
    }


def _fields(arguments: Json, facts: Json) -> list[CardField]:
    kind = "Folder, with all that is in it" if facts["is_folder"] else "File"
    return [
        CardField(label="OneDrive of", value=str(facts["sender"])),
        CardField(label=kind, value=str(facts["path"])),
        CardField(label="They", value=_RIGHTS[_right(arguments)]),
    ]


def _right(arguments: Json) -> str:
    return "edit" if arguments.get("right") == "edit" else "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLink:
    """An `Effect`, keyed: a file has one link of a kind."""

    office: Office
    tool: str = "office/share_file_link"

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "keyed"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return (drive.WRITE,)

    async def prepare(self, call: ParkedCall) -> Json:
        return await _item(self.office, call)

    def describe(self, arguments: Json, facts: Json) -> Description:
        who = CardField(label="For", value="everybody in the organisation who has the link")
        first, item, right = _fields(arguments, facts)
        return Description(title="Share a file by a link", fields=(first, item, who, right))

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        """Never a link for anyone: that is beyond the organisation, and nobody could be named."""
        if other := await other_sender(self.office, call.authority, text(call.facts, "sender")):
            return Failed(reason=f"{other} Nothing was shared.")
        kind = "edit" if _right(call.arguments) == "edit" else "view"
        request = Request(
            method="POST",
            path=f"{drive.by_id(text(call.arguments, 'item_id'))}/createLink",
            body={"type": kind, "scope": "organization"},
            id=call.id,
        )
        try:
            answer = await self.office.graph.ask(token, request)
        except GraphFailed as failure:
            return failures.outcome(failure, _WORDING)
        address = link(cast("Json", answer.body.get("link") or {}))
        return Done(
            summary=f"{call.facts['path']} is shared with the organisation.",
            link=address,
            request_id=answer.request_id,
            evidence={"path": call.facts["path"], "link": address},
        )

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        """Asking again gives the link that is there."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareWith:
    """An `Effect`, blind: the invitations are mails."""

    office: Office
    tool: str = "office/share_file_with"

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "blind"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return (drive.WRITE,)

    async def prepare(self, call: ParkedCall) -> Json:
        words = [str(one) for one in cast("list[Any]", call.arguments.get("people") or [])]
        if not words:
            raise BadArguments("nobody is to get this: name at least one person")
        facts = await _item(self.office, call)
        return {**facts, "people": await people.resolve(self.office, call.authority, words)}

    def describe(self, arguments: Json, facts: Json) -> Description:
        named = ", ".join(
            f"{one['name']} <{one['address']}>" if one["name"] else one["address"]
            for one in cast("Json", facts["people"]).values()
        )
        first, item, right = _fields(arguments, facts)
        fields = [first, item, CardField(label="With", value=named), right]
        if text(arguments, "message"):
            words = text(arguments, "message")
            fields.append(CardField(label="Message", value=words, is_long=True))
        notice = "Each of them gets a mail with the link."
        return Description(
            title="Share a file with people", fields=tuple(fields), notices=(notice,)
        )

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        if other := await other_sender(self.office, call.authority, text(call.facts, "sender")):
            return Failed(reason=f"{other} Nothing was shared.")
        everybody = [one["address"] for one in cast("Json", call.facts["people"]).values()]
        body: Json = {
            "requireSignIn": True,
            "sendInvitation": True,
            "roles": ["write" if _right(call.arguments) == "edit" else "read"],
            "recipients": [{"email": address} for address in everybody],
            "message": text(call.arguments, "message"),
        }
        path = f"{drive.by_id(text(call.arguments, 'item_id'))}/invite"
        request = Request(method="POST", path=path, body=body, id=call.id)
        try:
            answer = await self.office.graph.ask(token, request)
        except GraphFailed as failure:
            return failures.outcome(failure, _WORDING)
        return Done(
            summary=f"{call.facts['path']} is shared with {', '.join(everybody)}.",
            link=str(call.facts["link"]),
            request_id=answer.request_id,
            evidence={"path": call.facts["path"], "people": everybody},
        )

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        return None
