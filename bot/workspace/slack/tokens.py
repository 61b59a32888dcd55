"""The bot tokens that a workspace has given to the app, and how long each of them is good."""

import secrets
from collections.abc import Callable

from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.records import Json


class Tokens:
    """One for ever; or, where the app's tokens rotate, a new one for each refresh token."""

    def __init__(self, first: str, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {first: float("inf")}
        self._first = first
        self._refreshers: set[str] = set()
        self.life = 0.0
        """Seconds that a token is good from now on; 0 where tokens do not expire."""

    def is_known(self, token: str) -> bool:
        return token in self._ends

    def is_good(self, token: str) -> bool:
        return self._clock() < self._ends.get(token, 0.0)

    def check(self, token: str) -> None:
        """Raises Refusal `token_expired`."""
        if not self.is_good(token):
            raise Refusal("token_expired")

    def may_refresh(self, refresher: object) -> bool:
        return refresher in self._refreshers

    def given(self) -> Json:
        """A token for the app, as `oauth.v2.access` answers it."""
        if not self.life:
            self._ends[self._first] = float("inf")
            return {"access_token": self._first}
        token, refresher = (f"xoxe{kind}-{secrets.token_hex(8)}" for kind in (".xoxb-1", "-1"))
        self._ends[token] = self._clock() + self.life
        self._refreshers.add(refresher)
        return {"access_token": token, "refresh_token": refresher, "expires_in": int(self.life)}

    def refreshed(self, refresher: object) -> Json:
        """Each refresh token is good once. Raises Refusal `invalid_refresh_token`."""
        if refresher not in self._refreshers:
            raise Refusal("invalid_refresh_token")
        self._refreshers.discard(str(refresher))
        return self.given()

    def revoke(self) -> None:
        """The app is uninstalled: nothing that was given is good any more."""
        self._ends.clear()
        self._refreshers.clear()
