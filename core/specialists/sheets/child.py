"""Reads one posted file in a process of its own, within hard limits, and writes its tables."""

import json
import resource
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.errors import SourceFailed
from core.specialists.sheets.grid import grids
from core.specialists.sheets.tables import Table, tables
from core.specialists.sheets.writing import write

MEMORY = 3 * 1024 * 1024 * 1024
"""Bytes of address space; the libraries alone take a third of it."""
FILE_BYTES = 1024 * 1024 * 1024
MOST_TABLES = 200


def read(job: dict[str, Any]) -> dict[str, Any]:
    """`{"tables": […]}`, or `{"fault": "a sentence"}`."""
    name = str(job["name"])
    try:
        found: list[Table] = [
            table
            for grid in grids(Path(job["source"]).read_bytes(), name)
            for table in tables(grid)
        ]
    except SourceFailed as fault:
        return {"fault": str(fault)}
    if not found:
        return {"fault": f"{name} holds no table."}
    if len(found) > MOST_TABLES:
        return {"fault": f"{name} holds {len(found)} tables, more than the {MOST_TABLES} I read."}
    old = Path(job["old"]) if job["old"] else None
    stored = write(found, name, set(job["taken"]), old, Path(job["new"]), Path(job["spill"]))
    return {"tables": [asdict(one) for one in stored]}


def limit(seconds: int) -> None:
    """Hold this process to its limits, whatever it reads."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    job = json.load(sys.stdin)
    limit(int(job["seconds"]))
    try:
        said = read(job)
    except MemoryError:
        said = {"fault": f"{job['name']} needs more memory than I give to one file."}
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
