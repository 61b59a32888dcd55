"""Real public data that lies beside the project where somebody put it, and never inside it."""

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parent.parent


def given(name: str) -> Path:
    """The folder or file of this name, from `COUNTERSIGN_TEST_DATA` or `../shared/data`; skips the
    test with a reason where there is none."""
    folder = Path(os.environ.get("COUNTERSIGN_TEST_DATA") or _ROOT.parent / "shared" / "data")
    if not (folder / name).exists():
        pytest.skip(f"no public test data here: {name} (set COUNTERSIGN_TEST_DATA to its folder)")
    return folder / name
