"""Runs one measurement once, in a process of its own: `python -m bench.run NAME SUBJECT`."""

import asyncio
import json
import shutil
import sys
from importlib import import_module
from pathlib import Path

STATE = Path(__file__).parent / ".state"


def main(name: str, subject: str) -> None:
    """Print the figures as one JSON object, the last line."""
    folder = STATE / f"{name}-{subject.replace(', ', '-')}"
    shutil.rmtree(folder, ignore_errors=True)
    figures = asyncio.run(import_module(f"bench.{name}").measure(subject, folder))
    shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
