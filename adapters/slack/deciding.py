"""Takes clicks on cards to the desk, and tells the one who clicked what came of it."""

import asyncio
import logging

from adapters.slack import clicks, fields, private
from adapters.slack.api import SlackApi
from adapters.slack.clicks import Pressed
from adapters.slack.lists import Lists
from adapters.slack.profiles import Profiles
from adapters.slack.render import forms, pages
from core.errors import CountersignError, DeliveryFailed
from core.parked import Card, Click, Form, Verdict
from core.ports import Desk
from core.records import Json, PersonId

log = logging.getLogger(__name__)
AGAIN = "That could not be recorded, and nothing has changed. Please click again."
NOT_OPENED = "Slack did not open the window. Please click again."
OUTSIDERS = "Nothing changed: guests and people of other organisations decide nothing here."
WHO = "I cannot find out who you are here right now. Nothing changed; please click again."
PROFILE_SECONDS = 1.0
TELL_SECONDS = 1.2
"""For what is said after a decision is committed: Slack waits three seconds for everything."""


class Deciding:
    """The buttons of cards, wherever a card stands."""

    def __init__(self, desk: Desk, api: SlackApi, profiles: Profiles, lists: Lists) -> None:
        self._desk = desk
        self._api = api
        self._profiles = profiles
        self._lists = lists

    async def pressed(self, body: Json) -> bool:
        """Take a click on a button. False where it neither was committed nor could be told."""
        at = clicks.pressed(body, self.own_team)
        if at is None:
            return True
        try:
            found = await self._barred(at) or await self._taken(at)
        except DeliveryFailed as failure:
            log.warning("slack.no_view", extra={"fields": {"reason": failure.reason}})
            found = Verdict(kind="refused", sentence=NOT_OPENED)
        except CountersignError as failure:
            return await self._failed(at, failure)
        if found is not None:
            await self.told(at, found)
        return True

    async def told(self, at: Pressed, found: Verdict) -> None:
        """Say what came of it. What was recorded shows on the card itself; a card that one
        person alone sees is drawn anew."""
        try:
            async with asyncio.timeout(TELL_SECONDS):
                if at.spot.is_private and found.kind != "connect":
                    await self._redraw(at, found.sentence)
                elif found.kind != "recorded":
                    await private.offer(self._api, at.spot, found)
        except (TimeoutError, CountersignError) as failure:
            log.warning("slack.untold", extra={"fields": {"reason": type(failure).__name__}})

    async def decided(self, at: Pressed, click: Click) -> Verdict:
        """Barred people never reach the desk. Raises `Unavailable`."""
        return await self._barred(at) or await self._desk.decide(click)

    async def form(self, at: Pressed, click: Click) -> Form | Verdict:
        return await self._barred(at) or await self._desk.form(click)

    async def listed(self, person: PersonId, place: str, hook: str) -> Json:
        """`text` and `blocks` of what waits for this person; `hook` is the address through which
        it can be changed later. Raises `Unavailable`."""
        return await self._lists.drawn(person, place, hook)

    async def show(self, person: PersonId, asked: str) -> str:
        """See `core.ports.Desk.show`."""
        return await self._desk.show(person, asked)

    async def waiting(self, person: PersonId) -> list[Card]:
        """The cards of what waits for this person. Raises `Unavailable`."""
        return await self._desk.waiting(person)

    @property
    def own_team(self) -> str:
        return fields.text(self._api.own, "team_id")

    async def _barred(self, at: Pressed) -> Verdict | None:
        """Why this person decides nothing here, whatever the call."""
        if at.is_foreign:
            return Verdict(kind="not_yours", sentence=OUTSIDERS)
        try:
            async with asyncio.timeout(PROFILE_SECONDS):
                known = await self._profiles.of(at.spot.user)
        except TimeoutError:
            known = None
        if known is None:
            return Verdict(kind="refused", sentence=WHO)
        return Verdict(kind="not_yours", sentence=OUTSIDERS) if known.is_outsider else None

    async def _taken(self, at: Pressed) -> Verdict | None:
        """None where a window was opened instead."""
        if at.word == "more":
            return await self._turned_list(at)
        if at.word.startswith("page"):
            return await self._turned(at)
        button = clicks.button_of(at.word)
        click = clicks.click(at, button) if button else None
        if click is None:
            return Verdict(kind="refused", sentence="This button is none of mine.")
        match click.button:
            case "edit":
                return await self._edit(at, click)
            case "cancel":
                return await self._cancel(at, click)
            case "open":
                return await self._open(at, click)
            case _:
                return await self._desk.decide(click)

    async def _edit(self, at: Pressed, click: Click) -> Verdict | None:
        form = await self._desk.form(click)
        if isinstance(form, Verdict):
            return form
        await self._window(at, forms.view(form, clicks.packed(at.value, at.spot)))
        return None

    async def _cancel(self, at: Pressed, click: Click) -> Verdict | None:
        """Whoever could not cancel is told so at once, and not after having typed a reason."""
        form = await self._desk.form(click)
        if isinstance(form, Verdict) and form.kind != "refused":
            return form
        await self._window(at, forms.reason(clicks.packed(at.value, at.spot)))
        return None

    async def _open(self, at: Pressed, click: Click) -> Verdict | None:
        card = await self._desk.full(click)
        if isinstance(card, Verdict):
            return card
        await self._window(at, pages.view(card, 0, clicks.packed(at.value, at.spot)))
        return None

    async def _turned(self, at: Pressed) -> Verdict | None:
        """Another page of the whole card, in the window that is open."""
        value = clicks.named(at.view)
        click = clicks.click(at, "open", value=value)
        page = int(at.value) if at.value.isdecimal() else 0
        card = Verdict(kind="stale", sentence="") if click is None else await self._desk.full(click)
        if isinstance(card, Card):
            made = pages.view(card, page, clicks.packed(value, at.spot))
        else:
            made = pages.sentence("In full", card.sentence or AGAIN)
        await self._api.write(
            "views.update",
            {"view_id": fields.text(at.view, "id"), "hash": fields.text(at.view, "hash")}
            | {"view": made},
        )
        return None

    async def _turned_list(self, at: Pressed) -> Verdict | None:
        first = int(at.value) if at.value.isdecimal() else 0
        said = await self._lists.drawn(at.person.id, at.spot.channel, at.spot.hook, first)
        await private.answer(self._api, at.spot, {"replace_original": True, **said})
        return None

    async def _redraw(self, at: Pressed, said: str) -> None:
        drawn = await self._lists.drawn(at.person.id, at.spot.channel, at.spot.hook, said=said)
        if not await private.answer(self._api, at.spot, {"replace_original": True, **drawn}):
            await private.tell(self._api, at.spot, private.sentence(said))

    async def _window(self, at: Pressed, view: Json) -> None:
        await self._api.write("views.open", {"trigger_id": at.trigger, "view": view})

    async def _failed(self, at: Pressed, failure: CountersignError) -> bool:
        """Slack does not repeat a click: the person has to, and is told."""
        log.warning("slack.click_lost", extra={"fields": {"reason": type(failure).__name__}})
        try:
            async with asyncio.timeout(TELL_SECONDS):
                return await private.tell(self._api, at.spot, private.sentence(AGAIN))
        except TimeoutError:
            return False
