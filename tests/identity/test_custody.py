"""What is kept of an account: sealed for its person, refused when altered, sealed anew when keys
change."""

import base64
import json
import random
from dataclasses import replace

import pytest

from core.errors import Unreadable
from core.identity.claims import Account
from core.identity.custody import Custody, Kept
from core.identity.rotation import rotate
from core.identity.vault import KeyRing
from core.records import PersonId
from core.storage import links, tokens
from core.storage.database import Database
from tests.identity.office import MAIL, MARA, RING, TOM, Office

TENANT = "5e1c9d40-7b1f-4a55-9c3a-2f6d8e10b7a4"
OLD = "old:" + base64.b64encode(b"1" * 32).decode()
NEW = "new:" + base64.b64encode(b"2" * 32).decode()


def person(number: int) -> PersonId:
    return PersonId(f"slack:T1/U{number}")


def account(number: int) -> Account:
    return Account(tenant=TENANT, oid=f"oid-{number}", address=f"{number}@larkspur.example")


def kept(number: int) -> Kept:
    cache = json.dumps({"RefreshToken": {"x": {"secret": f"refresh-{number}"}}})
    granted = frozenset({"Mail.Send"})
    return Kept(person=person(number), account=account(number), cache=cache, granted=granted)


async def fill(db: Database, keys: KeyRing, count: int) -> Custody:
    custody = Custody(db, keys)
    async with db.transaction() as tx:
        for number in range(count):
            await custody.bind(tx, person(number), account(number), now=1.0)
            await custody.put(tx, kept(number), now=1.0)
    return custody


async def unreadable(custody: Custody, count: int) -> int:
    found = 0
    for number in range(count):
        try:
            opened = await custody.kept(person(number))
        except Unreadable:
            found += 1
        else:
            assert opened and opened.cache == kept(number).cache
    return found


async def test_what_is_kept_can_be_read_again(database: Database) -> None:
    custody = await fill(database, RING, 2)
    opened = await custody.kept(person(1))
    assert opened and opened.version
    assert (opened.account, opened.cache) == (account(1), kept(1).cache)
    assert opened.granted == {"Mail.Send"}
    assert await custody.link(person(1)) == account(1)
    assert await custody.kept(person(2)) is None and await custody.link(person(2)) is None


@pytest.mark.promise("S2", "core.identity", "core.storage")
async def test_keys_change_without_losing_a_token(database: Database) -> None:
    count = 1_000
    before, during, after = (KeyRing.parse(text) for text in (OLD, f"{NEW},{OLD}", NEW))
    await fill(database, before, count)
    assert await unreadable(Custody(database, KeyRing.parse(f"{OLD},{NEW}")), count) == 0
    assert await rotate(database, during) == 2 * count
    assert await rotate(database, during) == 0
    assert await unreadable(Custody(database, after), count) == 0
    assert await unreadable(Custody(database, before), 50) == 50


@pytest.mark.slow
@pytest.mark.promise("S2", "core.identity", "core.storage")
async def test_keys_change_over_ten_thousand_tokens(sqlite: Database) -> None:
    await fill(sqlite, KeyRing.parse(OLD), 10_000)
    assert await rotate(sqlite, KeyRing.parse(f"{NEW},{OLD}")) == 20_000
    assert await unreadable(Custody(sqlite, KeyRing.parse(NEW)), 10_000) == 0


async def test_a_rotation_tells_how_many_rows_nobody_can_open(database: Database) -> None:
    await fill(database, KeyRing.parse(OLD), 3)
    row = await tokens.read(database, person(1), "entra")
    assert row
    await database.execute(
        "UPDATE tokens SET body = ? WHERE person = ?", (row.body[:-1] + b"\x00\x00", person(1))
    )
    with pytest.raises(Unreadable, match="1 sealed rows"):
        await rotate(database, KeyRing.parse(f"{NEW},{OLD}"))
    assert await unreadable(Custody(database, KeyRing.parse(NEW)), 3) == 1


async def test_a_token_renewed_during_a_rotation_is_not_lost(one: Office) -> None:
    """The running bot and the rotation write the same row; the newer tokens stay."""
    await one.link(MARA, "mara")
    one.ms.entra.is_rotation_strict = True
    (stored,) = await tokens.page(one.database)
    await one.accounts.token(MARA, MAIL)
    assert not await tokens.reseal(one.database, stored, b"older")
    assert await one.accounts.token(MARA, MAIL)


@pytest.mark.promise("S3", "core.identity", "core.storage")
async def test_an_altered_row_is_refused(database: Database) -> None:
    count, chance = 500, random.Random(3)
    custody = await fill(database, RING, count)
    async with database.transaction() as tx:
        for row in await tokens.page(tx, limit=count):
            body, bit = bytearray(row.body), chance.randrange(len(row.body) * 8)
            body[bit // 8] ^= 1 << (bit % 8)
            sql = "UPDATE tokens SET body = ? WHERE person = ?"
            await tx.execute(sql, (bytes(body), row.person))
    assert await unreadable(custody, count) == count


@pytest.mark.promise("S3", "core.identity", "core.storage")
async def test_a_row_of_somebody_else_is_refused(database: Database) -> None:
    count = 500
    custody = await fill(database, RING, count)
    async with database.transaction() as tx:
        rows = await tokens.page(tx, limit=count)
        for row, other in zip(rows, [*rows[1:], rows[0]], strict=True):
            sql = "UPDATE tokens SET body = ? WHERE person = ?"
            await tx.execute(sql, (other.body, row.person))
    assert await unreadable(custody, count) == count


@pytest.mark.promise("S3", "core.identity", "core.storage")
async def test_a_link_of_somebody_else_is_refused(database: Database) -> None:
    custody = await fill(database, RING, 2)
    other = await links.read(database, person(1))
    assert other
    sql = "UPDATE links SET body = ?, account = ? WHERE person = ?"
    await database.execute(sql, (other.body, other.account, person(0)))
    with pytest.raises(Unreadable):
        await custody.link(person(0))
    assert (await custody.links(person(1), None))[1] == (person(1),)


async def test_a_person_is_bound_to_one_account(database: Database) -> None:
    custody = await fill(database, RING, 1)
    assert not await custody.bind(database, person(0), account(1), now=2.0)
    assert await custody.link(person(0)) == account(0)
    assert await custody.bind(database, person(0), account(0), now=2.0)


async def test_tokens_that_came_from_older_ones_replace_no_newer(database: Database) -> None:
    custody = await fill(database, RING, 1)
    older = await custody.kept(person(0))
    assert older
    await custody.put(database, replace(older, cache="newer"), now=2.0)
    assert not await custody.renew(replace(older, cache="late"), now=3.0)
    newer = await custody.kept(person(0))
    assert newer and newer.cache == "newer"


@pytest.mark.promise("S3", "core.identity")
async def test_a_row_is_not_read_as_another_kind(sqlite: Database) -> None:
    custody = await fill(sqlite, RING, 1)
    link = await links.read(sqlite, person(0))
    assert link
    await sqlite.execute("UPDATE tokens SET body = ?", (link.body,))
    with pytest.raises(Unreadable):
        await custody.kept(person(0))


@pytest.mark.promise("S3", "core.identity")
async def test_swapped_tokens_give_nobody_a_token(one: Office) -> None:
    await one.link(MARA, "mara")
    await one.link(TOM, "tomas")
    mara, tom = await tokens.page(one.database)
    sql = "UPDATE tokens SET body = ? WHERE person = ?"
    await one.database.execute(sql, (mara.body, TOM))
    await one.database.execute(sql, (tom.body, MARA))
    for who in (MARA, TOM):
        with pytest.raises(Exception, match="Connect again"):
            await one.accounts.token(who, MAIL)


@pytest.mark.promise("S3", "core.identity")
async def test_a_link_pointed_at_another_account_joins_nobody(one: Office) -> None:
    """Whoever can write to the database can still not become somebody else."""
    await one.link(MARA, "mara")
    await one.link(TOM, "tomas")
    mara = await links.read(one.database, MARA)
    assert mara
    await one.database.execute("UPDATE links SET account = ? WHERE person = ?", (mara.account, TOM))
    await one.database.execute("DELETE FROM tokens WHERE person = ?", (TOM,))
    assert TOM not in await one.accounts.joined(MARA)
    assert MARA not in await one.accounts.joined(TOM)
    with pytest.raises(Exception, match="no longer counts"):
        await one.accounts.token(TOM, MAIL)


@pytest.mark.promise("S2", "core.identity")
async def test_a_lost_key_asks_people_to_connect_again(one: Office) -> None:
    await one.link(MARA, "mara")
    for table in ("tokens", "links"):
        (row,) = await one.database.fetch(f"SELECT body FROM {table}")  # type: ignore[arg-type]
        body = KeyRing.parse(NEW).seal(bytes(row["body"]), "lost")
        await one.database.execute(f"UPDATE {table} SET body = ?", (body,))  # type: ignore[arg-type]
    with pytest.raises(Exception, match="cannot be read"):
        await one.accounts.token(MARA, MAIL)
    assert await one.accounts.account(MARA) is None
    assert (await one.link(MARA, "mara")).status == 200
    assert await one.accounts.token(MARA, MAIL)
    assert "disconnected" in await one.accounts.disconnect(MARA)
