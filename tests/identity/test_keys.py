"""The authority's signing keys: read when needed, kept for a day, looked for once more."""

from tests.fakes.entra_between import Between
from tests.identity.office import MARA, TOM, Office

DAY = 86_400


def reads(between: Between, part: str = "/keys") -> int:
    return sum(part in path for path in between.seen)


async def test_keys_and_metadata_are_read_once_for_many(
    overheard: Office, between: Between
) -> None:
    for _ in range(3):
        await overheard.link(MARA, "mara")
    assert reads(between) == 1
    assert reads(between, "openid-configuration") <= 4


async def test_a_new_key_is_looked_for_at_once(overheard: Office, between: Between) -> None:
    await overheard.link(MARA, "mara")
    overheard.ms.entra.keys.rotate()
    assert (await overheard.link(TOM, "tomas")).status == 200
    assert reads(between) == 2


async def test_a_withdrawn_key_is_trusted_for_a_day_at_most(
    overheard: Office, between: Between
) -> None:
    await overheard.link(MARA, "mara")
    stolen, overheard.ms.entra.keys = overheard.ms.entra.keys, type(overheard.ms.entra.keys)()
    overheard.ms.entra.id_token_keys = stolen
    assert (await overheard.link(TOM, "tomas")).status == 200
    await overheard.accounts.disconnect(TOM)
    overheard.clock.now += DAY + 1
    assert (await overheard.link(TOM, "tomas")).status == 400
