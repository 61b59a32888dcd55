"""Reads pictures of pages with the program tesseract on this machine: nothing leaves it."""

import asyncio
import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

from core.errors import ModelFailed
from core.ledger.meter import Meter
from core.records import Billing, Usage

NAME = "tesseract"
LANGUAGES = "eng"
DEADLINE = 60.0
"""Seconds for one picture."""
MEMORY = 2**30
_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """`core.specialists.documents.ingest.Eyes`: each picture is one metered page, which costs
    nothing."""

    meter: Meter
    program: str
    """The path of the program."""
    languages: str = LANGUAGES
    """As the program names them: `deu+eng`."""

    async def __call__(self, image: bytes, billing: Billing) -> str:
        use = self.meter.begin(billing, kind="ocr", provider=NAME, model=self.languages)
        try:
            text = await self._read(image)
        except ModelFailed as failure:
            await self.meter.end(use, Usage(), outcome=failure.kind)
            raise
        await self.meter.end(use, Usage(pages=1), outcome="ok")
        return text

    async def _read(self, image: bytes) -> str:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-s", "-X", "utf8"),
            *("-m", "core.specialists.documents.parsing.reading"),
            *(self.program, self.languages, str(MEMORY), str(int(DEADLINE))),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd="/",
            # Nothing of our own environment: it holds keys.
            env={
                "PYTHONPATH": str(_ROOT),
                "PYTHONDONTWRITEBYTECODE": "1",
                "OMP_THREAD_LIMIT": "1",
            },
        )
        try:
            async with asyncio.timeout(DEADLINE):
                said, _ = await child.communicate(image)
        except TimeoutError:
            raise ModelFailed("timeout", "reading a page took too long") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
        if child.returncode:
            told = f"tesseract could not read a page in `{self.languages}`"
            raise ModelFailed("rejected", told)
        return said.decode("utf-8", "replace").strip()
