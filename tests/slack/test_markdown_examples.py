"""Whatever Markdown allows comes through: never an error, never a lost word, never half a block."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adapters.slack.render import blocks, live, split
from adapters.slack.render.live import Written
from bot.workspace.slack.checks import check_message
from core.policy.links import settle
from core.records import Answer
from tests.slack.examples import COUNTS, examples

WORD = re.compile(r"\w+")
ROWS = re.compile(r"^.*\|.*$", re.MULTILINE)
FETCH = "the examples are not here: run `python -m tests.slack.examples`"
PARSER = MarkdownIt("commonmark").enable("table")


@pytest.fixture(params=sorted(COUNTS))
def found(request) -> list[str]:
    """All examples of one specification."""
    texts = examples(request.param)
    if not texts:
        pytest.skip(FETCH)
    assert len(texts) == COUNTS[request.param]
    return texts


def words(texts: list[str]) -> list[str]:
    return [word for text in texts for word in WORD.findall(text)]


def has_open_fence(text: str) -> bool:
    """As a parser sees it, and not as we do."""
    lines = text.split("\n")
    for token in PARSER.parse(text):
        if token.type == "fence" and token.map and token.level == 0:
            last = lines[token.map[1] - 1].strip() if token.map[1] <= len(lines) else ""
            is_closed = last.startswith(token.markup) and not last.strip(token.markup[0])
            if not is_closed or token.map[1] - token.map[0] < 2:
                return True
    return False


def streamed(text: str, step: int) -> list[str]:
    """The messages of the text when it grows line by line."""
    messages: list[str] = []
    written = Written()
    lines = text.splitlines(keepends=True)
    for end in range(step, len(lines) + step, step):
        source = "".join(lines[:end])
        while True:
            added = live.extend(written, source)
            written = added.written
            if not added.is_full:
                break
            if not added.words and written.text == written.begun:
                return []
            messages.append(written.text + live.closing(written.text))
            begun = live.opening(written.text, source, written.taken)
            written = Written(text=begun, taken=written.taken, begun=begun)
    return [*messages, written.text]


def test_each_example_comes_through_as_it_is(found):
    for text in found:
        rendered = blocks.render(Answer(text=text)).messages
        shown = [message.whole for message in rendered]
        assert words(shown) == words([text]), text
        for message in rendered:
            check_message({"text": message.text, "blocks": list(message.blocks)})
        plain = [piece for message in rendered for piece in blocks.plain_pieces(message)]
        assert all(0 < len(piece) <= 4_000 for piece in plain)
        settle(text, ())


def test_all_examples_in_a_row_are_cut_between_what_belongs_together(found):
    for start in range(0, len(found), 97):
        text = "\n\n".join(found[start : start + 97])
        parts = split.parts(text)
        for part in parts:
            check_message({"text": "x", "blocks": [blocks.markdown(part)]})
        assert not any(map(has_open_fence, parts[:-1]))
        assert_all_there(parts, text)


def test_all_examples_in_a_row_come_through_a_stream(found):
    for start in range(0, len(found), 97):
        text = "\n\n".join(found[start : start + 97])
        messages = streamed(text, step=5)
        for message in messages:
            check_message({"text": "x", "blocks": [blocks.markdown(message)]})
        assert messages
        assert_all_there(messages, text)


def assert_all_there(parts: list[str], text: str) -> None:
    """Every word in its order; what is repeated (a language, a header) may come more often."""
    left = iter(words(parts))
    missing = [word for word in words([text]) if word not in left]
    assert missing == []


LINES = st.sampled_from(
    ["words and more words", "", "", "```sql", "```", "~~~", "# A heading", "- item", "> quote",
     "| a | b |", "|---|---|", "| 1 | 2 |", "    code", "long " * 3_000, "* * *", "`", "1. one",
     "[a]: b", "&amp;<b>"]
)  # fmt: skip


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(LINES, max_size=40), st.integers(1, 30), st.integers(1, 9))
def test_any_text_comes_through_a_stream_with_every_word_and_within_the_limits(lines, times, step):
    text = "\n".join(lines * times)
    messages = streamed(text, step)
    for message in filter(str.strip, messages):
        check_message({"text": "x", "blocks": [blocks.markdown(message)]})
    if messages:
        assert_all_there(messages, text)
