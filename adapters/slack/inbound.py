"""Decides what a Slack event means: a question for the core, or something to be left alone."""

import re
from dataclasses import dataclass, replace

from adapters.slack import fields, identity, mentions, said
from adapters.slack.posted import posted
from core.records import Json, Place, Question, ThreadId

SPOKEN_SUBTYPES = frozenset({"", "file_share", "thread_broadcast"})
"""Everything else tells about joins, edits, deletions, topics and the like."""
OLDEST_EDITED = 86_400.0
"""Seconds. Who edits what is older tidies up, or a program does."""
_TIMESTAMP = re.compile(r"[0-9]{1,12}\.[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """`reason` is a word for the log; it never quotes the message."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A message that now reads like `question`. `was_asked`: it was addressed to the bot before."""

    question: Question
    was_asked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """Somebody of another organisation asked this."""

    question: Question


def question(
    envelope: Json, own: frozenset[str] = frozenset(), bots: frozenset[str] = frozenset()
) -> Question | Outside | Ignored:
    """Read an `event_callback`. `own` are ids of the bot beyond those that the envelope names,
    `bots` those of other bots that may ask: of a bot, an app or its user.

    The delivery key is that of the message, so that `app_mention` and `message` for one message
    are one delivery.
    """
    event = fields.child(envelope, "event")
    ours = identity.own_ids(envelope) | own
    is_bot = is_allowed_bot(event, bots)
    reason = _not_spoken(event, is_bot=is_bot) or _not_a_person(envelope, event, ours)
    if reason and not (is_bot and reason == "bot"):
        return Ignored(reason=reason)
    team, channel = identity.team(envelope), fields.text(event, "channel")
    sender, stamp = fields.text(event, "user"), fields.text(event, "ts")
    if is_bot:
        sender = sender or fields.text(event, "bot_id")
    root = fields.text(event, "thread_ts") or stamp
    if not all(map(identity.is_id, (team, channel, sender))) or not _are_stamps(stamp, root):
        return Ignored(reason="incomplete")
    is_shared = envelope.get("is_ext_shared_channel") is True
    kind = fields.text(event, "channel_type")
    place = identity.place(team, channel, kind, is_shared=is_shared)
    if place.kind != "dm" and not mentions.is_addressed(event, ours):
        return Ignored(reason="not_addressed")
    asked = Question(
        delivery=f"slack:{team}/{channel}/{stamp}",
        thread=ThreadId(f"slack:{team}/{channel}/{root}"),
        place=place,
        person=identity.person(team, sender),
        text=mentions.words(fields.text(event, "text"), ours),
        files=posted(event, team),
        forwarded=said.forwarded(event),
        address=_address(place, root, stamp, sender),
        said_at=float(stamp),
    )
    return Outside(question=asked) if identity.is_outsider(envelope) else asked


def is_allowed_bot(event: Json, bots: frozenset[str]) -> bool:
    """Whether a bot wrote this, and one that may ask."""
    is_bot = bool(event.get("bot_id") or event.get("bot_profile") or event.get("app_id"))
    ids = (fields.text(event, key) for key in ("bot_id", "app_id", "user"))
    return is_bot and any(id in bots for id in ids)


def edited(envelope: Json, own: frozenset[str] = frozenset()) -> Edited | Ignored | None:
    """What a person changed about their own words; None where the event tells of no edit.

    A link that got its preview, a thread that got a reply and a card that was redrawn are changes
    as well: none of them has other words, or says that the person edited.
    """
    event = fields.child(envelope, "event")
    now, before = fields.child(event, "message"), fields.child(event, "previous_message")
    if fields.text(event, "subtype") != "message_changed" or now.get("subtype") == "tombstone":
        return None
    at, by = (fields.text(fields.child(now, "edited"), key) for key in ("ts", "user"))
    if not _are_stamps(at) or by != fields.text(now, "user"):
        return Ignored(reason="not_edited")
    if float(at) - _seconds(fields.text(now, "ts")) > OLDEST_EDITED:
        return Ignored(reason="old_edit")
    around = {key: event[key] for key in ("channel", "channel_type") if key in event}
    asked = question({**envelope, "event": {**now, **around, "type": "message"}}, own)
    if isinstance(asked, Outside):
        return Ignored(reason="outsider")
    if isinstance(asked, Ignored):
        return asked
    ours = identity.own_ids(envelope) | own
    old = mentions.words(fields.text(before, "text"), ours)
    was_asked = asked.place.kind == "dm" or mentions.is_addressed(before, ours)
    was = (old, posted(before, asked.place.tenant))
    if before and was_asked and was == (asked.text, asked.files):
        return Ignored(reason="same_words")
    return Edited(question=replace(asked, said_at=float(at)), was_asked=was_asked)


def deleted(envelope: Json) -> str:
    """The delivery key of the message that this event tells is gone; empty where it tells of
    none. A message that has replies leaves a tombstone in its place."""
    event = fields.child(envelope, "event")
    team, channel = identity.team(envelope), fields.text(event, "channel")
    match fields.text(event, "type"), fields.text(event, "subtype"):
        case "message", "message_deleted":
            stamp = fields.text(event, "deleted_ts")
        case "message", "message_changed":
            now = fields.child(event, "message")
            stamp = fields.text(now, "ts") if now.get("subtype") == "tombstone" else ""
        case _:
            return ""
    is_whole = all(map(identity.is_id, (team, channel))) and _are_stamps(stamp)
    return f"slack:{team}/{channel}/{stamp}" if is_whole else ""


def _not_spoken(event: Json, *, is_bot: bool) -> str:
    if fields.text(event, "type") not in {"message", "app_mention"}:
        return "other_kind"
    subtype = event.get("subtype") or ""
    spoken = SPOKEN_SUBTYPES | {"bot_message"} if is_bot else SPOKEN_SUBTYPES
    if not isinstance(subtype, str) or subtype not in spoken:
        return "subtype"
    return "hidden" if event.get("hidden") else ""


def _not_a_person(envelope: Json, event: Json, ours: frozenset[str]) -> str:
    sender, app = fields.text(event, "user"), fields.text(event, "app_id")
    if sender in ours or (app and app == fields.text(envelope, "api_app_id")):
        return "own"
    if event.get("bot_id") or event.get("bot_profile") or app:
        return "bot"
    return "slackbot" if sender == "USLACKBOT" else ""


def _are_stamps(*stamps: str) -> bool:
    return all(_TIMESTAMP.fullmatch(stamp) for stamp in stamps)


def _seconds(stamp: str) -> float:
    return float(stamp) if _are_stamps(stamp) else 0.0


def _address(place: Place, root: str, stamp: str, sender: str) -> dict[str, str]:
    return {
        "team": place.tenant,
        "channel": place.channel,
        "thread_ts": root,
        "message_ts": stamp,
        "user": sender,
        "is_dm": "true" if place.kind == "dm" else "false",
    }
