"""Keeps the lists of what waits, which people have asked for, right while calls move elsewhere."""

import asyncio
import json
import logging
from collections import OrderedDict
from dataclasses import dataclass, replace

from adapters.slack.api import SlackApi
from adapters.slack.render import waiting
from core.cards import CallId
from core.errors import CountersignError
from core.ports import Clock, Desk
from core.records import Json, PersonId

log = logging.getLogger(__name__)
SECONDS = 1_800.0
ANSWERS = 4
"""An address for answers takes five within half an hour of the click or the command; the last one
is left to the person's own next click."""
MOST = 1_000
"""Lists that are open at once; the oldest are not kept right any more."""
LAST = "Slack lets me change this list no more: write /approvals for a new one."
PATIENCE = 5.0
"""Seconds for all lists that one call stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    person: PersonId
    hook: str
    shown: str
    """As it was drawn last, as JSON."""
    first: int
    said: str
    opened_at: float
    left: int = ANSWERS


class Lists:
    """Remembers the newest list of each person in each place, for as long as it can be changed."""

    def __init__(self, desk: Desk, api: SlackApi, clock: Clock) -> None:
        self._desk = desk
        self._api = api
        self._clock = clock
        self._open: OrderedDict[tuple[PersonId, str], _Open] = OrderedDict()

    async def drawn(
        self, person: PersonId, place: str, hook: str, first: int = 0, said: str = ""
    ) -> Json:
        """`text` and `blocks` of what waits for this person now, remembered under the address
        through which it can be changed. Raises `Unavailable`."""
        message = waiting.message(await self._desk.waiting(person), first, said)
        self._open.pop((person, place), None)
        if hook:
            self._open[person, place] = _Open(
                person=person,
                hook=hook,
                shown=json.dumps(message),
                first=first,
                said=said,
                opened_at=self._clock(),
            )
            if len(self._open) > MOST:
                self._open.popitem(last=False)
        return message

    async def moved(self, call: CallId) -> None:
        """The card of this call has changed: so do the lists that it stands in."""
        try:
            async with asyncio.timeout(PATIENCE):
                for key, one in list(self._open.items()):
                    if f'"{call}:' in one.shown and self._open.get(key) is one:
                        await self._follow(key, one)
        except (CountersignError, TimeoutError) as failure:
            # The person's next click draws it anew.
            log.info("slack.old_list", extra={"fields": {"reason": type(failure).__name__}})

    async def _follow(self, key: tuple[PersonId, str], one: _Open) -> None:
        if not one.left or self._clock() - one.opened_at > SECONDS:
            del self._open[key]
            return
        said = one.said if one.left > 1 else LAST
        message = waiting.message(await self._desk.waiting(one.person), one.first, said)
        if (shown := json.dumps(message)) == one.shown or self._open.get(key) is not one:
            return
        self._open[key] = replace(one, shown=shown, left=one.left - 1)
        await self._api.respond(one.hook, {"replace_original": True, **message})
