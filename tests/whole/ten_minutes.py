"""Ten minutes of fifty questions a second, which no gate has time for.

    python -m tests.whole.ten_minutes [SECONDS]

prints how long the acknowledgements took and exits with 1 where that was too long. For a machine
that does nothing else: the questions, the model and Slack are played on it as well.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.whole.test_accepting import LONGEST, accepted

P99 = 0.5
"""Seconds."""


def main(seconds: float) -> int:
    with tempfile.TemporaryDirectory() as folder:
        taken, refused = asyncio.run(accepted(Path(folder), seconds))
    middle, late = taken[len(taken) // 2], taken[int(len(taken) * 0.99)]
    print(
        f"{len(taken)} delivered, {refused} not accepted:"
        f" p50 {middle:.4f} s, p99 {late:.4f} s, longest {taken[-1]:.4f} s"
    )
    return int(refused > 0 or late > P99 or taken[-1] >= LONGEST)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 600.0))
