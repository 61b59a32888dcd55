"""Knows what Slack says of people: their name, their time zone, and whether they belong here."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass

from adapters.people import introduced
from adapters.slack import fields
from adapters.slack.api import SlackApi
from core.errors import DeliveryFailed
from core.ports import Clock
from core.records import Json, Person

log = logging.getLogger(__name__)
KEPT_SECONDS = 86_400.0
MOST = 5_000
_LONGEST_NAME = 80
_OUTSIDE = ("deleted", "is_bot", "is_restricted", "is_stranger", "is_ultra_restricted")
"""Somebody who left, a bot, a guest of a few channels, somebody of another organisation, a guest
of one channel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    name: str
    time_zone: str
    locale: str
    is_outsider: bool


class Profiles:
    """Kept in memory for a day. What is older still counts where Slack does not answer."""

    def __init__(self, api: SlackApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._known: dict[str, tuple[float, Profile]] = {}
        self._asking: dict[str, asyncio.Event] = {}
        """Of whom Slack is being asked; set when it has answered."""

    async def of(self, user: str) -> Profile | None:
        """None where Slack does not say."""
        try:
            return await self.read(user)
        except DeliveryFailed:
            return None

    async def read(self, user: str) -> Profile:
        """Raises `DeliveryFailed` where nothing is known and Slack does not say.

        A mention comes as two events, and a busy person in several at once: Slack is asked once.
        """
        while (asking := self._asking.get(user)) is not None:
            await asking.wait()
        now = self._clock()
        read_at, known = self._known.get(user, (0.0, None))
        if known is not None and now - read_at < KEPT_SECONDS:
            return known
        self._asking[user] = asyncio.Event()
        try:
            return await self._asked(user, known, now)
        finally:
            self._asking.pop(user).set()

    async def _asked(self, user: str, known: Profile | None, now: float) -> Profile:
        try:
            answer = await self._api.read("users.info", {"user": user, "include_locale": True})
        except DeliveryFailed as error:
            log.info("slack.no_profile", extra={"fields": {"reason": error.reason}})
            if known is None:
                raise
            return known
        found = _profile(fields.child(answer, "user"))
        self._known.pop(user, None)
        self._known[user] = (now, found)
        _forget(self._known, list(self._known)[: max(0, len(self._known) - MOST)])
        return found

    async def fill(self, person: Person) -> Person:
        """The person with what is known; as they were where Slack does not say."""
        known = await self.of(person.id.rpartition("/")[2])
        if known is None:
            return person
        return introduced(person, name=known.name, time_zone=known.time_zone, locale=known.locale)


def _profile(user: Json) -> Profile:
    name = fields.text(fields.child(user, "profile"), "real_name") or fields.text(user, "real_name")
    flat = " ".join(name.split())
    return Profile(
        name="".join(char for char in flat if char.isprintable())[:_LONGEST_NAME],
        time_zone=fields.text(user, "tz"),
        locale=fields.text(user, "locale"),
        is_outsider=any(user.get(mark) is True for mark in _OUTSIDE),
    )


def _forget(known: dict[str, tuple[float, Profile]], users: Iterable[str]) -> None:
    for user in users:
        del known[user]
