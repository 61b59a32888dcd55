"""A mail as the card shows it, and as Graph is told of it: the same values, twice."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

from core.cards import CardField
from core.connectors import attachments
from core.connectors.outcome import Description
from core.connectors.request import objects, part, text
from core.records import Json

Mode = Literal["send", "reply", "forward"]
TITLES: dict[Mode, str] = {
    "send": "Send a mail",
    "reply": "Answer a mail",
    "forward": "Forward a mail",
}
KINDS = ("to", "cc", "bcc")
PROPERTY = "String {5b7d0c1e-3f86-4c62-9a41-8d0e6f2b7a95} Name CountersignCall"
"""The extended property that carries the id of the call; readers of the mail do not get it."""


def describe(mode: Mode, arguments: Json, facts: Json) -> Description:
    """All that will be in the mail, whoever adds it."""
    original = cast("Json", facts.get("original") or {})
    who = str(facts.get("sender") or "") or "the Microsoft account that is connected then"
    fields = [CardField(label="From", value=who)]
    fields += [
        CardField(label=kind.capitalize(), value=", ".join(map(_named, people)))
        for kind in KINDS
        if (people := recipients(arguments, facts, kind))
    ]
    fields.append(CardField(label="Subject", value=subject(mode, arguments, facts)))
    fields.append(CardField(label="Text", value=text(arguments, "body"), is_long=True))
    if facts.get("signature"):
        fields.append(CardField(label="Signature", value=str(facts["signature"])))
    if attached := objects(facts.get("attachments")):
        named = "\n".join(attachments.in_words(one) for one in attached)
        fields.append(CardField(label="Attachments", value=named))
    if mode == "reply":
        fields.append(CardField(label="Answers", value=_origin(original)))
    if mode == "forward":
        fields.append(CardField(label="Forwards", value=_origin(original)))
        fields.append(CardField(label="Its text", value=text(original, "text"), is_long=True))
        if names := cast("list[str]", original.get("attachments") or []):
            fields.append(CardField(label="Its attachments", value="\n".join(names)))
    return Description(title=TITLES[mode], fields=tuple(fields))


def recipients(arguments: Json, facts: Json, kind: str) -> list[Json]:
    """`{name, address}` of each, in the order given."""
    people = cast("Json", facts.get("people") or {})
    return [people.get(word) or {"name": "", "address": word} for word in words(arguments, kind)]


def words(arguments: Json, kind: str) -> list[str]:
    listed = cast("list[Any]", arguments.get(kind) or [])
    return [str(one).strip() for one in listed]


def subject(mode: Mode, arguments: Json, facts: Json) -> str:
    """Of an answer, Outlook's own: the original's with a mark before it."""
    if mode == "send":
        return text(arguments, "subject")
    mark = "RE: " if mode == "reply" else "FW: "
    known = text(facts, "original", "subject")
    return known if known.upper().startswith(mark) else f"{mark}{known}"


def written(arguments: Json, facts: Json) -> str:
    """The text with the signature below."""
    signature = str(facts.get("signature") or "")
    body = text(arguments, "body").rstrip()
    return f"{body}\n\n{signature}" if signature else body


def message(mode: Mode, arguments: Json, facts: Json, files: Sequence[tuple[Json, bytes]]) -> Json:
    """The message resource. It is plain text: nothing in it can be live that the card showed as
    dead."""
    made: Json = {"subject": subject(mode, arguments, facts)}
    if mode != "forward":
        made["body"] = {"contentType": "text", "content": written(arguments, facts)}
    for kind in KINDS:
        people = recipients(arguments, facts, kind)
        made[f"{kind}Recipients"] = [{"emailAddress": _address(one)} for one in people]
    if files:
        made["attachments"] = [_attachment(known, content) for known, content in files]
    return made


def differences(draft: Json, mode: Mode, arguments: Json, facts: Json) -> list[str]:
    """In what a draft is not what the card showed; it lay in Drafts, where its owner may write.

    `draft` is read with its body as text and its attachments expanded.
    """
    found: list[str] = []
    if _squeezed(text(draft, "subject")) != _squeezed(subject(mode, arguments, facts)):
        found.append("the subject")
    ours, theirs = _squeezed(written(arguments, facts)), _squeezed(text(draft, "body", "content"))
    # A forwarded mail stands below our own words.
    if not (theirs.startswith(ours) if mode == "forward" else theirs == ours):
        found.append("the text")
    for kind in KINDS:
        people = {one["address"].casefold() for one in recipients(arguments, facts, kind)}
        if people != set(_addresses(draft.get(f"{kind}Recipients"))):
            found.append(kind.capitalize())
    if _attached(mode, facts) != _fingerprints(draft, mode):
        found.append("the attachments")
    return found


def _attached(mode: Mode, facts: Json) -> set[tuple[str, str]]:
    ours = {(one["name"], str(one["sha256"])) for one in objects(facts.get("attachments"))}
    if mode == "forward":
        names = cast("list[str]", part(facts, "original", "attachments") or [])
        return {(name, "") for name in (*names, *(name for name, _ in ours))}
    return ours


def _fingerprints(draft: Json, mode: Mode) -> set[tuple[str, str]]:
    return {
        (text(one, "name"), "" if mode == "forward" else _sha256(text(one, "contentBytes")))
        for one in objects(draft.get("attachments"))
    }


def _sha256(encoded: str) -> str:
    try:
        return hashlib.sha256(base64.b64decode(encoded, validate=True)).hexdigest()
    except ValueError:
        return "unreadable"


def _addresses(given: Any) -> Iterable[str]:
    return (text(one, "emailAddress", "address").casefold() for one in objects(given))


def _squeezed(words: str) -> str:
    return " ".join(words.split())


def _address(person: Json) -> Json:
    named = {"name": person["name"]} if person["name"] else {}
    return {"address": person["address"], **named}


def _named(person: Json) -> str:
    return f"{person['name']} <{person['address']}>" if person["name"] else person["address"]


def _origin(original: Json) -> str:
    return f"“{text(original, 'subject')}” from {text(original, 'from')}, {text(original, 'sent')}"


def _attachment(known: Json, content: bytes) -> Json:
    return {
        "@odata.type": "#microsoft.graph.fileAttachment",
        "name": known["name"],
        "contentType": known["media_type"],
        "contentBytes": base64.b64encode(content).decode(),
    }
