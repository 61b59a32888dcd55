"""Measures Countersign beside its peers: `python -m bench [--repeats N] [--write] [NAME …]`.

Each run is a process of its own, and subjects take turns, so that a busy minute of the machine
hits all of them. The tables go to standard output as Markdown; what goes on meanwhile, to standard
error. With --write each table takes its place in docs/benchmarks.md as soon as it is measured, with
the machine, the versions and the command; those of other names stay as they are.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence

from bench import page
from bench.growth import MARKS
from bench.machine import load, machine, versions
from bench.tables import Figures, Table, markdown

AGENTS = {
    "countersign": "Countersign",
    "langchain": "LangChain `create_agent` + AsyncSqliteSaver",
    "pydantic-ai": "pydantic-ai + SQLite",
    "openai-agents": "OpenAI Agents + SQLiteSession",
}
_GROWTH = {
    "chars": "characters to the model",
    "tokens": "tokens to the model (word pieces)",
    "cpu": "CPU, ms",
    "growth": "bytes that a turn adds",
    "bytes": "bytes on disk",
    "facts": "of 5 facts from turns 3 to 7, in the prompt when asked for",
}
TABLES = (
    Table(
        name="overhead",
        title="A turn beside the model: one round, two calls (ms)",
        subjects={"countersign": "Countersign"},
    ),
    Table(
        name="acknowledge",
        title="Acknowledging 150 events a second of ten workspaces, each delivered thrice (ms)",
        subjects={
            "held": "Countersign, lanes held",
            "running": "Countersign, turns running",
            "Teams, held": "in Teams, lanes held",
            "Teams, running": "in Teams, turns running",
            "bolt": "slack-bolt",
        },
    ),
    Table(
        name="throughput",
        title="Sixteen people at once, a model that takes 100 ms (turns a second, ms)",
        subjects={**AGENTS, "countersign, embedding": "Countersign, offline embedder"},
    ),
    Table(
        name="waiting",
        title="From the committed question to the start of its turn (ms)",
        subjects={"countersign": "Countersign"},
    ),
    Table(
        name="growth",
        title="One thread of 500 turns",
        subjects={"countersign, embedding": "Countersign", **dict(list(AGENTS.items())[1:])},
        rows={
            f"{kind}@{mark}": f"{label}, turn {mark}"
            for kind, label in _GROWTH.items()
            for mark in MARKS
        },
        repeats=1,
    ),
    Table(
        name="approvals",
        title="One mail, agreed to by one person: how often it goes out (right: 1)",
        subjects={
            "countersign": "Countersign",
            "langchain": "LangChain HumanInTheLoopMiddleware + AsyncSqliteSaver",
            "pydantic-ai": "pydantic-ai deferred tools + SQLite",
            "openai-agents": "OpenAI Agents approvals, RunState in SQLite",
        },
        repeats=1,
    ),
    Table(
        name="clicks",
        title="From a click on Send, with Entra and Graph 50 ms away (ms)",
        subjects={
            "blind": "sent at once (Mail.Send)",
            "checkable": "drafted, compared, sent, looked up (Mail.ReadWrite)",
        },
    ),
    Table(
        name="usage",
        title="`/usage` over a million ledger rows of 500 people in 90 days (ms)",
        subjects={"countersign": "Countersign"},
        repeats=1,
    ),
    Table(
        name="sheets",
        title="A sheet of 100,000 rows and six columns: sums by region (s)",
        subjects={
            "countersign": "Countersign, processes and checks in it",
            "openpyxl": "openpyxl, added up by hand",
            "pandas": "pandas with openpyxl",
        },
    ),
    Table(name="memory", title="Memory (MB)", subjects=AGENTS),
    Table(
        name="start",
        title="From the process's start to the first acknowledged event (s), and memory (MB)",
        subjects={
            "countersign": "Countersign",
            "bolt": "slack-bolt",
            "bolt + langchain": "slack-bolt + LangChain",
        },
    ),
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    known = [table.name for table in TABLES]
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    given = parser.parse_args(arguments)
    if unknown := set(given.names) - set(known):
        parser.error(f"no such measurement: {', '.join(sorted(unknown))}")
    for table in TABLES:
        if given.names and table.name not in given.names:
            continue
        block = _measured(table, table.repeats or given.repeats)
        print(f"{block}\n", flush=True)
        if given.write:
            text = page.put(page.PAGE.read_text("utf-8"), table.name, block)
            page.PAGE.write_text(text, "utf-8")


def _measured(table: Table, repeats: int) -> str:
    """The table as it stands on the page."""
    runs: dict[str, list[Figures]] = {subject: [] for subject in table.subjects}
    loads: list[float] = []
    for number in range(1, repeats + 1):
        for subject in table.subjects:
            loads.append(load())
            print(f"{table.name} of {subject}, {number} of {repeats}", file=sys.stderr, flush=True)
            runs[subject].append(_once(table.name, subject))
    busy = f"Load of the machine: {min(loads):.1f} to {max(loads):.1f}."
    times = "Measured once." if repeats == 1 else f"Median of {repeats} runs (smallest–largest)."
    command = f"./dev bench {table.name}" + ("" if table.repeats else f" --repeats {repeats}")
    found = f"`{command}` on {machine()}, with {versions()}. {times} {busy}"
    return f"## {table.title}\n\n{markdown(table, runs)}\n\n{found}"


def _once(name: str, subject: str) -> Mapping[str, float]:
    command = [sys.executable, "-m", "bench.run", name, subject]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.stderr.write(ended.stderr)
        raise SystemExit(f"{name} of {subject} ended with {ended.returncode}.")
    return json.loads(ended.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
