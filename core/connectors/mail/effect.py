"""The effects behind sending, answering and forwarding a mail."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from core.connectors import attachments, failures, people
from core.connectors.failures import GraphFailed, Wording
from core.connectors.mail import drafts, letter
from core.connectors.mail.drafts import PREFERENCES, Sending, Sent
from core.connectors.mail.letter import Mode
from core.connectors.office import Office, link, look, other_sender, sender
from core.connectors.outcome import Description, Done, Failed, Outcome
from core.connectors.request import Request, objects, text
from core.errors import BadArguments
from core.parked import EffectKind, ParkedCall
from core.records import Json

SEND, WRITE, READ = "Mail.Send", "Mail.ReadWrite", "Mail.Read"
_PATHS: dict[Mode, tuple[str, str]] = {
    "send": ("/me/messages", "/me/sendMail"),
    "reply": ("/me/messages/{id}/createReply", "/me/messages/{id}/reply"),
    "forward": ("/me/messages/{id}/createForward", "/me/messages/{id}/forward"),
}
"""Per mode: what makes a draft, what sends at once."""
_QUOTED = 20_000
"""Characters of a forwarded mail that a card can show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailEffect:
    """An `Effect`. Where the right to write drafts is granted it is checkable, else blind."""

    tool: str
    mode: Mode
    office: Office

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "checkable" if WRITE in granted else "blind"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return (WRITE, SEND) if kind == "checkable" else (SEND,)

    async def prepare(self, call: ParkedCall) -> Json:
        """See `Effect.prepare`: whose account, who is meant, what is quoted, what goes along."""
        given = call.arguments
        everybody = [word for kind in letter.KINDS for word in letter.words(given, kind)]
        if not everybody:
            raise BadArguments("nobody is to get this: name at least one recipient")
        facts: Json = {
            "sender": await sender(self.office, call.authority),
            "signature": self.office.signature,
            "people": await people.resolve(self.office, call.authority, everybody),
            "attachments": await attachments.gather(
                self.office, call, letter.words(given, "attachments")
            ),
        }
        if self.mode != "send":
            facts["original"] = await self._original(call)
        return facts

    def describe(self, arguments: Json, facts: Json) -> Description:
        return letter.describe(self.mode, arguments, facts)

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        """See `Effect.perform`."""
        if other := await other_sender(self.office, call.authority, text(call.facts, "sender")):
            return Failed(reason=f"{other} Nothing was sent.")
        try:
            known = objects(call.facts.get("attachments"))
            files = [(one, await attachments.load(self.office.db, one)) for one in known]
        except BadArguments as fault:
            return Failed(reason=f"{fault}. Nothing was sent.")
        if call.effect == "checkable":
            return await self._drafted(call, token, files)
        return await self._at_once(call, token, files)

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        """See `Effect.reconcile`. Where Sent Items are off, nothing can be found."""
        try:
            sent = await drafts.found(self._sending(call, token))
        except GraphFailed:
            return None
        return None if sent is None else self._done(call, sent)

    async def _drafted(
        self, call: ParkedCall, token: str, files: Sequence[tuple[Json, bytes]]
    ) -> Outcome:
        body = self._body(call, files, is_marked=True)
        made = body["message"] if self.mode == "send" else body
        came_to = await drafts.send(self._sending(call, token), self._path(call, 0), made)
        return self._done(call, came_to) if isinstance(came_to, Sent) else came_to

    async def _at_once(
        self, call: ParkedCall, token: str, files: Sequence[tuple[Json, bytes]]
    ) -> Outcome:
        body = self._body(call, files, is_marked=False)
        if self.mode == "send":
            body["saveToSentItems"] = True
        request = Request(
            method="POST",
            path=self._path(call, 1),
            body=body,
            headers=PREFERENCES,
            id=call.id,
        )
        try:
            answer = await self.office.graph.ask(token, request)
        except GraphFailed as failure:
            return failures.outcome(failure, _wording("blind"))
        return self._done(call, Sent(mail={}, request_id=answer.request_id))

    def _body(
        self, call: ParkedCall, files: Sequence[tuple[Json, bytes]], *, is_marked: bool
    ) -> Json:
        message = letter.message(self.mode, call.arguments, call.facts, files)
        if is_marked:
            message = drafts.marked(call, message)
        if self.mode == "forward":
            return {"message": message, "comment": letter.written(call.arguments, call.facts)}
        return {"message": message}

    def _path(self, call: ParkedCall, way: int) -> str:
        id = quote(text(call.arguments, "message_id"), safe="")
        return _PATHS[self.mode][way].replace("{id}", id)

    def _sending(self, call: ParkedCall, token: str) -> Sending:
        return Sending(
            office=self.office,
            call=call,
            mode=self.mode,
            token=token,
            wording=_wording("checkable"),
        )

    def _done(self, call: ParkedCall, sent: Sent) -> Done:
        """Without the mail itself Outlook has taken it, and that is all that is known."""
        everybody = [
            one["address"]
            for kind in letter.KINDS
            for one in letter.recipients(call.arguments, call.facts, kind)
        ]
        more = f" and {len(everybody) - 1} more" if len(everybody) > 1 else ""
        verb = "Sent" if sent.mail else "Handed to Outlook to send"
        return Done(
            summary=f"{verb} to {everybody[0]}{more}.",
            link=link(sent.mail, "webLink"),
            request_id=sent.request_id,
            evidence={
                "recipients": everybody,
                "subject": letter.subject(self.mode, call.arguments, call.facts),
                "verified": bool(sent.mail),
            },
        )

    async def _original(self, call: ParkedCall) -> Json:
        """The mail that is answered or forwarded, as the card shows it."""
        path = f"/me/messages/{quote(text(call.arguments, 'message_id'), safe='')}"
        query = {"$expand": "attachments($select=name)"} if self.mode == "forward" else {}
        asked = Request(path=path, query=query, headers=PREFERENCES)
        found = await look(self.office, call.authority, asked, READ)
        known: Json = {
            "subject": text(found, "subject"),
            "from": text(found, "from", "emailAddress", "address"),
            "sent": text(found, "sentDateTime"),
        }
        if self.mode == "forward":
            body = text(found, "body", "content")
            if len(body) > _QUOTED:
                raise BadArguments("the mail is too long to be shown and forwarded from here")
            names = [text(one, "name") for one in objects(found.get("attachments"))]
            known |= {"text": body, "attachments": names}
        return known


def _wording(kind: EffectKind) -> Wording:
    needs = (WRITE, SEND) if kind == "checkable" else (SEND,)
    return Wording(asked="send this mail", look_at="your Sent Items", needs=needs)
