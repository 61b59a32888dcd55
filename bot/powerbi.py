"""Looks at what one person can reach of the semantic models, and what is missing."""

import time
from collections.abc import Sequence

from bot.admin import opened
from bot.settings import Settings
from core.errors import NeedsAccount
from core.identity.accounts import Accounts
from core.identity.steps import Known
from core.identity.vault import KeyRing
from core.records import PersonId
from core.specialists.dax.client import PowerBI, Table
from core.specialists.dax.failures import DaxFailed
from core.specialists.dax.learning import learn
from core.specialists.dax.pace import Pace
from core.specialists.dax.source import SCOPE, SemanticModel

SECONDS = 30.0
"""For one model."""


async def _nobody(person: PersonId) -> Known:
    """A directory that knows no one: nothing is connected here."""
    return Known()


async def checked(
    settings: Settings, models: Sequence[SemanticModel], person: PersonId
) -> tuple[list[str], bool]:
    """What to print about each model, and whether all is well. Raises `Misconfigured` and
    `Unavailable`."""
    if settings.microsoft is None:
        return ["Microsoft accounts cannot be connected: ENTRA_TENANT_ID is not set."], False
    async with opened(settings) as db:
        keys = KeyRing.parse(settings.keys)
        accounts = Accounts(db, keys, settings.microsoft.entra, directory=_nobody, clock=time.time)
        try:
            token = await accounts.token(person, (SCOPE,), fresh=False)
        except NeedsAccount as missing:
            return [f"{person}: {missing}"], False
        finally:
            await accounts.close()
    said: list[str] = []
    is_well = True
    service = PowerBI(settings.powerbi_url, Pace(time.time))
    try:
        for model in models:
            line, is_reached = await _line(service, model, person, token.value)
            said.append(line)
            is_well = is_well and is_reached
    finally:
        await service.close()
    return said, is_well


async def _line(
    service: PowerBI, model: SemanticModel, person: PersonId, token: str
) -> tuple[str, bool]:
    async def query(dax: str) -> Table:
        return await service.query(
            model, dax, person=person, token=token, deadline=SECONDS, rows=20_000
        )

    try:
        about = await service.about(model, person=person, token=token, deadline=SECONDS)
        found = await learn(model, query)
    except DaxFailed as failure:
        return f"{model.id}: {failure.sentence}", False
    missing = [name for name in model.tables if found.table(name) is None]
    seen = f"{len(found.tables)} tables, {len(found.measures)} measures"
    rows = ", rows by who asks" if about.get("isEffectiveIdentityRequired") is True else ""
    how = ", by its committed definition" if found.is_committed else ""
    lost = f"; not there for this person: {', '.join(missing)}" if missing else ""
    return f"{model.id}: {seen}{rows}{how}{lost}", not missing
