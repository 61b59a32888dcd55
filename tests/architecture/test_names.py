"""Names are the glossary's: a reader who knows it knows what each thing is."""

import ast
import re
from collections.abc import Iterator

from tests.architecture.sources import product

EMPTY = {"data", "handler", "helper", "info", "manager", "misc", "service", "util", "utils"}
"""Words that say nothing about what a thing is for."""

SYNONYMS = {
    "account": "person",
    "backend": "source",
    "callback": "click",
    "datasource": "source",
    "integration": "connector",
    "iteration": "round",
    "persona": "skill",
    "plugin": "tool",
    "queue": "lane",
    "reviewer": "approver",
    "session": "thread",
    "subagent": "specialist",
    "user": "person",
}
"""Words that the core has another word for; adapters speak their platform's language."""

FORCED = {"data_received", "handle_data", "info"}
"""Names that an interface of somebody else's asks for."""

ACCOUNTS = (
    "core/identity/",
    "core/storage/links.py",
    "core/approvals/",
    "core/connectors/",
    "core/errors.py",
    "core/ports.py",
)
"""Here `account` means what it says: a Microsoft account, which a person may not have yet."""

PLATFORMS = ("adapters/", "bot/workspace/")
"""Where a platform's own words are the right ones (Slack's `users.info`)."""


def words(name: str) -> set[str]:
    """The words of a snake_case or CamelCase name, in lower case."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def defined() -> Iterator[tuple[str, str]]:
    """(place, name) of every module, class and function of the product."""
    for path, tree in product():
        yield str(path), path.stem
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path}:{node.lineno}", node.name


def test_no_name_is_empty_of_meaning():
    empty = [
        (place, name)
        for place, name in defined()
        if words(name) & (EMPTY - ({"info"} if place.startswith(PLATFORMS) else set()))
        and name not in FORCED
    ]
    assert empty == []


def test_no_class_is_the_base_of_others():
    bases = [name for _, name in defined() if name[0].isupper() and "base" in words(name)]
    assert bases == []


def test_the_core_uses_the_words_of_the_glossary():
    foreign = [
        (place, name, SYNONYMS[word])
        for place, name in defined()
        if place.startswith("core/") and not name.startswith("_")
        for word in words(name) & SYNONYMS.keys()
        if not (word == "account" and place.startswith(ACCOUNTS))
    ]
    assert foreign == []


def test_a_name_is_split_into_its_words():
    assert words("HTTPServer_of2Users") == {"http", "server", "of", "users"}
    assert words("_get_info") == {"get", "info"}
