"""Breaks the product on purpose, one named way after the other, and sees the tests fail.

`python -m tests.chaos.mutants [NAME …]` runs the fast part of the tests in question on a copy of
the source with each mutant; it exits with 1 when one of them is not caught.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ("bot", "adapters", "core", "tests")
LEFT_OUT = (".venv", "shots")
AT_ONCE = 2


@dataclass(frozen=True)
class Mutant:
    """A way to break the product, and the tests that have to notice."""

    name: str
    file: str
    right: str
    wrong: str
    tests: str = ""
    """The file that catches it; `-k` of what in it is run."""
    words: str = ""
    folder: str = "tests/approvals"


MUTANTS = (
    Mutant(
        "anybody may send",
        "core/approvals/desk.py",
        "if not approvers.may_decide(call, who, rooms.rules(), now=now):",
        "if not who.ids:",
        "test_deciding.py",
        "others or guests",
    ),
    Mutant(
        "a card that was edited since can be sent",
        "core/approvals/desk.py",
        "        return _stale(call) if call.revision != click.revision else None\n\n"
        "    async def _as_it_stands",
        "        return None\n\n    async def _as_it_stands",
        "test_deciding.py",
        "older",
    ),
    Mutant(
        "a move compares nothing",
        "core/storage/parked.py",
        "WHERE id = ? AND state = ? AND revision = ? AND moves = ?",
        "WHERE id = ? AND ? <> '' AND ? > 0 AND ? >= 0",
        "test_deciding.py",
        "second or same",
    ),
    Mutant(
        "rights are not asked for again at the claim",
        "core/approvals/carry.py",
        "if refusal := await checks.refusal(rooms, call, found):",
        'if refusal := "":',
        "test_executing.py",
        "revoked",
    ),
    Mutant(
        "a blind effect is asked for again after a crash",
        "core/approvals/carry.py",
        'if call.effect == "blind" or not _goes_on(rooms):',
        "if not _goes_on(rooms):",
        "test_executing.py",
        "dead_process or only_an_idempotent",
    ),
    Mutant(
        "a blind effect is repeated when no answer comes",
        "core/approvals/asking.py",
        'if isinstance(outcome, Unknown) and call.effect != "blind":',
        "if isinstance(outcome, Unknown):",
        "test_executing.py",
        "breaks_is_unknown",
    ),
    Mutant(
        "an effect that can only be looked up is repeated",
        "core/approvals/asking.py",
        'if outcome is None and call.effect == "keyed":',
        "if outcome is None:",
        "test_executing.py",
        "looked_up",
    ),
    Mutant(
        "a keyed effect is repeated without being read back",
        "core/approvals/asking.py",
        "outcome = await _read_back(effect, call, token, patience)",
        "outcome: Outcome | None = None",
        "test_executing.py",
        "read_back",
    ),
    Mutant(
        "what has expired is carried out",
        "core/approvals/carry.py",
        "if rooms.clock() >= call.expires_at:",
        "if rooms.clock() < 0:",
        "test_executing.py",
        "expiry",
    ),
    Mutant(
        "effects cannot be switched off",
        "core/approvals/carry.py",
        "if not rooms.rules().has_effects:",
        "if not rooms.rules():",
        "test_deciding.py",
        "effects_are_off",
    ),
    Mutant(
        "an edit keeps what was agreed",
        "core/approvals/edit.py",
        "        agreed=(),\n",
        "",
        "test_deciding.py",
        "voids",
    ),
    Mutant(
        "edited arguments are not validated",
        "core/approvals/edit.py",
        "    validate(found.tool, arguments)\n",
        "",
        "test_editing.py",
        "wrong_edit",
    ),
    Mutant(
        "policy is not asked about an edit",
        "core/approvals/edit.py",
        "    if rule := may_call(",
        "    if rule := False and may_call(",
        "test_editing.py",
        "policy_is_asked",
    ),
    Mutant(
        "what ran need not be what was shown",
        "core/approvals/digest.py",
        "return call.digest == digest(call)",
        "return bool(call.digest)",
        "test_executing.py",
        "revoked",
    ),
    Mutant(
        "a decision leaves no trace",
        "core/approvals/moves.py",
        "if decision is not None:",
        "if decision is None:",
        "test_attributing.py",
        "names_who",
    ),
    Mutant(
        "a long card is sent unread",
        "core/approvals/desk.py",
        "if drawing.has_to_be_opened(self._rooms, call, seen) and not",
        "if drawing.has_to_be_opened(self._rooms, call, seen) and",
        "test_deciding.py",
        "long_card",
    ),
    Mutant(
        "the asker may be one of the four eyes",
        "core/policy/approvers.py",
        "return call.approval.is_asker_barred and",
        "return not call.approval.by and",
        "test_deciding.py",
        "four_eyes",
    ),
)
EARLY = Mutant(
    "an envelope is acknowledged before it is kept",
    "adapters/slack/socket.py",
    """            reply = await self._take(Body(kind=kind, fields=cast(Json, payload)))
            if reply.status != 200:
                return
            answer = {"envelope_id": request.envelope_id, **_content(request, reply)}
            await client.send_socket_mode_response(answer)
""",
    """            await client.send_socket_mode_response({"envelope_id": request.envelope_id})
            await self._take(Body(kind=kind, fields=cast(Json, payload)))
""",
    "test_socket.py",
    "until_it_is_committed",
    "tests/slack",
)
NAMED = MUTANTS[:6]
"""Two in the desk, one in its row, three in the executor: what the gate looks at."""


@contextmanager
def broken(mutant: Mutant | None) -> Iterator[Path]:
    """A copy of the source with the mutant in it."""
    with tempfile.TemporaryDirectory(prefix="countersign-mutant-") as folder:
        copy = Path(folder)
        # With what is compiled already: only the broken file is compiled anew.
        for name in SOURCE:
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns(*LEFT_OUT))
        shutil.copy(ROOT / "pyproject.toml", copy)
        if mutant is not None:
            path = copy / mutant.file
            text = path.read_text("utf-8")
            if mutant.right not in text:
                raise LookupError(f"{mutant.name}: {mutant.file} has changed")
            path.write_text(text.replace(mutant.right, mutant.wrong), "utf-8")
        yield copy


def is_caught(mutant: Mutant | None, tests: str = "", words: str = "") -> bool:
    """Whether the tests fail with the mutant; without one, whether they fail at all."""
    with broken(mutant) as copy:
        folder = "tests/approvals"
        if mutant is not None:
            tests, words, folder = mutant.tests, mutant.words, mutant.folder
        command = [
            *(sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"),
            *(f"{folder}/{tests}", "-k", f"({words}) and not postgres"),
        ]
        ended = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
        # 1 is a failed test; anything else says that nothing was tested.
        if ended.returncode not in (0, 1):
            raise RuntimeError(ended.stdout[-2_000:] + ended.stderr[-2_000:])
        return ended.returncode == 1


def main(names: list[str]) -> int:
    every = (*MUTANTS, EARLY)
    chosen = [mutant for mutant in every if not names or mutant.name in names]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        caught = list(pool.map(is_caught, chosen))
    for mutant, one in zip(chosen, caught, strict=True):
        print(f"{'caught' if one else 'MISSED'}: {mutant.name}")
    return int(not all(caught))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
