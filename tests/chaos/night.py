"""The night: ten thousand clicks under at least sixty kills. `python -m tests.chaos.night [COUNT
[KILLS [SEED]]]`; exits with 1 when a promise was broken."""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.chaos.storm import Storm


def main(count: int = 10_000, kills: int = 64, seed: int = 1) -> int:
    with tempfile.TemporaryDirectory(prefix="countersign-night-") as folder:
        storm = Storm(Path(folder), count=count, seed=seed, kills=kills)
        asyncio.run(storm.run())
        print(storm.report())
        return int(any(storm.faults().values()) or storm.killed < kills)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
