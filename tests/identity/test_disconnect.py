"""Disconnecting: revoked where that is possible, erased in any case, said to the person."""

from typing import Any

import pytest

from core.errors import NeedsAccount
from core.records import PersonId
from tests.fakes.entra_between import Between
from tests.identity.office import MAIL, MARA, TOM, Office


async def rows_of(office: Office, person: PersonId) -> int:
    found = 0
    for sql in (
        "SELECT 1 AS n FROM links WHERE person = ?",
        "SELECT 1 AS n FROM tokens WHERE person = ?",
        "SELECT 1 AS n FROM signins WHERE person = ?",
    ):
        found += len(await office.database.fetch(sql, (person,)))
    return found


async def test_a_disconnect_erases_everything_of_the_person(both: Office) -> None:
    await both.link(MARA, "mara")
    await both.link(TOM, "tomas")
    await both.offer(MARA)
    sentence = await both.accounts.disconnect(MARA)
    assert "erased" in sentence and "myapps.microsoft.com" in sentence
    assert await rows_of(both, MARA) == 0
    assert await rows_of(both, TOM) == 2
    with pytest.raises(NeedsAccount) as caught:
        await both.accounts.token(MARA, MAIL)
    assert caught.value.kind == "not_linked"


async def test_without_an_account_there_is_nothing_to_disconnect(one: Office) -> None:
    assert "No Microsoft account" in await one.accounts.disconnect(MARA)


async def test_a_disconnect_on_one_surface_holds_on_the_other(one: Office) -> None:
    await one.link(MARA, "mara")
    teams = PersonId(f"teams:{one.ms.tenant.id}/{one.ms.person('mara').oid}")
    assert "erased" in await one.accounts.disconnect(teams)
    assert await rows_of(one, MARA) == 0


async def test_a_sign_in_under_way_ends_with_the_disconnect(one: Office) -> None:
    browser = one.browser()
    query = await one.answer(await one.leave(browser, MARA), "mara")
    await one.accounts.disconnect(MARA)
    assert (await one.back(browser, query)).status == 400


async def test_a_disconnect_works_while_microsoft_is_away(one: Office) -> None:
    await one.link(MARA, "mara")
    await one.ms.stop()
    assert "erased" in await one.accounts.disconnect(MARA)
    assert await rows_of(one, MARA) == 0
    await one.ms.start()


async def test_tokens_are_revoked_where_the_authority_can(
    overheard: Office, between: Between
) -> None:
    def able(metadata: dict[str, Any]) -> dict[str, Any]:
        return metadata | {"revocation_endpoint": f"{between.url}/revoke"}

    between.changes["openid-configuration"] = able
    between.texts["/revoke"] = "{}"
    await overheard.link(MARA, "mara")
    assert "myapps" not in await overheard.accounts.disconnect(MARA)
    assert between.seen[-1] == "/revoke"
    given = overheard.ms.entra.refresh_tokens
    assert between.forms[-1]["token"] in given
    assert await rows_of(overheard, MARA) == 0


async def test_a_failed_revocation_still_erases(overheard: Office, between: Between) -> None:
    def able(metadata: dict[str, Any]) -> dict[str, Any]:
        return metadata | {"revocation_endpoint": f"{between.url}/nowhere"}

    between.changes["openid-configuration"] = able
    await overheard.link(MARA, "mara")
    assert "myapps" in await overheard.accounts.disconnect(MARA)
    assert await rows_of(overheard, MARA) == 0
