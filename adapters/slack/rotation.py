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
        self._held = self._kept = installation
        """What is shown to Slack, and what stands in the database: the same, unless a database
        did not take it."""
        self._installations = installations
        self._settings = settings
        self._distribution = distribution
        self._clock = clock
        self._tried_at = float("-inf")
        self._renewal: asyncio.Task[DeliveryFailed | None] | None = None

    async def current(self) -> str:
        held = self._held
        left = held.expires_at - self._clock() if held.expires_at else float("inf")
        is_kept = held is self._kept
        if not held.refresh_token or (left > EARLY and is_kept):
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
        if held is not self._kept:
            return await self._keep(held)
        form = {"grant_type": "refresh_token", "refresh_token": held.refresh_token}
        try:
            answer = await oauth.access(self._settings, self._distribution, form)
        except DeliveryFailed as failure:
            return await self._refused(held, failure)
        fresh = oauth.installation(answer, self._clock())
        if fresh.team != held.team or not oauth.is_bot_token(answer):
            return DeliveryFailed(NOT_RENEWED)
        log.info("slack.token_renewed", extra={"fields": {"team": held.team}})
        return await self._keep(replace(fresh, name=held.name, installed_by=held.installed_by))

    async def _keep(self, fresh: Installation) -> DeliveryFailed | None:
        """In the place of what stands there. The token is used also where it could not be kept:
        the one before it may be used up."""
        try:
            if not await self._installations.renew(self._kept, fresh):
                return DeliveryFailed(TAKEN_BACK, is_final=True)
            self._kept = fresh
        except CountersignError:
            log.error("slack.token_not_kept", extra={"fields": {"team": fresh.team}})
        self._held = fresh
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
            self._held = self._kept = known
            return None
        if failure.retry_after or failure.reason in UNKNOWN_OUTCOMES:
            return DeliveryFailed(NOT_RENEWED, retry_after=failure.retry_after)
        return DeliveryFailed(TAKEN_BACK, is_final=True)
