"""An answer becomes messages that Slack takes, whole and in order."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters import cost
from adapters.slack.render import blocks, limits, split
from bot.workspace.slack.checks import block_problems, check_message, expansion_items
from core.records import Answer, Chip, Cost

WORD = re.compile(r"\bw\d+\b")


def words_of(parts: list[str]) -> list[str]:
    return [word for part in parts for word in WORD.findall(part)]


def numbered(count: int, start: int = 0) -> list[str]:
    return [f"w{number}" for number in range(start, start + count)]


def check(part: str) -> None:
    assert limits.weight(part) <= limits.PART_TEXT
    assert expansion_items(part) <= limits.PART_ITEMS
    assert part.count("```") % 2 == 0
    check_message({"text": "x", "blocks": [blocks.markdown(part)]})


def test_case_8_fifty_thousand_characters_are_continued_and_nothing_is_lost():
    paragraphs = [" ".join(f"w{n * 100 + m}" for m in range(100)) + "." for n in range(86)]
    text = "\n\n".join(paragraphs)[:50_000]
    assert len(text) == 50_000
    planned = split.plan(text)
    for part in planned.parts:
        check(part)
    assert not planned.needs_file and len(planned.parts) > 1
    assert words_of(list(planned.parts)) == WORD.findall(text)


def test_a_longer_answer_shows_its_beginning_and_comes_whole_as_a_file():
    text = "\n\n".join(" ".join(numbered(100)) for _ in range(200))
    rendered = blocks.render(Answer(text=text))
    *first, last = [message.blocks[0]["text"] for message in rendered.messages]
    assert len(first) == limits.PARTS - 1
    assert last.endswith(split.LONG_NOTE) and not any(split.LONG_NOTE in part for part in first)
    assert rendered.whole_as_file == text


def test_case_11_eighty_short_headings_are_spread_over_messages():
    text = "\n".join(f"## w{number} abcdef" for number in range(80))
    parts = split.parts(text)
    for part in parts:
        check(part)
    assert words_of(parts) == numbered(80)


def test_case_12_a_code_block_that_is_cut_keeps_its_fence_and_language():
    lines = [f"SELECT w{number} FROM orders WHERE id = {number};" for number in range(520)]
    text = "Here it is:\n\n```sql\n" + "\n".join(lines) + "\n```\n\nThat was all."
    assert len(text) > 20_000
    parts = split.parts(text)
    for part in parts:
        check(part)
        assert part.count("```sql\n") == 1
    assert parts[-1].endswith("```\n\nThat was all.")
    assert words_of(parts) == numbered(520)


@pytest.mark.parametrize("fence", ["~~~", "````", "> ```", "- ```"])
def test_other_fences_are_closed_with_their_own_mark(fence):
    indent = {"> ```": "> ", "- ```": "  "}.get(fence, "")
    lines = "\n".join(f"{indent}w{number} {'x' * 60}" for number in range(300))
    mark = fence.strip("> -")
    parts = split.parts(f"{fence}python\n{lines}\n{indent}{mark}")
    assert len(parts) > 1
    for part in parts:
        assert part.count(mark) == 2 and part.rstrip().endswith(mark)
    assert words_of(parts) == numbered(300)


def table(rows: int, columns: int) -> str:
    head = "| " + " | ".join(f"h{column}" for column in range(columns)) + " |"
    line = "|" + "---|" * columns
    body = [
        "| " + " | ".join(f"w{row * columns + column}" for column in range(columns)) + " |"
        for row in range(rows)
    ]
    return "\n".join([head, line, *body])


def test_case_13_a_long_table_repeats_its_header_within_a_hundred_rows():
    parts = split.parts("Rows:\n\n" + table(240, 6) + "\n\nDone.")
    for part in parts:
        check(part)
        assert part.count("| h0 | h1 |") == 1
        assert part.count("\n| ") <= limits.TABLE_ROWS
        rows = [line for line in part.split("\n") if "|" in line]
        assert all(row.startswith("|") and row.endswith("|") for row in rows)
        assert {row.count("|") for row in rows} == {7}
    assert words_of(parts) == numbered(240 * 6)


def test_case_13_a_wide_table_becomes_tables_of_at_most_twenty_columns():
    parts = split.parts(table(12, 25))
    for part in parts:
        check(part)
        assert all(line.count("|") <= limits.TABLE_COLUMNS + 1 for line in part.split("\n"))
    assert set(words_of(parts)) == set(numbered(12 * 25))
    assert "| h0 | h20 | h21 |" in parts[1]


def test_two_tables_stand_in_two_messages():
    parts = split.parts(f"one\n\n{table(3, 2)}\n\ntwo\n\n{table(3, 2)}")
    assert [part.count("|---|---|") for part in parts] == [1, 1]


def test_a_heading_is_not_left_behind_at_the_end_of_a_message():
    filler = "x" * (limits.PART_TEXT - 300)
    parts = split.parts(f"{filler}\n\n## Next\n\n" + "y" * 400)
    assert parts[1].startswith("## Next")


def test_case_14_characters_that_grow_when_escaped_are_counted_so():
    text = "\n\n".join("w1 " + "&<>" * 300 for _ in range(20))
    parts = split.parts(text)
    for part in parts:
        check(part)
        escaped = part.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        assert len(escaped) <= 12_000
    assert sum(part.count("&<>") for part in parts) == 6_000


def test_inline_code_is_not_cut_open():
    text = ("some words here " * 30 + "`SELECT w1 FROM t WHERE x = 2` ") * 60
    parts = split.parts(text.strip())
    assert len(parts) > 1 and all(part.count("`") % 2 == 0 for part in parts)


def test_a_line_that_begins_with_inline_code_opens_no_block():
    text = "```x``` and w1\n" + "words and more words\n" * 900
    parts = split.parts(text)
    assert len(parts) > 1 and "".join(parts).count("```") == 2


ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e007f"


@pytest.mark.parametrize("sign", ["👩🏽‍💻", "🇫🇮", "e\u0301", "👨‍👩‍👧‍👦", "각", "❤️", "1️⃣", ENGLAND])
def test_what_a_reader_sees_as_one_sign_is_never_cut(sign):
    parts = split.parts(sign * 9_000)
    assert len(parts) > 1
    for part in parts:
        assert part.replace("\n", "").replace(sign, "") == ""
    assert sum(part.count(sign) for part in parts) == 9_000


@pytest.mark.parametrize("text", ["", "\n", "  \n "])
def test_an_empty_text_makes_no_message(text):
    assert split.parts(text) == []


MARKS = "#*`~>|-_ 1.\\[](){}!&<\n\n\n"
PIECES = st.one_of(
    st.lists(st.sampled_from(list(MARKS)), max_size=30).map("".join),
    st.integers(1, 400).map(lambda count: "p " * count),
    st.integers(1, 60).map(lambda count: "\n".join("# h" for _ in range(count))),
    st.integers(1, 900).map(lambda count: "```py\n" + "c()\n" * count + "```"),
    st.integers(1, 150).map(lambda count: table(count, 3).replace("w", "v")),
    st.integers(100, 9_000).map(lambda count: "z" * count),
    st.integers(100, 5_000).map(lambda count: "👩🏽‍💻é&" * (count // 10)),
    st.integers(1, 80).map(lambda count: "\n".join("- item" for _ in range(count))),
    st.integers(1, 300).map(lambda count: "> q\n" * count),
)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.lists(PIECES, min_size=1, max_size=10))
def test_any_text_is_cut_into_parts_within_the_limits_with_every_word_in_order(pieces):
    text = "\n\n".join(f"w{number}\n\n{piece}" for number, piece in enumerate(pieces))
    parts = split.parts(text)
    for part in parts:
        assert limits.weight(part) <= limits.PART_TEXT
        assert expansion_items(part) <= limits.PART_ITEMS + 5
    kept = re.sub(r"\W", "", "".join(parts))
    assert words_of(parts) == WORD.findall(text)
    for letter in "pzqé":
        assert kept.count(letter) >= re.sub(r"\W", "", text).count(letter)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(PIECES, max_size=6), st.integers(0, 60), st.booleans())
def test_every_message_of_any_answer_is_one_that_slack_takes(pieces, chips, has_cost):
    answer = Answer(
        text="\n\n".join(pieces),
        chips=tuple(
            Chip(number=n, label="s&<" * 40, url=f"https://a.example/{'p' * n * 9}|{n}")
            for n in range(chips)
        ),
        cost=Cost(models=("m",), calls=2, tokens=9, price="0.1") if has_cost else None,
    )
    for message in blocks.render(answer).messages:
        assert block_problems(list(message.blocks)) == []
        assert 0 < len(message.text) <= limits.FALLBACK_TEXT
        assert blocks.size(message.blocks) <= limits.MESSAGE_TOTAL
        check_message({"text": message.text, "blocks": list(message.blocks)})
        for piece in blocks.plain_pieces(message):
            assert len(piece) <= 40_000


def test_sources_and_cost_stand_on_the_last_message_only():
    text = "\n\n".join("word " * 300 for _ in range(12))
    answer = Answer(
        text=text,
        chips=(Chip(number=1, label="orders"),),
        cost=Cost(models=("m",), calls=1, tokens=1, price="0"),
    )
    *first, last = blocks.render(answer).messages
    assert first and all(len(message.blocks) == 1 for message in first)
    assert [block["type"] for block in last.blocks] == ["markdown", "context", "context"]


def test_the_fallback_text_ends_neither_in_an_entity_nor_in_open_code():
    text = blocks.fallback("`" + "&" * 5_000 + "`")
    assert len(text) <= limits.FALLBACK_TEXT
    assert text.endswith("&amp;` …")


@pytest.mark.parametrize(
    ("used", "line"),
    [
        (
            Cost(models=("gpt-5.5",), calls=3, tokens=8_240, price="0.0212", seconds=6.2),
            "gpt-5.5 · 3 calls · 8.2k tokens · $0.021 · 6 s",
        ),
        (
            Cost(models=("demo",), calls=1, tokens=310, price="0", seconds=0.42),
            "demo · 1 call · 310 tokens · $0 · 0.4 s",
        ),
        (
            Cost(models=("a", "b"), calls=2, tokens=1_200_000, price="3.5", unpriced=1, seconds=61),
            "a, b · 2 calls · 1.2M tokens · $3.50 + unpriced · 61 s",
        ),
        (
            Cost(models=("x",), calls=1, tokens=5, price="0", unpriced=1, seconds=2),
            "x · 1 call · 5 tokens · unpriced · 2 s",
        ),
        (
            Cost(models=("x",), calls=1, tokens=999, price="0.00004", seconds=1),
            "x · 1 call · 999 tokens · <$0.001 · 1 s",
        ),
    ],
)
def test_the_cost_line_says_what_was_used(used, line):
    assert cost.line(used) == line
