"""Scanned pages are read by a program of this machine, and each one is metered."""

import shutil
from pathlib import Path

import pytest

from bot.eyes import eyes
from bot.settings import read
from core.errors import Misconfigured, ModelFailed
from core.ledger.meter import Meter
from core.records import LedgerEntry
from core.specialists.documents.ingest import Ingest
from core.specialists.documents.ocr import Reading
from core.storage import documents
from core.storage.database import Database
from core.storage.documents import Document
from core.storage.index import open_index
from tests.fakes.papers import Sheet, pdf
from tests.specialists.documents.shelf import BILLING, Embedder, vector

SCAN = pdf([Sheet(is_picture=True), Sheet(is_picture=True), Sheet(lines=["These words are text."])])
READS = """#!/bin/sh
[ "$(head -c 4 | tail -c 3)" = PNG ] && [ "$3 $4" = "-l deu+eng" ] || exit 3
[ -z "$SECRET" ] || exit 4
touch %s/written 2>/dev/null && echo x > %s/written 2>/dev/null
echo "Ein Hotel darf 180 Euro kosten."
"""


def reading(program: Path, script: str) -> tuple[Reading, list[LedgerEntry]]:
    program.write_text(script)
    program.chmod(0o755)
    entries: list[LedgerEntry] = []

    async def add(entry: LedgerEntry) -> None:
        entries.append(entry)

    meter = Meter(add, lambda: 1_000.0)
    return Reading(meter=meter, program=str(program), languages="deu+eng"), entries


async def test_each_scanned_page_is_read_in_bounds_and_is_a_page_that_costs_nothing(
    sqlite: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "a key")
    seen, entries = reading(tmp_path / "tesseract", READS % (tmp_path, tmp_path))
    index = await open_index(sqlite, model="words")
    ingest = Ingest(db=sqlite, index=index, embed=Embedder(), clock=lambda: 1.0, eyes=seen)
    scope = await documents.know_readers(sqlite, ("group:everyone",))
    scan = Document(id="s", source="", path="s", name="scan.pdf", scope=scope)
    taken = await ingest.take(scan, SCAN, BILLING)
    assert (taken.state, taken.pages, taken.problem) == ("ready", 3, "")
    found = await index.search([scope], vector("Hotel Euro"), "Hotel")
    assert "180 Euro" in found[0].text
    assert [(one.kind, one.model, one.usage.pages, one.price, one.outcome) for one in entries] == [
        ("ocr", "deu+eng", 1, "0", "ok")
    ] * 2
    held = tmp_path / "written"
    assert not held.exists() or held.read_bytes() == b"", "it writes no file"
    await index.close()


async def test_a_program_that_fails_is_a_sentence_and_no_page(tmp_path: Path) -> None:
    seen, entries = reading(tmp_path / "tesseract", "#!/bin/sh\nexit 1\n")
    with pytest.raises(ModelFailed, match="could not read a page in `deu\\+eng`"):
        await seen(b"\x89PNG", BILLING)
    [entry] = entries
    assert (entry.usage.pages, entry.price, entry.outcome) == (0, "0", "rejected")


def test_a_program_that_is_wanted_and_not_there_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    wanted = {"COUNTERSIGN_VISION": "tesseract:deu+eng"}
    settings = read(wanted, folder=tmp_path, is_workspace=True)
    meter = reading(tmp_path / "other", "")[0].meter
    with pytest.raises(Misconfigured, match="no program tesseract"):
        eyes(settings, None, meter)
    (tmp_path / "other").rename(tmp_path / "tesseract")
    found = eyes(settings, None, meter)
    assert isinstance(found, Reading) and found.languages == "deu+eng"


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed here")
async def test_the_real_program_reads_a_page(tmp_path: Path) -> None:
    import pypdfium2

    page = pypdfium2.PdfDocument(pdf([Sheet(lines=["HOTEL 180 EURO"])]))[0]
    drawn = tmp_path / "page.png"
    page.render(scale=3).to_pil().save(drawn)
    seen, _ = reading(tmp_path / "unused", "")
    real = Reading(meter=seen.meter, program=str(shutil.which("tesseract")))
    assert "HOTEL 180" in (await real(drawn.read_bytes(), BILLING)).upper()
