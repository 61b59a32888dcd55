"""A thousand pages, read by the command that an operator types: killed, resumed, nothing twice."""

import asyncio
import os
import re
import signal
import sys
from collections import Counter
from pathlib import Path

from core.storage.database import open_database
from tests.fakes.model_server import ModelServer
from tests.fakes.papers import Sheet, bomb, locked, pdf
from tests.whole.process import ROOT

PAGES = 1_000
CEILING = 450
"""Megabytes that the command may take at its most, its child aside."""
BOOK = pdf(
    [
        Sheet(
            heading=f"Chapter {n // 50}" if n % 50 == 0 else "",
            lines=[f"Page {n}: the wheel {n * i} runs in gear {i} of chain {n}." for i in range(8)],
        )
        for n in range(PAGES)
    ]
)


async def command(folder: Path, url: str, *words: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot.cli", "documents", words[0], "--workspace", *words[1:]),
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "OPENAI_API_KEY": "sk-" + "t" * 40,
            "OPENAI_BASE_URL": url,
            "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def peak(pid: int) -> int:
    """The most memory that the process has taken so far, in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) // 1024


def embedded(models: ModelServer) -> list[str]:
    return [text for asked in models.asked for text in asked.body.get("input", [])]


async def test_a_thousand_pages_are_read_within_bounds_and_go_on_after_a_kill(
    tmp_path: Path,
) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "book.pdf").write_bytes(BOOK)
    for name, content in (("bad.pdf", BOOK[:900]), ("bomb.docx", bomb()), ("key.docx", locked())):
        (papers / name).write_bytes(content)
    async with ModelServer(dimensions=1536) as models:
        first = await command(tmp_path, models.openai_url, "add", str(papers))
        while len(embedded(models)) < 300:
            assert first.returncode is None, (await first.communicate())[1].decode()
            await asyncio.sleep(0.02)
        assert peak(first.pid) < CEILING
        first.send_signal(signal.SIGKILL)
        await first.wait()
        before = embedded(models)

        second = await command(tmp_path, models.openai_url, "sync")
        out, err = (text.decode() for text in await second.communicate())
        assert second.returncode == 0, err
        assert "1 changed" in out or "1 new" in out, out
        assert re.search(r"book\.pdf: [\d,]+ chunks", err)
        twice = [text for text, count in Counter(embedded(models)).items() if count > 1]
        assert len(twice) <= 16, "no more than one batch was under way when it was killed"
        assert len(set(embedded(models)) - set(before)) > 300

        third = await command(tmp_path, models.openai_url, "status")
        told = (await third.communicate())[0].decode()
    assert "1 documents" in told
    assert "bad.pdf is no PDF that can be opened: it is damaged or cut off." in told
    assert "bomb.docx unpacks to more than 256 MB" in told
    assert "key.docx is protected by a password." in told
    db = await open_database(f"sqlite:///{tmp_path}/.state/countersign.db")
    rows = await db.fetch("SELECT pages, chunks FROM documents WHERE name = 'book.pdf'")
    bodies = Counter(row["body"] for row in await db.fetch("SELECT body FROM embeddings"))
    await db.close()
    assert rows[0]["pages"] == PAGES and rows[0]["chunks"] == len(bodies)
    assert max(bodies.values()) == 1
