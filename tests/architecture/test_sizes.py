"""A room has one sentence, and a function fits on a screen."""

import ast
import re

from tests.architecture.sources import PRODUCT, modules, product

MODULE_LINES = 400
FUNCTION_LINES = 40
"""Without signature and docstring, which explain and do nothing."""


def test_no_module_is_longer_than_it_may_be():
    long = {
        str(name): lines
        for name, text in modules(*PRODUCT, "tests", "bench")
        if (lines := text.count("\n")) > MODULE_LINES
    }
    assert long == {}


def test_no_function_is_longer_than_a_screen():
    long = {
        f"{name}:{node.name}": lines
        for name, tree in product()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := _body_lines(node)) > FUNCTION_LINES
    }
    assert long == {}


def test_every_module_opens_with_one_sentence_that_says_what_it_is_for():
    silent = [
        str(name)
        for name, tree in product()
        if not _is_a_sentence((ast.get_docstring(tree) or "").partition("\n\n")[0])
    ]
    assert silent == []


def test_sentences_are_told_from_other_texts():
    assert _is_a_sentence("Reads the environment,\nonce, into one `frozen` value.")
    for text in ("", "settings", "reads the environment.", "Reads it. Writes it."):
        assert not _is_a_sentence(text)


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _is_a_sentence(text: str) -> bool:
    words = " ".join(text.split())
    is_one = re.search(r"[.!?] [A-Z]", words) is None
    # The name of a field or a file keeps its small letter.
    return words.endswith(".") and is_one and re.match(r"[A-Z`“]|\w+[_.]\w", words) is not None
