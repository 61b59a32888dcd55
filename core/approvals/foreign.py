"""Carries a parked call to a tool of any MCP server, through the catalogue."""

from collections.abc import Collection

from core.approvals import plain
from core.approvals.rooms import Credentials
from core.capabilities.catalog import Catalog
from core.connectors.outcome import Description, Done, Failed, Outcome, Unknown
from core.errors import BadArguments, DeadlineExceeded, NotAllowed, SourceFailed, Unreached
from core.parked import EffectKind, ParkedCall
from core.records import Json, Tool

KEY = "idempotency-key"
"""The header that carries the call's id: the same when the call is repeated after a crash."""
_SAID = 400


class Foreign:
    """An `Effect` that nobody has described: blind, unless the tool says that it is idempotent."""

    def __init__(
        self, tool: Tool, catalog: Catalog, credentials: Credentials, deadline: float
    ) -> None:
        self.tool = tool.key
        self._tool = tool
        self._catalog = catalog
        self._credentials = credentials
        self._deadline = deadline

    def kind(self, granted: Collection[str]) -> EffectKind:
        return "keyed" if self._tool.is_idempotent else "blind"

    def scopes(self, kind: EffectKind) -> tuple[str, ...]:
        return ()

    async def prepare(self, call: ParkedCall) -> Json:
        return plain.facts(self._tool)

    def describe(self, arguments: Json, facts: Json) -> Description:
        return plain.describe(arguments, facts)

    async def perform(self, call: ParkedCall, token: str) -> Outcome:
        """See `Effect.perform`. Only what never got to the server, or what the tool itself reports,
        is known not to have happened."""
        credentials = await self._credentials(call.authority, self._tool.server)
        try:
            result = await self._catalog.call(
                self._tool,
                call.arguments,
                credentials={**credentials, KEY: call.id},
                on_progress=_unheard,
                deadline=self._deadline,
            )
        except (NotAllowed, BadArguments) as refusal:
            return Failed(reason=f"{refusal}.")
        except Unreached as failure:
            return Failed(reason=f"{failure}. Nothing was asked of it.", was_asked=False)
        except (SourceFailed, DeadlineExceeded) as failure:
            return Unknown(
                sentence=f"I asked {self._tool.server} to do this, and nobody knows what came of"
                f" it: {failure}.",
                look_at=self._tool.server,
            )
        said = result.text.strip()[:_SAID]
        if result.is_error:
            return Failed(reason=f"{self._tool.server} says: {said or 'it did not work'}")
        # Its links were written by a foreign server: they stay in the evidence.
        return Done(
            summary=said or "Done.",
            evidence={"text": result.text, "structured": result.structured},
        )

    async def reconcile(self, call: ParkedCall, token: str) -> Outcome | None:
        """Nobody can be asked; a keyed one is performed again with the same key."""
        return None


async def _unheard(text: str) -> None:
    """Nobody waits for signs of life of a call that is carried out in the background."""
