"""The one door to an embedding model."""

from collections.abc import Sequence

from core.records import Billing


class EmbedDoor:
    """Turns texts into vectors and meters every request."""

    model: str
    dimensions: int

    async def embed(self, texts: Sequence[str], billing: Billing) -> list[list[float]]:
        """One unit vector per text, in order."""
        raise NotImplementedError
