"""Asks the person of a turn for the account that a reading tool needs."""

import asyncio

from core.approvals.rooms import Links
from core.errors import CountersignError, NeedsAccount
from core.ports import Surface
from core.records import Turn
from core.telemetry import logs

OFFER_SECONDS = 10.0
ASKED = (
    "They were shown a private link to connect it just now. Nothing was read. Do not call this"
    " again. Tell them to open the private link and then ask again."
)
BY_HAND = "Nothing was read. Tell them to write `connect` to you and then ask again."

log = logs.get(__name__)


class SignInAsked:
    """One for each turn. A link is shown once for the same permissions and proof, however many
    calls of the turn need them."""

    def __init__(self, turn: Turn, surface: Surface, links: Links | None) -> None:
        self._turn = turn
        self._surface = surface
        self._links = links
        self._shown: dict[tuple[tuple[str, ...], str], bool] = {}
        self._one_by_one = asyncio.Lock()

    async def __call__(self, missing: NeedsAccount) -> str:
        """Show the link; what the model is told of it."""
        # Connecting would not help where Microsoft does not answer.
        if missing.kind == "unavailable":
            return str(missing)
        async with self._one_by_one:
            asked = (missing.scopes, missing.claims)
            if asked not in self._shown:
                self._shown[asked] = await self._offered(missing)
        return f"{missing} {ASKED if self._shown[asked] else BY_HAND}"

    async def _offered(self, missing: NeedsAccount) -> bool:
        question = self._turn.question
        if self._links is None:
            return False
        try:
            async with asyncio.timeout(OFFER_SECONDS):
                link = await self._links.offer(
                    question.person.id, missing.scopes, question.address, claims=missing.claims
                )
                is_shown = bool(link.url) and await self._surface.offer(question.address, link)
        except (CountersignError, TimeoutError) as failure:
            log.warning("link.unoffered", turn=self._turn.id, kind=type(failure).__name__)
            return False
        log.info("link.offered", turn=self._turn.id, shown=is_shown)
        return is_shown
