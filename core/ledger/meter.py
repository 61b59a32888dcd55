"""The one way in which a metered use becomes a ledger entry."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from core.ledger.prices import Rates, price
from core.ports import Clock
from core.records import Billing, LedgerEntry, Usage
from core.telemetry import metrics, spans

Kind = Literal["chat", "embedding", "vision", "ocr", "image"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A use that has begun. Pass it to `Meter.end`, also when it failed."""

    billing: Billing
    kind: Kind
    provider: str
    model: str
    """As configured, without the provider: the name that negotiated prices go by."""
    attempt: int
    started_at: float


class Meter:
    """Commits one ledger entry per use.

    `add` returns when the entry is committed, so an answer that is handed back after `end` has
    been paid for in the books. When `add` raises, the error goes on to the caller and the turn
    fails visibly: an answer that nobody accounts for is worse than one that has to be asked for
    again.
    """

    def __init__(
        self,
        add: Callable[[LedgerEntry], Awaitable[None]],
        clock: Clock,
        overrides: Mapping[str, Rates] | None = None,
    ) -> None:
        self._add = add
        self._clock = clock
        self._overrides = overrides or {}

    def begin(
        self, billing: Billing, *, kind: Kind, provider: str, model: str, attempt: int = 1
    ) -> Use:
        """Note the start of a use. Nothing is written yet."""
        return Use(
            billing=billing,
            kind=kind,
            provider=provider,
            model=model,
            attempt=attempt,
            started_at=self._clock(),
        )

    async def end(
        self,
        use: Use,
        usage: Usage | None,
        *,
        outcome: str,
        reported_model: str = "",
        likely: Usage | None = None,
    ) -> LedgerEntry:
        """Price the use and commit its entry.

        `usage` is None when the provider may have counted units but did not say how many: the
        entry then has no units and no price. `Usage()` says that nothing was used, which costs
        nothing whatever the model. `likely` is given where the provider did not say it all: the
        entry is partial then, and the estimate stands beside what is known, never in its place.
        """
        model = reported_model or use.model
        now = self._clock()
        amount, table = self._price(use, usage or Usage(), model)
        if usage == Usage():
            amount = "0"
        entry = LedgerEntry(
            billing=use.billing,
            kind=use.kind,
            provider=use.provider,
            model=model,
            usage=usage or Usage(),
            price=None if usage is None else amount,
            price_table=table,
            outcome=outcome,
            attempt=use.attempt,
            started_at=use.started_at,
            seconds=max(0.0, now - use.started_at),
            is_partial=usage is None or likely is not None,
            likely_tokens=0 if likely is None else likely.input_tokens + likely.output_tokens,
            likely_price=None if likely is None else self._price(use, likely, model)[0],
        )
        await self.record(entry)
        return entry

    async def report(
        self, billing: Billing, *, kind: Kind, provider: str, model: str, usage: Usage
    ) -> None:
        """Commit what a foreign server says that it used. It is priced like a use of our own and
        marked as reported: nobody counted it here."""
        now = self._clock()
        amount, table = price(provider, model, usage, self._overrides, at=now)
        await self.record(
            LedgerEntry(
                billing=billing,
                kind=kind,
                provider=provider,
                model=model,
                usage=usage,
                price=amount,
                price_table=table,
                outcome="ok",
                is_reported=True,
                started_at=now,
                seconds=0.0,
            )
        )

    async def record(self, entry: LedgerEntry) -> None:
        """Commit an entry that was counted elsewhere. Raises what storage raises."""
        await self._add(entry)
        metrics.model_used(entry)
        spans.model_used(entry)

    def price_of(self, provider: str, model: str, usage: Usage) -> str | None:
        """What these units would cost now; None where no price is known."""
        return price(provider, model, usage, self._overrides, at=self._clock())[0]

    def reprice(self, overrides: Mapping[str, Rates]) -> None:
        """Prices that beat the public table from the next use on."""
        self._overrides = overrides

    def _price(self, use: Use, usage: Usage, model: str) -> tuple[str | None, str]:
        for name in (use.model, model):
            if f"{use.provider}:{name}" in self._overrides:
                return price(use.provider, name, usage, self._overrides, at=use.started_at)
        found = price(use.provider, model, usage, {}, at=use.started_at)
        if found[0] is None and model != use.model:
            return price(use.provider, use.model, usage, {}, at=use.started_at)
        return found
