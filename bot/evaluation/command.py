"""`countersign eval`: asks graded questions and says how many were answered right."""

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.config import Config
from bot.evaluation import asking, report
from bot.evaluation.cases import SHIPPED, Case, Cases, read
from bot.evaluation.report import Graded
from bot.evaluation.running import Run, graded
from core.errors import Misconfigured
from core.ledger.meter import Meter
from core.llm import models
from core.llm.chat import ChatDoor
from core.llm.models import ModelSettings
from core.records import Billing, LedgerEntry, ModelMessage, ModelReply, ToolSchema
from core.specialists.errand import Ask
from core.specialists.sql.desk import Discovery

SHIPPED_RECORDING = "shipped"
_OF_A_SCRIPT = (
    "Replayed from a script that somebody wrote: this tests the path from question to rows, not"
    " the quality of any model. Tokens are estimated by length."
)
_OF_A_MODEL = "Replayed from what {model} said before. Tokens are estimated by length."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the command line asks for."""

    set: str = "sheets"
    model: str = ""
    """Empty: the configured one."""
    discovery: tuple[Discovery, ...] = ("progressive", "whole")
    only: tuple[str, ...] = ()
    """Ids of questions; empty: all."""
    replay: str = ""
    """A recording, or `shipped`."""
    record: str = ""
    json: str = ""


async def evaluate(config: Config, wish: Wish) -> tuple[str, bool]:
    """The table, and whether every question was answered right. Raises `Misconfigured` and
    `SourceFailed`."""
    cases = read(wish.set)
    chosen = [one for one in cases.questions if not wish.only or one.id in wish.only]
    if not chosen:
        raise Misconfigured(f"{wish.set} has no such question.")
    if wish.replay:
        model, replies = asking.read(_recording(wish))
        is_script = model == asking.SCRIPTED
        label = _OF_A_SCRIPT if is_script else _OF_A_MODEL.format(model=model)

        def replayed(case: Case) -> Ask:
            return asking.Replayed(replies.get(case.id, ()), model)

        with _run(replayed, lambda: "0", config) as run:
            found, said = await _all(run, cases, chosen, wish.discovery)
    else:
        settings = _model(config, wish.model)
        bill = _Bill()
        meter = Meter(bill.add, time.time, models.rates(config.models.values()))
        chat = ChatDoor({settings.key: settings}, meter, time.time)
        try:
            model, label = settings.key, f"Asked: {settings.key}"
            ask = _door(chat, settings)
            with _run(lambda _: ask, bill.spent, config) as run:
                found, said = await _all(run, cases, chosen, wish.discovery)
        finally:
            await chat.close()
    if wish.record:
        asking.write(Path(wish.record), model, said)
    if wish.json:
        _written(Path(wish.json), report.as_json(found, label, model))
    return report.table(found, label), all(one.outcome == "right" for one in found)


async def _all(
    run: Run, cases: Cases, chosen: Sequence[Case], ways: Sequence[Discovery]
) -> tuple[list[Graded], dict[str, list[asking.Reply]]]:
    """One after the other: a provider's limits are not what is measured. The recording holds what
    was said in the first way of discovery."""
    found: list[Graded] = []
    said: dict[str, list[asking.Reply]] = {}
    try:
        for way in ways:
            for case in chosen:
                one, counted = await graded(run, cases, case, way)
                found.append(one)
                said.setdefault(case.id, counted.replies)
    finally:
        await run.close()
    return found, said


@contextmanager
def _run(
    ask_for: Callable[[Case], Ask], spent: Callable[[], str | None], config: Config
) -> Generator[Run]:
    with TemporaryDirectory(prefix="countersign-eval-") as folder:
        yield Run(ask_for=ask_for, spent=spent, folder=Path(folder), sources=config.sources)


def _recording(wish: Wish) -> Path:
    if wish.replay != SHIPPED_RECORDING:
        return Path(wish.replay)
    if wish.set not in SHIPPED:
        raise Misconfigured(f"Nothing was recorded for {wish.set}.")
    return Path(str(files("bot.evaluation").joinpath(f"recordings/{wish.set}.json")))


def _model(config: Config, wanted: str) -> ModelSettings:
    found = models.find(config.models, wanted) if wanted else next(iter(config.models.values()))
    if found is None:
        raise Misconfigured(models.unknown(config.models, wanted))
    if found.provider == "demo":
        raise Misconfigured(
            "The demo model writes no SQL. Name another with --model, or look at the path with"
            f" --replay {SHIPPED_RECORDING}."
        )
    return found


def _door(chat: ChatDoor, settings: ModelSettings) -> Ask:
    async def ask(
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        billing: Billing,
        deadline: float,
    ) -> ModelReply:
        return await chat.ask(settings.key, messages, tools, billing, deadline)

    return ask


class _Bill:
    """What was spent since somebody last asked."""

    def __init__(self) -> None:
        self._prices: list[str | None] = []

    async def add(self, entry: LedgerEntry) -> None:
        self._prices.append(entry.price)

    def spent(self) -> str | None:
        prices, self._prices = self._prices, []
        known = [Decimal(price) for price in prices if price is not None]
        return str(sum(known, Decimal())) if len(known) == len(prices) else None


def _written(path: Path, made: Mapping[str, object]) -> None:
    try:
        path.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise Misconfigured(f"{path} cannot be written: {error.strerror}.") from error
