"""Fetches the published MCP conformance suite and runs single scenarios of it."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.conformance.scenarios import SUITE, VERSION

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".state" / "conformance" / VERSION
NODE = 22
"""The oldest major version of Node.js that the suite runs on."""
ENTRY = HOME / "node_modules" / SUITE / "dist" / "index.js"
PATIENCE = 120.0
"""Seconds for one scenario."""


class Missing(Exception):
    """The suite cannot be run here; the text says why."""


def fetch() -> str:
    """Install the suite where it is not yet, and return the path of a Node.js that runs it. Raises
    Missing."""
    npm = shutil.which("npm")
    if npm is None:
        raise Missing("npm is not on the PATH")
    node, wanted = shutil.which("node") or "", [f"{SUITE}@{VERSION}"]
    if _major(node) < NODE:
        system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system(), "")
        machine = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine())
        package = f"node-{system}-{machine}"
        node = str(HOME / "node_modules" / package / "bin" / "node")
        wanted.append(f"{package}@{NODE}")
    if not ENTRY.exists() or not Path(node).exists():
        HOME.mkdir(parents=True, exist_ok=True)
        options = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
        command = [npm, "install", "--prefix", str(HOME), *options, *wanted]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Missing(f"npm cannot install {' and '.join(wanted)}")
    return node


def _major(node: str) -> int:
    if not node:
        return 0
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)", said)
    return int(found[1]) if found else 0


def of_client(node: str, scenario: str) -> dict[str, str]:
    """Check -> status, of the suite's server against our client."""
    client = f"{sys.executable} -m tests.conformance.client"
    return _run(node, "client", "--command", client, "--scenario", scenario)


def of_server(node: str, scenario: str, url: str) -> dict[str, str]:
    """Check -> status, of the suite's client against the server at this address."""
    return _run(node, "server", "--url", url, "--scenario", scenario)


def _run(node: str, *words: str) -> dict[str, str]:
    """Raises Missing when the suite gave no result."""
    with tempfile.TemporaryDirectory(prefix="countersign-conformance-") as folder:
        command = [node, str(ENTRY), *words, "--output-dir", folder]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        results = list(Path(folder).rglob("checks.json"))
        if not results:
            raise Missing(f"{words[-1]} gave no result: {(done.stdout + done.stderr)[-500:]}")
        if "CLIENT EXITED WITH ERROR" in done.stdout:
            raise Missing(f"{words[-1]}: our client broke: {done.stdout[-1_500:]}")
        checks = json.loads(results[0].read_text("utf-8"))
    return weighed((check["id"], check["status"]) for check in checks)


def weighed(checks: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Check -> the status that counts most among those it got."""
    order = ("FAILURE", "SUCCESS")
    found: dict[str, str] = {}
    for check, status in checks:
        rank = order.index(status) if status in order else len(order)
        before = found.get(check)
        if before is None or rank < (order.index(before) if before in order else len(order)):
            found[check] = status
    return found
