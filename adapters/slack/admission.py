"""Decides who may ask here at all, before anything is read or kept of what they asked."""

import logging

from adapters.slack.profiles import Profiles
from core.errors import DeliveryFailed, Unavailable

log = logging.getLogger(__name__)
GUEST = (
    "I answer people who belong to this workspace. Guests and people of other organisations I may"
    " not answer; a colleague here can ask me for you."
)
UNKNOWN = (
    "I cannot find out who you are here, so I have not answered. An administrator can see the"
    " reason with `countersign doctor`."
)


class Admission:
    """Guests and people of other organisations ask nothing, whatever the policy says. Who cannot
    be known does not either."""

    def __init__(self, profiles: Profiles) -> None:
        self._profiles = profiles

    async def fault(self, user: str) -> str:
        """Why this person is not answered, empty where they are. Raises `Unavailable` where Slack
        does not say now and may say later."""
        try:
            profile = await self._profiles.read(user)
        except DeliveryFailed as error:
            if error.is_final:
                return UNKNOWN
            raise Unavailable from error
        return GUEST if profile.is_outsider else ""
