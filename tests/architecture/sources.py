"""The project's own files, as git knows them."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("bot", "adapters", "core")


@cache
def tracked() -> tuple[Path, ...]:
    """Every file of the project, relative to its root; without git, every file that is no
    product of a tool."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        names = [Path(name) for name in listed.stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file()]
        names = [n for n in names if not any(part.startswith(".") for part in n.parts[:-1])]
    return tuple(name for name in sorted(names) if (ROOT / name).is_file())


def modules(*folders: str) -> Iterator[tuple[Path, str]]:
    """The Python files under these folders with their text, empty `__init__.py` left out."""
    for name in tracked():
        if name.suffix == ".py" and name.parts[0] in folders:
            text = (ROOT / name).read_text("utf-8")
            if text:
                yield name, text


@cache
def product() -> tuple[tuple[Path, ast.Module], ...]:
    """The parsed modules of the product."""
    return tuple((name, ast.parse(text, str(name))) for name, text in modules(*PRODUCT))
