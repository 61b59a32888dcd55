"""The effects behind creating, changing and cancelling an event."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from core.connectors import failures, people
from core.connectors.calendar import event, times
from core.connectors.failures import GraphFailed, Wording
from core.connectors.office import Office, link, look, other_sender, sender
from core.connectors.outcome import Description, Done, Failed, Outcome
from core.connectors.request import Request, objects, text
from core.errors import BadArguments
from core.parked import EffectKind, ParkedCall
from core.records import Json

WRITE, READ = "Calendars.ReadWrite", "Calendars.Read"


def _wording(verb: str) -> Wording:
    return Wording(
        asked=f"{verb} the event",
        nothing="Nothing was changed.",
        look_at="your calendar",
        needs=(WRITE,),
    )


async def _settings(office: Office, call: ParkedCall) -> Json:
    """Whose calendar, in whose time, and who is invited."""
    words = [str(one) for one in cast("list[Any]", call.arguments.get("attendees") or [])]
    return {
        "sender": await sender(office, call.authority),
        "zone": await office.zone(call.requester),
        "people": await people.resolve(office, call.authority, words),
    }


async def _event(office: Office, call: ParkedCall, zone: str) -> Json:
    """The event that is there. Raises BadArguments."""
    asked = Request(path=_path(call), headers=event.PREFERENCES)
    return event.known(await look(office, call.authority, asked, READ), zone)


def _path(call: ParkedCall) -> str:
    return f"/me/events/{quote(text(call.arguments, 'event_id'), safe='')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateEvent:
    """An `Effect`, keyed: a calendar takes one event per `transactionId`."""

    office: Office
    tool: str = "office/create_event"

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "keyed"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return (WRITE,)

    async def prepare(self, call: ParkedCall) -> Json:
        facts = await _settings(self.office, call)
        times.span(text(call.arguments, "start"), text(call.arguments, "end"), facts["zone"])
        return facts

    def describe(self, arguments: Json, facts: Json) -> Description:
        return event.describe_new(arguments, facts)

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        """Invitations go out with the event, so that nothing is added to it afterwards."""
        if other := await other_sender(self.office, call.authority, text(call.facts, "sender")):
            return Failed(reason=f"{other} Nothing was changed.")
        body = {
            **event.made(call.arguments, call.facts),
            "transactionId": event.transaction(call.id),
            "singleValueExtendedProperties": [{"id": event.PROPERTY, "value": call.id}],
        }
        request = Request(
            method="POST", path="/me/events", body=body, headers=event.PREFERENCES, id=call.id
        )
        try:
            answer = await self.office.graph.ask(token, request)
        except GraphFailed as failure:
            if failure.status == 409:
                return await self.reconcile(call, token) or _refused(failure, "create")
            return _refused(failure, "create")
        return self._done(call, answer.body, answer.request_id)

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        """How long a calendar remembers a `transactionId` is not documented: look first."""
        condition = (
            f"singleValueExtendedProperties/Any(ep: ep/id eq '{event.PROPERTY}' and ep/value eq "
            f"'{call.id}')"
        )
        query = {"$filter": condition, "$select": "id,subject,webLink"}
        try:
            answer = await self.office.graph.ask(
                token, Request(path="/me/events", query=query, headers=event.PREFERENCES)
            )
        except GraphFailed:
            return None
        found = objects(answer.body.get("value"))
        return self._done(call, found[0], answer.request_id) if found else None

    def _done(self, call: ParkedCall, made: Json, request_id: str) -> Done:
        when = event.describe_new(call.arguments, call.facts).fields[2].value
        return Done(
            summary=f"“{text(call.arguments, 'subject')}” stands in the calendar: {when}.",
            link=link(made, "webLink"),
            request_id=request_id,
            evidence={"event_id": text(made, "id"), "when": when},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateEvent:
    """An `Effect`, keyed: it changes the event that the card showed, in that state alone."""

    office: Office
    tool: str = "office/update_event"

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "keyed"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return (WRITE,)

    async def prepare(self, call: ParkedCall) -> Json:
        facts = await _settings(self.office, call)
        facts["event"] = known = await _event(self.office, call, facts["zone"])
        if not known["is_own"]:
            raise BadArguments("somebody else organises this event: only they can change it")
        if known["is_online"] and call.arguments.get("body") is not None:
            # The address of the meeting stands in the text that is there.
            raise BadArguments("the text of an online meeting cannot be replaced from here")
        if not event.made(call.arguments, facts):
            raise BadArguments("nothing is to be different: say what should change")
        start = text(call.arguments, "start") or known["start"]
        times.span(start, text(call.arguments, "end") or known["end"], facts["zone"])
        return facts

    def describe(self, arguments: Json, facts: Json) -> Description:
        return event.describe_change(arguments, facts)

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        if other := await other_sender(self.office, call.authority, text(call.facts, "sender")):
            return Failed(reason=f"{other} Nothing was changed.")
        request = Request(
            method="PATCH",
            path=_path(call),
            body=event.made(call.arguments, call.facts),
            headers={**event.PREFERENCES, "If-Match": call.facts["event"]["etag"]},
            id=call.id,
        )
        try:
            answer = await self.office.graph.ask(token, request)
        except GraphFailed as failure:
            return _refused(failure, "change")
        return self._done(call, answer.body, answer.request_id)

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        try:
            answer = await self.office.graph.ask(
                token, Request(path=_path(call), headers=event.PREFERENCES)
            )
        except GraphFailed:
            return None
        wanted = event.made(call.arguments, call.facts)
        if not event.is_as_wanted(answer.body, wanted):
            return None
        return self._done(call, answer.body, answer.request_id)

    def _done(self, call: ParkedCall, changed: Json, request_id: str) -> Done:
        return Done(
            summary=f"“{text(changed, 'subject')}” is changed in the calendar.",
            link=link(changed, "webLink"),
            request_id=request_id,
            evidence={"event_id": text(call.arguments, "event_id")},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelEvent:
    """An `Effect`, keyed: an event that is gone is as gone as it was to be."""

    office: Office
    tool: str = "office/cancel_event"

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "keyed"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return (WRITE,)

    async def prepare(self, call: ParkedCall) -> Json:
        zone = await self.office.zone(call.requester)
        known = await _event(self.office, call, zone)
        if not known["is_own"]:
            raise BadArguments("somebody else organises this event: only they can cancel it")
        address = await sender(self.office, call.authority)
        return {"sender": address, "zone": zone, "event": known}

    def describe(self, arguments: Json, facts: Json) -> Description:
        return event.describe_cancel(arguments, facts)

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        """Only the event in the state that was shown: its guests are told."""
        if other := await other_sender(self.office, call.authority, text(call.facts, "sender")):
            return Failed(reason=f"{other} Nothing was changed.")
        try:
            seen = await self.office.graph.ask(
                token, Request(path=_path(call), headers=event.PREFERENCES)
            )
            if text(seen.body, "@odata.etag") != call.facts["event"]["etag"]:
                raise GraphFailed(412, request_id=seen.request_id)
            answer = await self.office.graph.ask(token, self._request(call))
        except GraphFailed as failure:
            if failure.status == 404:
                return self._done(call, failure.request_id)
            return _refused(failure, "cancel")
        return self._done(call, answer.request_id)

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        try:
            await self.office.graph.ask(token, Request(path=_path(call), headers=event.PREFERENCES))
        except GraphFailed as failure:
            return self._done(call, failure.request_id) if failure.status == 404 else None
        return None

    def _request(self, call: ParkedCall) -> Request:
        return Request(
            method="POST",
            path=f"{_path(call)}/cancel",
            body={"comment": text(call.arguments, "comment")},
            headers=event.PREFERENCES,
            id=call.id,
        )

    def _done(self, call: ParkedCall, request_id: str) -> Done:
        known = call.facts["event"]
        return Done(
            summary=f"“{known['subject']}” is off and out of the calendar.",
            request_id=request_id,
            evidence={"subject": known["subject"], "when": known["when"]},
        )


def _refused(failure: GraphFailed, verb: str) -> Outcome:
    return failures.outcome(failure, _wording(verb))
