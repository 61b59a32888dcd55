"""Ten minutes of fifty questions a second, which no gate has time for.

    python -m tests.whole.ten_minutes [SECONDS]

prints how long the acknowledgements took, and fails where the promise does.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.whole.test_accepting import accepted, judge


def main(seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        taken = asyncio.run(accepted(Path(folder), seconds))
    middle, late = taken[len(taken) // 2], taken[int(len(taken) * 0.99)]
    print(f"{len(taken)} accepted: p50 {middle:.4f} s, p99 {late:.4f} s, longest {taken[-1]:.4f} s")
    judge(taken)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 600.0)
