"""Imports run one way, and the contracts that say so can tell."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.architecture.sources import PRODUCT, ROOT

LINT = (
    "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
)


def linted(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LINT]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_contract_is_kept():
    ended = linted(ROOT)
    assert ended.returncode == 0, ended.stdout + ended.stderr


BREACHES = {
    "core/errors.py": "import adapters.slack",
    "core/loop/steps.py": "import openai",
    "core/records.py": "import core.storage.inbox",
    "adapters/slack/verify.py": "import core.policy.rules",
    "core/policy/rules.py": "import asyncio",
    "core/turn/run.py": "import langgraph",
    "core/ledger/meter.py": "import langchain_core",
    "bot/server.py": "import slack_sdk",
    "core/loop/graph.py": "import aiosqlite",
    "core/context/shape.py": "import mcp",
    "core/capabilities/pins.py": "import core.specialists",
    "core/approvals/desk.py": "import core.llm.models",
    "core/turn/watch.py": "import opentelemetry",
}
"""One line in one module, for each contract that it breaks."""


def test_every_contract_can_be_broken(tmp_path: Path):
    for folder in PRODUCT:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name, line in BREACHES.items():
        with (tmp_path / name).open("a") as module:
            module.write(f"\n{line}\n")
    ended = linted(tmp_path)
    kept = [line for line in ended.stdout.splitlines() if line.endswith(" KEPT")]
    assert ended.returncode == 1 and kept == []
