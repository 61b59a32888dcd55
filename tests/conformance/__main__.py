"""Runs the published MCP conformance suite against our bridge and our sample server.

`python -m tests.conformance [SCENARIO …]` exits with 1 when a check passes or fails that is not
expected to; without Node.js it says so and runs nothing.
"""

import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tests.conformance import suite
from tests.conformance.scenarios import CLIENT, SERVER, SUITE, VERSION, Scenario
from tests.fakes.mcp_modern import free_port

PATIENCE = 60.0
"""Seconds for our server to listen."""


@contextmanager
def our_server() -> Iterator[str]:
    """The address of our sample server in a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "tests.conformance.server", str(port)]
    with subprocess.Popen(command, cwd=suite.ROOT) as process:
        try:
            _await(f"http://127.0.0.1:{port}/mcp")
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


def _await(url: str) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    raise suite.Missing("our server does not listen")


def differences(
    scenarios: Sequence[Scenario], run: Callable[[str], dict[str, str]], side: str
) -> int:
    """Print one line per scenario; how many came out otherwise than expected."""
    wrong = 0
    for scenario in scenarios:
        found = run(scenario.name)
        failed = {check for check, status in found.items() if status == "FAILURE"}
        passed = sum(status == "SUCCESS" for status in found.values())
        is_expected = failed == scenario.fails and (passed > 0 or bool(scenario.fails))
        note = f"; {scenario.why}" if scenario.fails else ""
        verdict = "as expected" if is_expected else "OTHERWISE THAN EXPECTED"
        print(f"{side} {scenario.name}: {passed} passed, {len(failed)} failed, {verdict}{note}")
        for check in sorted(failed ^ scenario.fails):
            print(f"    {check}: {found.get(check, 'was not made')}")
        wrong += not is_expected
    return wrong


def main(names: Sequence[str]) -> int:
    def chosen(scenarios: Sequence[Scenario]) -> list[Scenario]:
        return [one for one in scenarios if not names or one.name in names]

    try:
        node = suite.fetch()
    except suite.Missing as missing:
        print(f"SKIPPED: {SUITE} {VERSION} is not run: {missing}.")
        return 0
    wrong = differences(chosen(CLIENT), lambda name: suite.of_client(node, name), "client")
    if found := chosen(SERVER):
        with our_server() as url:
            wrong += differences(found, lambda name: suite.of_server(node, name, url), "server")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
