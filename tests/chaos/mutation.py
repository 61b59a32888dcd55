"""Makes every small mistake there is in a room, one after the other, and counts what tests see.

`python -m tests.chaos.mutation [--fresh] [PATH …]` takes modules or folders, the three rooms that
decide and phrase where none is named. What was found is remembered in .mutation: a run that was
cut short goes on, a mistake that was noticed is made again only once its module has changed, and
one that was not as soon as the tests have. It prints each mistake that no test notices, and the
share that was noticed.
"""

import argparse
import hashlib
import importlib
import importlib.abc
import importlib.util
import json
import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.chaos.mistakes import ROOT, Mistake, mistakes

ROOMS = ("core/policy", "core/context", "core/turn")
HOUSE = ("tests/turn/test_introduced.py", "tests/turn/test_turns.py", "tests/turn/test_in_words.py")
"""Whole turns: for modules that are a step of one."""
TESTS: dict[str, tuple[str, ...]] = {
    "core/context": ("tests/context",),
    "core/policy": ("tests/policy",),
    "core/turn/accepting": ("tests/turn/test_accepting.py",),
    "core/turn/deliver": ("tests/turn/test_deliver.py",),
    "core/turn/figures": ("tests/turn/test_figures.py", "tests/turn/test_turns.py"),
    "core/turn/inside": ("tests/turn/test_inside.py",),
    "core/turn/intake": (
        *("tests/turn/test_redelivered.py", "tests/turn/test_welcome.py", *HOUSE),
        "tests/turn/test_stopping.py",
    ),
    "core/turn/lanes": ("tests/turn/test_lanes.py", "tests/turn/test_lanes_kill.py"),
    "core/turn/status": ("tests/turn/test_status.py",),
    "core/turn/telling": ("tests/turn/test_telling.py",),
    "core/turn/watch": ("tests/turn/test_inside.py",),
    "core/turn/welcome": ("tests/turn/test_welcome.py",),
    "core/turn": (*HOUSE, "tests/turn/test_waiting.py", "tests/turn/test_stopping.py"),
}
"""Of each room or module, the tests that have to notice; the first entry that fits counts."""
MEMORY = ROOT / ".mutation"
AT_ONCE = 2
OPTIONS = (
    *("-x", "-q", "--assert=plain", "--timeout=20", "-p", "no:cacheprovider"),
    *("-p", "pytest_asyncio.plugin", "-p", "pytest_timeout", "-k", "not postgres"),
)
"""A test that hangs has noticed something. What both databases do, one of them shows."""


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Loads one module from a text in place of its file."""

    def __init__(self, mistake: Mistake) -> None:
        self._name = mistake.path.removesuffix(".py").replace("/", ".")
        self._mistake = mistake

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname == self._name:
            return importlib.util.spec_from_loader(fullname, self)
        return None

    def get_filename(self, fullname: str) -> str:
        return str(ROOT / self._mistake.path)

    def get_data(self, path: str) -> bytes:
        return self._mistake.source.encode()

    def path_stats(self, path: str) -> Any:
        raise OSError("never from a cache")


class Memory:
    """What earlier runs found, a line each: a digest, and whether a test noticed."""

    def __init__(self, path: Path, *, is_fresh: bool) -> None:
        self._path = path
        if is_fresh:
            path.unlink(missing_ok=True)
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        self._found: dict[str, bool] = {}
        for line in lines:
            self._found.update(json.loads(line))

    def is_noticed(self, mistake: Mistake) -> bool | None:
        """None where it has to be seen (again)."""
        if self._found.get(_digest(mistake.source)):
            return True
        return self._found.get(_digest(mistake.source, *_texts(mistake.path)))

    def note(self, mistake: Mistake, *, is_noticed: bool) -> None:
        texts = () if is_noticed else _texts(mistake.path)
        found = {_digest(mistake.source, *texts): is_noticed}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(found)}\n")


def is_noticed(mistake: Mistake) -> bool:
    """Whether a test fails; in a process of its own, which is a copy of this one."""
    import pytest

    sys.meta_path.insert(0, _Finder(mistake))
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        return pytest.main([*OPTIONS, *map(str, _tests(mistake.path))]) != 0
    # What a broken test leaves open breaks pytest's own end.
    except Exception:
        return True


def _tests(path: str) -> list[Path]:
    """The files, those of the module's own name first: they are the likeliest to notice."""
    named = next(TESTS[place] for place in TESTS if path.startswith(place))
    files = [
        file
        for place in named
        for file in ([ROOT / place] if place.endswith(".py") else sorted(_files(ROOT / place)))
        if file.stem.startswith("test_")
    ]
    return sorted(files, key=lambda file: not file.stem.startswith(f"test_{Path(path).stem}"))


def _texts(path: str) -> list[str]:
    return [file.read_text("utf-8") for file in _tests(path)]


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.mutation", description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH", default=list(ROOMS))
    parser.add_argument("--fresh", action="store_true", help="remember nothing of earlier runs")
    given = parser.parse_args(arguments)
    memory = Memory(MEMORY, is_fresh=given.fresh)
    files = [file for path in given.paths for file in sorted(_files(ROOT / path))]
    found = [mistake for file in files for mistake in mistakes(file)]
    survivors = [mistake for mistake in found if memory.is_noticed(mistake) is False]
    unseen = [mistake for mistake in found if memory.is_noticed(mistake) is None]
    for mistake in survivors:
        print(mistake)
    if unseen:
        print(f"{len(found) - len(unseen)} are known, {len(unseen)} to be made.", file=sys.stderr)
        survivors += _made(unseen, memory)
    for path in given.paths:
        here = [one for one in found if one.path.startswith(path)]
        missed = [one for one in survivors if one.path.startswith(path)]
        share = 100 * (len(here) - len(missed)) / max(1, len(here))
        print(f"{path}: {len(here) - len(missed)} of {len(here)} noticed ({share:.1f} %)")
    return 0


def _made(unseen: Sequence[Mistake], memory: Memory) -> list[Mistake]:
    """Those that no test notices."""
    _load({file for mistake in unseen for file in _tests(mistake.path)})
    survivors: list[Mistake] = []
    with multiprocessing.get_context("fork").Pool(AT_ONCE, maxtasksperchild=1) as pool:
        for mistake, noticed in zip(unseen, pool.imap(is_noticed, unseen), strict=True):
            memory.note(mistake, is_noticed=noticed)
            if not noticed:
                survivors.append(mistake)
                print(mistake, flush=True)
    return survivors


def _files(path: Path) -> list[Path]:
    return [path] if path.suffix == ".py" else list(path.glob("*.py"))


def _load(files: set[Path]) -> None:
    """What every copy needs is loaded once. Of that our own modules are dropped again, so that each
    copy loads them with its mistake."""
    for name in ("hypothesis", "pytest_asyncio.plugin", "pytest_timeout", "tests.conftest"):
        importlib.import_module(name)
    for file in files:
        importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    for name in list(sys.modules):
        is_ours = name.partition(".")[0] in ("adapters", "bot", "core", "tests")
        if is_ours and name != Mistake.__module__:
            del sys.modules[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"


if __name__ == "__main__":
    sys.exit(main())
