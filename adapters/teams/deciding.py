"""Takes clicks on cards to the desk, and answers with what the one who clicked sees next."""

import asyncio
import logging
from dataclasses import replace

from adapters.teams import clicks, private
from adapters.teams.clicks import Pressed
from adapters.teams.connector import Connector
from adapters.teams.directory import Directory
from adapters.teams.overtime import Overtime
from adapters.teams.render import cards, forms, messages, signin, tables
from adapters.teams.render.signin import NOT_EXCHANGED, SignIn
from adapters.teams.roster import Roster
from adapters.teams.signing_in import SigningIn
from core.errors import CountersignError
from core.parked import Form, Verdict
from core.ports import Desk
from core.records import Json, PersonId

log = logging.getLogger(__name__)
AGAIN = "That could not be recorded, and nothing has changed. Please click again."
LATE = "Working on it. This takes longer than usual: I tell you in our own chat what came of it."
NONE_OF_MINE = "This button is none of mine."
OUTSIDERS = "Nothing changed: guests and people of other organisations decide nothing here."
WHO = "I cannot find out who you are here right now. Nothing changed; please click again."
TOLD = "Only you may see the link: it is in our own chat."
UNTOLD = (
    "Only you may see the link, and I cannot write to you alone. Add me for yourself in Teams, "
    "then click again."
)
WHO_SECONDS = 1.5
ANSWER_SECONDS = 4.0
"""Teams shows that something went wrong after about ten; on slow lines earlier."""
Shown = Json | str | SignIn
"""For the one who pressed: a card that takes the place of the pressed one, a sentence, or a
request to sign in."""


class Deciding:
    """The buttons of cards, wherever a card stands."""

    def __init__(
        self,
        desk: Desk,
        connector: Connector,
        directory: Directory,
        roster: Roster,
        overtime: Overtime,
        signing: SigningIn,
        sso_resource: str = "",
    ) -> None:
        self._signing = signing
        self._sso_resource = sso_resource
        self._desk = desk
        self._connector = connector
        self._directory = directory
        self._roster = roster
        self._overtime = overtime

    async def pressed(self, at: Pressed) -> Shown:
        """In time. What takes longer goes on, and the person is told alone what came of it; a
        decision shows on the card besides."""
        found = await self._overtime.within(self._answered(at), lambda shown: self._late(at, shown))
        return LATE if found is None else found

    async def _answered(self, at: Pressed) -> Shown:
        try:
            barred = await self._barred(at)
            return barred if barred is not None else await self._taken(at)
        except CountersignError as failure:
            log.warning("teams.click_lost", extra={"fields": {"reason": type(failure).__name__}})
            return AGAIN

    async def _late(self, at: Pressed, shown: Shown) -> None:
        if isinstance(shown, SignIn):
            shown = AGAIN
        said = messages.message(messages.sentence(shown)) if isinstance(shown, str) else None
        card = None if isinstance(shown, str) else tables.attachment(shown)
        told = said or {"type": "message", "attachments": [card]}
        await private.tell(self._connector, self._directory, at.address, [told], is_secret=True)

    async def show(self, person: PersonId, asked: str) -> str:
        """See `core.ports.Desk.show`."""
        return await self._desk.show(person, asked)

    async def _barred(self, at: Pressed) -> str | None:
        """Why this person decides nothing here, whatever the call."""
        try:
            async with asyncio.timeout(WHO_SECONDS):
                known = await self._roster.of(at.address)
        except TimeoutError:
            known = None
        if known is None:
            return WHO
        return OUTSIDERS if known.is_outsider else None

    async def _taken(self, at: Pressed) -> Shown:
        if at.token:
            said = await self._signing.token(at.person.id, at.token, at.address)
            return said or NOT_EXCHANGED
        match at.verb:
            case "edit":
                form = await self._desk.form(clicks.click(at, "edit"))
                return (
                    await self._said(at, form) if isinstance(form, Verdict) else forms.content(form)
                )
            case "save":
                return await self._saved(at)
            case "cancel":
                return await self._cancel(at)
            case "cancelled":
                reason = forms.typed_reason(at.given)
                click = clicks.click(at, "cancel", reason=reason)
                return await self._said(at, await self._desk.decide(click))
            case "open" | "page":
                return await self._page(at)
            case "back":
                return await self._again(at)
            case _:
                return await self._decided(at)

    async def _decided(self, at: Pressed) -> Shown:
        button = clicks.button_of(at.verb)
        if button is None:
            return NONE_OF_MINE
        return await self._said(at, await self._desk.decide(clicks.click(at, button)))

    async def _saved(self, at: Pressed) -> Shown:
        opened = clicks.click(at, "edit")
        form = await self._desk.form(opened)
        if isinstance(form, Verdict):
            return await self._said(at, form)
        values = forms.values(form, at.given)
        found = await self._desk.decide(clicks.edit(opened, values))
        if found.kind == "refused":
            return forms.content(_typed(form, values), found.sentence)
        return await self._said(at, found)

    async def _cancel(self, at: Pressed) -> Shown:
        """Whoever could not cancel is told so at once, and not after having typed a reason."""
        form = await self._desk.form(clicks.click(at, "edit"))
        if isinstance(form, Form) or form.kind == "refused":
            return forms.reason(at.call, at.revision)
        return await self._said(at, form)

    async def _page(self, at: Pressed) -> Shown:
        card = await self._desk.full(clicks.click(at, "open"))
        if isinstance(card, Verdict):
            return await self._said(at, card)
        number = at.given.get("page")
        return cards.page(card, int(number) if isinstance(number, int | float) else 0)

    async def _again(self, at: Pressed) -> Shown:
        """The card as it stands now, in place of a form or a page."""
        for card in await self._desk.waiting(at.person.id):
            if card.call == at.call:
                return cards.content(card)
        return "This call does not wait for you any more."

    async def _said(self, at: Pressed, found: Verdict) -> Shown:
        """What was recorded shows on the card itself, which everybody sees change. A link for one
        person goes to their own chat, wherever they clicked; outside of channels their Teams may
        sign them in without one."""
        if found.kind == "connect" and found.url:
            if self._sso_resource and at.address["kind"] in ("dm", "group"):
                return signin.login(found, self._sso_resource)
            shown = [signin.verdict(found)]
            told = await private.tell(
                self._connector, self._directory, at.address, shown, is_secret=True
            )
            return TOLD if told else UNTOLD
        if found.kind == "recorded":
            for card in await self._desk.waiting(at.person.id):
                if card.call == at.call:
                    return cards.content(card, found.sentence)
        return found.sentence


def _typed(form: Form, values: dict[str, object]) -> Form:
    """The form with what somebody typed, to be mended."""
    typed = tuple(
        replace(field, value=values[field.name]) if field.name in values else field
        for field in form.fields
    )
    return replace(form, fields=typed)
