"""What a thread costs as it grows: characters to the model, bytes on disk, CPU, and what of its \
past can still be answered."""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from tokenizers import Tokenizer

from bench import words
from bench.peers.kinds import Script, opened
from core.llm import minilm

MARKS = (1, 5, 10, 20, 50, 200, 500)
WARM = 10


def window(mark: int) -> int:
    """Turns over which a figure at a mark is taken, up to the mark: more where there are more, so
    that the text index, which merges what it holds every now and then, shows its average."""
    return min(mark, max(10, min(mark // 4, 50)))


_BEGINS = frozenset(mark - window(mark) for mark in MARKS)
_MERGE = """
import pathlib, sqlite3, sys
for name in sys.argv[1:]:
    rows = sqlite3.connect(name)
    rows.execute("PRAGMA busy_timeout = 5000")
    rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    rows.close()
"""


async def measure(agent: str, folder: Path, turns: int = MARKS[-1]) -> dict[str, float]:
    """One thread of that many turns; the figures are named `chars@50` and the like."""
    script = Script()
    figures: dict[str, float] = {}
    cpu: list[float] = []
    async with opened(agent, folder, script) as turn:
        for number in range(WARM):
            await turn("warm", words.question(number))
        bytes_at = {0: merged_bytes(folder)}
        for number in range(1, turns + 1):
            used = time.process_time()
            await turn("long", words.question(number))
            cpu.append(time.process_time() - used)
            if number in _BEGINS:
                bytes_at[number] = merged_bytes(folder)
            if number in MARKS:
                begins = number - window(number)
                now = merged_bytes(folder)
                figures |= {
                    f"chars@{number}": script.characters,
                    f"tokens@{number}": tokens(script.prompts),
                    f"cpu@{number}": median(cpu[begins:]) * 1e3,
                    f"bytes@{number}": now,
                    f"growth@{number}": (now - bytes_at[begins]) / window(number),
                }
                figures |= await _facts(turn, script, number)
    return figures


async def _facts(turn: object, script: Script, number: int) -> dict[str, float]:
    """How many of the facts that were told at the start are in the prompt when they are asked
    for, each in a turn of its own."""
    if number not in (50, 200, 500):
        return {}
    kept = 0
    for fact in words.FACTS:
        await turn("long", fact.asked)  # type: ignore[operator]
        kept += any(fact.key in text for text in script.prompts)
    return {f"facts@{number}": kept}


def merged_bytes(folder: Path) -> int:
    """Bytes of all databases under the folder, once their logs are merged into them. Done by a
    process of its own: two SQLite libraries in one process must not open one file."""
    databases = [str(path) for path in folder.rglob("*.db")]
    subprocess.run([sys.executable, "-c", _MERGE, *databases], check=True)
    return sum(path.stat().st_size for path in folder.rglob("*.db*"))


def tokens(texts: list[str]) -> int:
    """By the word pieces of the offline embedder, which are finer than a chat model's."""
    tokenizer = Tokenizer.from_file(
        str(minilm._checked(*minilm.TOKENIZER, minilm.TOKENIZER_SHA256))
    )
    tokenizer.no_truncation()
    return sum(len(tokenizer.encode(text).ids) for text in texts)
