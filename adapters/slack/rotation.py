"""Keeps the bot token of a workspace good where the app's tokens expire."""

import asyncio
import logging
from dataclasses import replace

from adapters.slack import oauth
from adapters.slack.api import UNKNOWN_OUTCOMES
from adapters.slack.settings import Distribution, SlackSettings
from core.errors import CountersignError, DeliveryFailed
from core.ports import Clock, Installation, Installations

log = logging.getLogger(__name__)
EARLY = 7_200.0
"""Seconds before its end at which a token of twelve hours is replaced, in the background: it holds
on, and nobody waits."""
PAUSE = 30.0
"""Seconds between two attempts at that."""
NOT_RENEWED, TAKEN_BACK = "token_not_renewed", "token_revoked"


class Rotating:
    """`Token` of one installation. Slack takes a refresh token once: whoever needs a new token
    waits for the one exchange that is under way, which goes on when they stop waiting, and what
    came of it is kept."""

    def __init__(
        self,
        installation: Installation,
        installations: Installations,
        settings: SlackSettings,
        distribution: Distribution,
        clock: Clock,
    ) -> None:
        self._held = installation
        self._installations = installations
        self._settings = settings
        self._distribution = distribution
        self._clock = clock
        self._tried_at = float("-inf")
        self._renewal: asyncio.Task[DeliveryFailed | None] | None = None

    async def current(self) -> str:
        held = self._held
        left = held.expires_at - self._clock() if held.expires_at else float("inf")
        if left > EARLY or not held.refresh_token:
            return held.bot_token
        if left > 0:
            if self._clock() - self._tried_at >= PAUSE:
                self._begin()
            return held.bot_token
        return await self.after(held.bot_token)

    async def after(self, refused: str) -> str:
        if self._held.bot_token == refused and self._held.refresh_token:
            failure = await asyncio.shield(self._begin())
            if failure is not None:
                raise failure
        return self._held.bot_token

    async def close(self) -> None:
        """An exchange under way is waited for: its refresh token is used up."""
        if self._renewal is not None:
            await asyncio.wait({self._renewal})

    def _begin(self) -> asyncio.Task[DeliveryFailed | None]:
        if self._renewal is None or self._renewal.done():
            self._tried_at = self._clock()
            self._renewal = asyncio.create_task(self._renew(self._held))
        return self._renewal

    async def _renew(self, held: Installation) -> DeliveryFailed | None:
        form = {"grant_type": "refresh_token", "refresh_token": held.refresh_token}
        try:
            answer = await oauth.access(self._settings, self._distribution, form)
        except DeliveryFailed as failure:
            return await self._refused(held, failure)
        fresh = oauth.installation(answer, self._clock())
        if fresh.team != held.team or not oauth.is_bot_token(answer):
            return DeliveryFailed(NOT_RENEWED)
        fresh = replace(fresh, name=held.name, installed_by=held.installed_by)
        try:
            is_kept = await self._installations.renew(held, fresh)
        except CountersignError:
            # It is good all the same, and the old one is used up; the next renewal is kept again.
            log.error("slack.token_not_kept", extra={"fields": {"team": held.team}})
            is_kept = True
        if not is_kept:
            return DeliveryFailed(TAKEN_BACK, is_final=True)
        self._held = fresh
        log.info("slack.token_renewed", extra={"fields": {"team": held.team}})
        return None

    async def _refused(self, held: Installation, failure: DeliveryFailed) -> DeliveryFailed | None:
        """Somebody else may have renewed it meanwhile."""
        where = {"team": held.team, "reason": failure.reason}
        log.warning("slack.token_not_renewed", extra={"fields": where})
        try:
            known = await self._installations.read(held.team)
        except CountersignError:
            return DeliveryFailed(NOT_RENEWED)
        if known is None:
            return DeliveryFailed(TAKEN_BACK, is_final=True)
        if known.bot_token != held.bot_token:
            self._held = known
            return None
        if failure.retry_after or failure.reason in UNKNOWN_OUTCOMES:
            return DeliveryFailed(NOT_RENEWED, retry_after=failure.retry_after)
        return DeliveryFailed(TAKEN_BACK, is_final=True)
