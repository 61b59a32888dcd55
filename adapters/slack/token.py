"""The bot token that calls to Slack show."""

from typing import Protocol


class Token(Protocol):
    """Whatever a call to Slack shows. Both raise `DeliveryFailed`."""

    async def current(self) -> str: ...

    async def after(self, refused: str) -> str:
        """The one to try when Slack says that `refused` has expired; the same where there is no
        other."""
        ...

    async def close(self) -> None: ...


class Fixed:
    """`Token` of an app whose tokens do not expire."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def current(self) -> str:
        return self._token

    async def after(self, refused: str) -> str:
        return self._token

    async def close(self) -> None:
        pass
