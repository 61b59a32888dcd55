"""The documentation says nothing that is not so: commands, paths, settings, examples."""

import re
import tomllib
from pathlib import Path

import pytest

from bot import cli, config, given, settings
from core.errors import Misconfigured
from tests.architecture.sources import ROOT, modules, tracked
from tests.docs import pages, promised

FOLDERS = ("adapters", "bench", "bot", "core", "deploy", "docs", "manifest", "tests")
SETTING = re.compile(
    r"\b(?:COUNTERSIGN|SLACK|OPENAI|ANTHROPIC|AZURE|ENTRA|GRAPH|TEAMS)_[A-Z_]*[A-Z]\b"
)
KEYS = {
    "COUNTERSIGN_MODEL": "openai:gpt-5.5",
    "OPENAI_API_KEY": "sk-of-the-test",
    "ANTHROPIC_API_KEY": "sk-of-the-test",
}
LARGEST_PICTURE = 200_000
"""Bytes."""


def product_text() -> str:
    return "\n".join(text for _, text in modules("adapters", "bot", "core"))


def names_read() -> set[str]:
    """Every variable of the environment that the bot reads."""
    others = re.findall(r'"([A-Z_]+)"', _of("bot/settings.py") + _of("bot/given_teams.py"))
    ours = {f"COUNTERSIGN_{name}" for name in given.OURS}
    return ours | {name for name in others if SETTING.fullmatch(name)}


def strange_links() -> list[str]:
    found: list[str] = []
    for page, target in pages.links():
        path, _, anchor = target.partition("#")
        if path.startswith("https://"):
            continue
        file = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        if not file.exists():
            found.append(f"{page}: {target} is not there")
        elif anchor and anchor not in pages.anchors(file.read_text("utf-8")):
            found.append(f"{page}: {target} is no heading")
    return found


def is_there(span: str) -> bool:
    """Whether a path or a dotted module exists."""
    dotted = span.replace(".", "/")
    return any((ROOT / one).exists() for one in (span, dotted, f"{dotted}.py"))


def commands() -> list[tuple[str, list[str]]]:
    """(page, words) of every command of ours that a reader is told to type."""
    found: list[tuple[str, list[str]]] = []
    lines = [(p, line) for p, block in pages.snippets("") for line in block.splitlines()]
    for page, text in [*lines, *pages.spans()]:
        words = [w for w in text.split() if not re.match(r"[A-Z_]+=", w)]
        if len(words) > 1 and words[0] in ("make", "./dev", "countersign", ".venv/bin/countersign"):
            found.append((page, words))
    return found


def is_a_command(words: list[str]) -> bool:
    tool, *arguments = words
    if tool == "make":
        return arguments[0] in re.search(r"\.PHONY: (.*)", _of("Makefile"))[1].split()
    if tool == "./dev":
        return bool(re.search(rf"^{re.escape(arguments[0])}\)", _of("dev"), re.MULTILINE))
    if arguments[0] == "manifest" and not {"--url", "--socket"} & set(arguments):
        arguments += ["--url", "https://countersign.example"]
    try:
        cli._parser().parse_args(arguments)
    except SystemExit:
        return False
    return True


def _of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def read_yaml(text: str, folder: Path) -> config.Config:
    """The configuration as a bot with keys for every provider reads it. Raises Misconfigured."""
    (folder / "countersign.yaml").write_text(text, "utf-8")
    (folder / "memo.md").write_text("Write it as a memo.")
    named = dict.fromkeys(re.findall(r"\$\{((?:MCP|SOURCE)_\w+)\}", text), "t")
    read = settings.read(KEYS | named, folder=folder, is_workspace=True)
    return config.read(read)


def test_every_link_leads_somewhere():
    assert strange_links() == []


def test_every_path_and_module_that_is_named_exists():
    code = product_text()
    named = {
        (page, span)
        for page, span in pages.spans()
        if re.match(rf"(?:{'|'.join(FOLDERS)})[/.][\w./]+$", span) and f'"{span}"' not in code
    }
    assert len(named) > 20
    assert {(page, span) for page, span in named if not is_there(span)} == set()
    drawn = set(re.findall(r"(?:adapters|core)/\w+/\w+\.py", _of("ARCHITECTURE.md")))
    assert {path for path in drawn if not (ROOT / path).exists()} == set()


def test_every_setting_that_is_named_is_read():
    named = {(p, n) for p, text in pages.pages().items() for n in SETTING.findall(text)}
    read = names_read()
    assert {(page, name) for page, name in named if name.removesuffix("_FILE") not in read} == set()


def test_every_setting_that_is_read_is_listed():
    assert names_read() - set(SETTING.findall(_of("README.md"))) == set()


def test_every_command_that_is_shown_can_be_typed():
    shown = commands()
    assert len(shown) > 10
    assert [(page, " ".join(words)) for page, words in shown if not is_a_command(words)] == []


@pytest.mark.parametrize(("page", "text"), list(pages.snippets("yaml")))
def test_every_example_of_a_configuration_is_taken(tmp_path: Path, page: str, text: str):
    try:
        read_yaml(text, tmp_path)
    except Misconfigured as faults:
        pytest.fail(f"{page}: {faults}")


def test_every_picture_is_there_small_and_shown():
    files = {n for n in tracked() if n.parts[:2] == ("docs", "pictures")}
    shown = {((ROOT / p).parent / t).resolve() for p, t in pages.links() if t.endswith(".png")}
    assert files and {ROOT / name for name in files} == shown
    for name in files:
        content = (ROOT / name).read_bytes()
        assert content.startswith(b"\x89PNG") and len(content) <= LARGEST_PICTURE, name


def test_the_table_of_promises_is_that_of_the_tests():
    assert promised.of_page(_of("SECURITY.md")) == promised.table(), (
        "run: python -m tests.docs.promised"
    )


def test_the_contracts_are_those_that_are_held():
    text = _of("ARCHITECTURE.md").partition("<!-- contracts -->\n")[2]
    told = [line[2:] for line in text.partition("<!-- /contracts -->")[0].splitlines()]
    held = tomllib.loads(_of("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    assert told == [contract["name"] for contract in held]


def test_every_action_of_the_log_that_is_explained_is_written():
    page = _of("docs/operating.md").partition("| actions |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1] for line in page.splitlines()[2:]]
    explained = {span for row in rows for span in pages.SPAN.findall(row)}
    code = product_text()
    kinds = {
        f"{room}.{kind}"
        for room in ("slack", "question")
        for kind in ("accepted", "duplicate", "refused")
    }
    assert len(explained) > 30
    assert {action for action in explained if f'"{action}"' not in code} <= kinds


def test_every_room_is_in_the_table_of_the_house():
    rooms = {str(path.parent) for path, _ in modules("core", "adapters") if len(path.parts) == 3}
    named = {span for page, span in pages.spans() if page == "ARCHITECTURE.md"}
    assert rooms - named == set()


def test_headings_become_anchors():
    assert pages.anchors("# Way of a `turn`, here\n## It's\n") == {"way-of-a-turn-here", "its"}


def test_what_is_not_there_is_found():
    assert not is_there("core/turn/nothing.py")
    assert not is_there("core.turn.nothing")
    assert not is_a_command(["countersign", "fly"])
    assert not is_a_command(["make", "love"])
