"""Reads the thread in which a question stands, and names whom the question names."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from adapters.slack import fields, names, said
from adapters.slack.api import SlackApi
from adapters.slack.looking import Looking
from adapters.slack.names import Names
from adapters.slack.posted import posted
from core.errors import DeliveryFailed
from core.records import Address, Json, Question
from core.said import Attached, Heard, Said

log = logging.getLogger(__name__)
PAGE = 100
"""Messages of one call."""
PAGES = 20
NEWEST = 200
"""Messages that are kept beside the root: more than any model is shown."""
FILES = 10
"""The newest files of the thread: older ones were read when somebody asked about them."""
SPOKEN = frozenset({"", "bot_message", "file_share", "me_message", "thread_broadcast"})


class Thread:
    """`core.ports.Listener` on Slack."""

    def __init__(self, api: SlackApi, names: Names, looks: Looking) -> None:
        self._api = api
        self._looks = looks
        self._names = names

    async def heard(self, question: Question) -> Heard:
        """See `Listener.heard`."""
        address = question.address
        found: list[Json] = []
        if address.get("thread_ts", "") != address.get("message_ts", ""):
            found = await self._before(address)
        own = fields.text(self._api.own, "user_id")
        asker = address.get("user", "")
        heard = [_said(message, own, asker) for message in [*found[:1], *found[1:][-NEWEST:]]]
        seen = self._looks.at(asker) if address.get("is_dm") == "true" else ""
        known = await self._names.of(
            [question.text, f"#{seen}", *(one.text for one in heard)],
            [one.id for one in heard if one.role in ("asker", "person") and not one.name],
        )
        return Heard(
            text=names.put_in(question.text, known),
            said=tuple(_named(one, known) for one in heard),
            left_out=max(0, len(found) - 1 - NEWEST),
            files=_attached(found, own, question.place.tenant),
            named=_mentioned(question.text, known) | _beside(seen, known),
        )

    async def _before(self, address: Address) -> list[Json]:
        """The messages of the thread before the question, oldest first; as far as they could be
        read."""
        newest = float(address["message_ts"])
        asked: Json = {"channel": address["channel"], "ts": address["thread_ts"], "limit": PAGE}
        found: list[Json] = []
        for _ in range(PAGES):
            try:
                answer = await self._api.read("conversations.replies", asked)
            except DeliveryFailed as error:
                log.info("slack.no_thread", extra={"fields": {"reason": error.reason}})
                break
            page = fields.children(answer, "messages")
            found += [message for message in page if _is_spoken(message, newest)]
            cursor = fields.text(fields.child(answer, "response_metadata"), "next_cursor")
            if not cursor:
                break
            asked["cursor"] = cursor
        return found


def _is_spoken(message: Json, before: float) -> bool:
    """Whether somebody said this, before the question."""
    try:
        at = float(fields.text(message, "ts"))
    except ValueError:
        return False
    return at < before and fields.text(message, "subtype") in SPOKEN


def _said(message: Json, own: str, asker: str) -> Said:
    user = fields.text(message, "user")
    profile = fields.child(message, "bot_profile")
    name = ""
    if user and user == own:
        role, name = "us", "Countersign"
    elif message.get("bot_id") or profile:
        role = "bot"
        name = fields.text(profile, "name") or fields.text(message, "username") or "a bot"
    else:
        role = "asker" if user and user == asker else "person"
    at = float(fields.text(message, "ts"))
    return Said(role=role, name=name, text=said.words(message), at=at, id=user)


def _attached(found: Sequence[Json], own: str, team: str) -> tuple[Attached, ...]:
    """What people posted; what the bot made stands in its evidence."""
    files = [
        file
        for message in found
        if not own or fields.text(message, "user") != own
        for file in posted(message, team)
    ]
    return tuple(
        Attached(id=file.id, name=file.name, media_type=file.media_type, size=file.size)
        for file in files[-FILES:]
    )


def _named(one: Said, known: dict[str, str]) -> Said:
    name = one.name or known.get(one.id, "").removeprefix("@")
    return replace(one, name=name, text=names.put_in(one.text, known))


def _mentioned(text: str, known: dict[str, str]) -> dict[str, str]:
    ids: Sequence[str] = [match[1] or match[2] for match in names.ID.finditer(text)]
    return {known[id]: id for id in ids if id in known}


def _beside(seen: str, known: dict[str, str]) -> dict[str, str]:
    return {f"the channel that is open beside this, {known[seen]},": seen} if seen in known else {}
