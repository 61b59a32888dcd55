"""Five hundred turns and the trace of each, which no gate has time for: Slack takes a few posts a \
second.

    python -m tests.whole.five_hundred_traces [TURNS]

exits with a traceback where a turn has no trace of its own, or one in which something is written.
"""

import asyncio
import logging
import sys
import tempfile
from pathlib import Path

from tests.whole.test_traces import each_is_traced


def main(turns: int) -> None:
    # One of the turns fails on purpose, and would say so at length.
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(each_is_traced(Path(folder), turns))
    print(f"{turns} turns, and a trace of each without any content")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
