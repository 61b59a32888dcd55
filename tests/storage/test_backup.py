"""What a copy of the database holds, and that it comes back on either engine."""

import asyncio
from pathlib import Path

import pytest

from core.errors import Misconfigured
from core.identity.custody import Custody
from core.identity.opening import sealed_shut
from core.identity.vault import KeyRing
from core.storage import backup, copies, entries, inbox, outbox
from core.storage.amounts import Amount, amount, differences
from core.storage.database import Database, open_database
from core.storage.migrate import migrations
from tests.approvals.office import MAIL, office
from tests.identity import test_custody as sealed
from tests.identity.test_custody import NEW, OLD, fill
from tests.storage.examples import entry, post, put, question

STRANGE = 'Ünïcode, "quotes", tabs\t, lines\n, \\N and \\. and NULL'


async def filled(db: Database) -> None:
    """Rows of every kind of value: texts, numbers, bytes, nothing."""
    await fill(db, KeyRing.parse(OLD), 20)
    for number in range(20):
        await put(db, question(f"d{number}", number % 3, text=f"{STRANGE} {number}"))
    await entries.add(db, entry("t_d1", price=None))
    await entries.add(db, entry("t_d2"))
    async with db.transaction() as tx:
        await outbox.put(tx, post("t_d1", text=STRANGE))


async def read_again(url: str) -> dict[str, Amount]:
    """What the database holds, read through the port."""
    db = await open_database(url, is_shared=True)
    try:
        found: dict[str, Amount] = {}
        for name in ("inbox", "entries", "outbox", "links", "tokens"):
            rows = await db.fetch(f"SELECT * FROM {name}")
            found[name] = amount(tuple(row.values()) for row in rows)
        return found
    finally:
        await db.close()


@pytest.mark.promise("D10", "core.storage")
async def test_a_copy_holds_all_that_was_committed_when_it_began_while_writing_goes_on(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    """And nothing by halves: what was written together, in the first and the last table that are
    read, is there together."""
    committed, is_over, has_begun = 0, asyncio.Event(), asyncio.Event()

    async def write() -> None:
        nonlocal committed
        while not is_over.is_set():
            async with database.transaction() as tx:
                await tx.execute(
                    "INSERT INTO card_readings VALUES (?, 1, 'p', 1.0)", (f"w{committed}",)
                )
                await tx.execute(
                    "INSERT INTO tokens VALUES (?, 'entra', 'v', ?, 1.0)", (f"w{committed}", b"x")
                )
            committed += 1
            if committed > 20:
                has_begun.set()

    before = 0
    async with asyncio.TaskGroup() as group:
        group.create_task(write())
        await has_begun.wait()
        for name in ("one.db", "two.db", "three.db"):
            before = committed
            await backup.back_up(database_url, tmp_path / name)
            with copies.opened(tmp_path / name) as held:
                read = {call for (call,) in held.execute("SELECT call FROM card_readings")}
                kept = {person for (person,) in held.execute("SELECT person FROM tokens")}
            assert read == kept == {f"w{number}" for number in range(len(read))}
            assert before <= len(read) <= committed + 1
        is_over.set()
    assert committed > before


@pytest.mark.promise("D10", "core.storage")
async def test_a_restored_copy_holds_the_same_and_its_turn_and_its_click_go_on(
    tmp_path: Path, database_url: str, database: Database, other_url: str
) -> None:
    await filled(database)
    async with office(database) as room:
        call = await room.park()
        await room.park({**MAIL, "subject": "second"})
    await backup.back_up(database_url, tmp_path / "copy.db")
    restored = await backup.restore(tmp_path / "copy.db", other_url)
    assert restored["inbox"].rows == 20 and restored["tokens"].rows == 20
    assert await read_again(database_url) == await read_again(other_url)
    db = await open_database(other_url)
    try:
        [first, *_] = await inbox.claim(db, "me", now=200.0, lease=230.0)
        assert first.turn.question.text == f"{STRANGE} 0"
        opened = await Custody(db, KeyRing.parse(OLD)).kept(sealed.person(1))
        assert opened and opened.cache == sealed.kept(1).cache
        async with office(db) as room:
            await room.click(call)
            await room.carry_out()
            assert [one.id for one in room.box.sent] == [call.id]
    finally:
        await db.close()


async def test_numbers_go_on_where_they_were_also_when_the_newest_row_is_gone(
    tmp_path: Path, database_url: str, database: Database, other_url: str
) -> None:
    await put(database, question("d1"))
    await put(database, question("d2"))
    await database.execute("DELETE FROM inbox WHERE delivery = ?", ("d2",))
    await backup.back_up(database_url, tmp_path / "copy.db")
    await backup.restore(tmp_path / "copy.db", other_url)
    db = await open_database(other_url)
    try:
        await put(db, question("d3"))
        await entries.add(db, entry("t_d3"))
        rows = await db.fetch("SELECT seq FROM inbox ORDER BY seq")
        assert [row["seq"] for row in rows] == [1, 3]
        assert [row["seq"] for row in await db.fetch("SELECT seq FROM entries")] == [1]
    finally:
        await db.close()


async def test_what_is_sealed_stays_sealed_in_a_copy(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    await fill(database, KeyRing.parse(OLD), 3)
    copy = tmp_path / "copy.db"
    await backup.back_up(database_url, copy)
    assert b"refresh-1" not in copy.read_bytes()
    assert copy.stat().st_mode & 0o777 == 0o600
    db = await open_database(f"sqlite:///{copy}")
    try:
        assert await sealed_shut(db, KeyRing.parse(OLD)) == 0
        assert await sealed_shut(db, KeyRing.parse(NEW)) == 6
    finally:
        await db.close()


async def test_a_copy_does_not_migrate_the_database_that_a_bot_runs_on(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    """A newer program may back up what an older one is still running on."""
    last = migrations("sqlite")[-1].number
    await database.execute("DELETE FROM migrations WHERE number = ?", (last,))
    await backup.back_up(database_url, tmp_path / "copy.db")
    row = await database.fetch_one("SELECT max(number) AS last FROM migrations")
    assert row and row["last"] < last


async def test_an_older_copy_is_brought_up_to_date(tmp_path: Path, other_url: str) -> None:
    old = tmp_path / "old.db"
    copies.prepare(old, {m.number for m in migrations("sqlite") if m.number < 60})
    with copies.opened(old) as held:
        held.execute(
            "INSERT INTO turns VALUES ('t', 'h', 'p', 'x', 'done', 'q', 'a', '', '', 1, 2)"
        )
    restored = await backup.restore(old, other_url)
    assert restored["turns"].rows == 1
    db = await open_database(other_url)
    try:
        assert await db.fetch("SELECT taken_back_at FROM turns") == [{"taken_back_at": None}]
    finally:
        await db.close()


async def test_a_database_that_holds_something_is_never_written_over(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    await put(database, question("d1"))
    await backup.back_up(database_url, tmp_path / "copy.db")
    await database.close()
    with pytest.raises(Misconfigured, match=r"is there already|is not empty"):
        await backup.restore(tmp_path / "copy.db", database_url)
    with pytest.raises(Misconfigured, match="is there already"):
        await backup.back_up(database_url, tmp_path / "copy.db")
    assert (await read_again(database_url))["inbox"].rows == 1


async def test_a_database_that_a_bot_runs_on_is_not_restored_into(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    await backup.back_up(database_url, tmp_path / "copy.db")
    with pytest.raises(Misconfigured, match="Another process"):
        await backup.restore(tmp_path / "copy.db", database_url)


async def test_a_file_that_is_damaged_or_no_copy_is_refused_and_nothing_is_made(
    tmp_path: Path, sqlite: Database
) -> None:
    await filled(sqlite)
    copy, target = tmp_path / "copy.db", tmp_path / "new" / "bot.db"
    await backup.back_up(f"sqlite:///{tmp_path}/countersign.db", copy)
    content = copy.read_bytes()
    for name, spoilt in (
        ("cut.db", content[: len(content) // 2]),
        ("torn.db", content[:20_000] + b"\xff" * 8_000 + content[28_000:]),
        ("notes.db", b"no database " * 400),
        ("empty.db", b""),
    ):
        (tmp_path / name).write_bytes(spoilt)
        with pytest.raises(Misconfigured, match=name):
            await backup.restore(tmp_path / name, f"sqlite:///{target}")
    with pytest.raises(Misconfigured, match=r"absent\.db"):
        await backup.restore(tmp_path / "absent.db", f"sqlite:///{target}")
    assert not target.exists()


async def test_a_copy_whose_index_lies_is_refused(tmp_path: Path, sqlite: Database) -> None:
    """Nothing that reads its tables would notice."""
    await filled(sqlite)
    copy = tmp_path / "copy.db"
    await backup.back_up(f"sqlite:///{tmp_path}/countersign.db", copy)
    with copies.opened(copy) as held:
        held.execute("PRAGMA writable_schema = ON")
        held.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, '(thread, claimed_at)', '(place, seq)')"
            " WHERE name = 'inbox_served'"
        )
    with pytest.raises(Misconfigured, match="is damaged"):
        await backup.restore(copy, f"sqlite:///{tmp_path}/new.db")


async def test_a_copy_of_a_newer_version_is_refused(tmp_path: Path, sqlite: Database) -> None:
    await sqlite.execute("INSERT INTO migrations (number, name) VALUES (9999, 'later')")
    with pytest.raises(Misconfigured, match="newer version"):
        await backup.back_up(f"sqlite:///{tmp_path}/countersign.db", tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


async def test_a_sqlite_installation_moves_to_an_empty_postgres_once(
    tmp_path: Path, sqlite: Database, postgres_url: str
) -> None:
    source = tmp_path / "countersign.db"
    await filled(sqlite)
    with pytest.raises(Misconfigured, match="Another process"):
        await backup.move(source, postgres_url)
    await sqlite.close()
    before = copies.amounts(source)
    assert await backup.move(source, postgres_url) == before
    assert await read_again(postgres_url) == await read_again(f"sqlite:///{source}")
    with pytest.raises(Misconfigured, match="is not empty"):
        await backup.move(source, postgres_url)


async def test_what_postgres_does_not_take_leaves_it_empty(
    tmp_path: Path, sqlite: Database, postgres_url: str
) -> None:
    """Postgres holds no NUL in a text; whatever brought one in, half a move is none."""
    await put(sqlite, question("d1"))
    await sqlite.execute("UPDATE inbox SET body = ?", ("a\0b",))
    await sqlite.close()
    with pytest.raises(Misconfigured):
        await backup.move(tmp_path / "countersign.db", postgres_url)
    assert (await read_again(postgres_url))["inbox"].rows == 0


async def test_the_drill_restores_aside_and_leaves_the_running_database_alone(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    await filled(database)
    before = await read_again(database_url)
    folder = tmp_path / "drill"
    folder.mkdir()
    copy, found = await backup.drill(database_url, folder)
    assert found["inbox"].rows == 20 and differences(copies.amounts(copy), found) == []
    assert await read_again(database_url) == before
    if database.dialect == "postgres":
        assert not await database.fetch(
            "SELECT 1 FROM information_schema.schemata WHERE schema_name = 'countersign_drill'"
        )


def test_one_row_that_differs_is_seen() -> None:
    rows = [(1, "a", None), (2, "b", b"\x00"), (2, "b", b"\x00")]
    assert amount(rows) == amount(reversed(rows))
    for other in (rows[:-1], [*rows[:-1], (2, "b", "\x00")], [*rows[:-1], (2.0, "b", b"\x00")]):
        assert differences({"t": amount(rows)}, {"t": amount(other)}) == ["t"]
    assert (
        differences({"t": amount(rows)}, {}) == ["t"] and differences({"t": amount([])}, {}) == []
    )
