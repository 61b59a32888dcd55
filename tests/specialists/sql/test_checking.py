"""Sources as an operator writes them, and the command that asks their databases."""

from pathlib import Path

import pytest

from bot import cli
from tests.specialists.sql.world import world

SOURCE = """
sources:
  shop:
    title: The shop
    kind: sqlite
    connection: {path: main.db}
    tables:
      - {name: sales, columns: {amount: In kroner.}}
      - {name: customers, hidden: [ssn]}
    metrics:
      revenue: {sql: SUM(sales.amount)}
    joins: [sales.customer_id = customers.id]
    verified:
      - question: How much?
        sql: SELECT SUM(amount) AS x FROM sales
        owner: ann
        checked: 2026-10-01
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(folder: Path, text: str) -> int:
    (folder / "countersign.yaml").write_text(text, "utf-8")
    with world("sqlite", folder):
        return cli.main(["sources", "check", "--workspace"])


def test_a_source_that_is_as_described_passes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(folder, SOURCE) == 0
    assert capsys.readouterr().out == "shop: as described\n"


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("name: sales,", "name: slaes,", "there is no slaes"),
        ("hidden: [ssn]", "hidden: [sn]", "customers has no column sn"),
        ("SUM(sales.amount)", "SUM(sales.amout)", "There is no column amout"),
        ("SELECT SUM(amount)", "SELECT SUM(ssn)", "There is no column ssn"),
        ("FROM sales\n", "FROM salaries\n", "There is no table salaries"),
        ("sales.customer_id", "sales.customer", "there is no sales.customer"),
        ("main.db", "nowhere.db", "cannot be opened"),
    ],
)
def test_what_the_database_does_not_know_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], was: str, now: str, said: str
) -> None:
    assert checked(folder, SOURCE.replace(was, now)) == 1
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("kind: sqlite", "kind: oracle", "countersign.yaml:5: `sources.shop.kind`"),
        ("title: The shop", "titel: The shop", "countersign.yaml:4: `sources.shop.titel`"),
        ("{path: main.db}", "{}", "path is missing"),
        ("2026-10-01", "lately", "`sources.shop.verified.0.checked`"),
        ("kind: sqlite", "kind: sqlite\n    time_zone: Kopenhagen", "time_zone is an IANA name"),
        ("{path: main.db}", "{path: '${SOURCE_PATH}'}", "SOURCE_PATH is not set"),
        ("{path: main.db}", "{path: a, password: hunter2}", "a secret stands in the environment"),
    ],
)
def test_a_misspelt_source_is_refused_with_its_line(
    folder: Path, capsys: pytest.CaptureFixture[str], was: str, now: str, said: str
) -> None:
    assert checked(folder, SOURCE.replace(was, now)) == 2
    assert said in capsys.readouterr().err


def test_a_source_may_stand_in_a_file_of_its_own_whose_lines_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "shop.yaml").write_text("title: The shop\nkind: oracle\n", "utf-8")
    assert checked(folder, "sources:\n  shop: {file: shop.yaml}\n") == 2
    assert "shop.yaml:2: `sources.shop.kind`" in capsys.readouterr().err


def test_a_secret_is_taken_from_the_environment_and_is_in_no_text_of_the_source(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot import config, settings

    monkeypatch.setenv("SOURCE_PASSWORD", "canary-hunter2")
    (folder / "countersign.yaml").write_text(
        "sources:\n  shop:\n    title: The shop\n    kind: postgres\n    connection:"
        " {host: h, database: d, user: u, password: '${SOURCE_PASSWORD}'}\n",
        "utf-8",
    )
    found = settings.from_environment(is_workspace=True)
    (source,) = config.read(found).sources
    assert source.connection["password"] == "canary-hunter2"
    assert "hunter2" not in repr(source) + repr(found)
    assert "canary-hunter2" in found.secrets()
