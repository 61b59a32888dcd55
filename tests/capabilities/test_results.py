"""At most 8,000 characters of a result reach a prompt, and the rest can be read."""

import json
import random

import pytest

from core.capabilities.arguments import validate
from core.capabilities.reading import READ_RESULT, read_result, rows_of
from core.capabilities.results import LIMIT, shorten
from core.errors import BadArguments
from core.records import Evidence, EvidenceId, Json, PersonId, ThreadId, TurnId

ID = "ev_0123456789abcdef"
PIECES = (
    "word ",
    "line\n",
    "| a | b |\n",
    "é",
    "e\u0301",
    "👩🏽\u200d🚀",
    "🇩🇪",
    "漢字",
    "\r\n",
    "x" * 90,
)
MARKS = ("\u0301", "\u200d", "\ufe0f", "\U0001f3fd")


def evidence(text: str = "", structured: Json | None = None) -> Evidence:
    return Evidence(
        id=EvidenceId(ID),
        turn=TurnId("t"),
        thread=ThreadId("th"),
        person=PersonId("p"),
        tool="s/t",
        title="t",
        arguments={},
        text=text,
        structured=structured,
        made_at=0,
    )


@pytest.mark.promise("L2", "core.capabilities")
def test_of_ten_thousand_random_results_none_is_longer_than_the_limit() -> None:
    dice = random.Random(8_000)
    blocks = ["".join(dice.choices(PIECES, k=dice.choice((1, 40, 400)))) for _ in range(200)]
    for _ in range(10_000):
        text = "".join(dice.choices(blocks, k=dice.randint(1, 12)))
        limit = dice.choice((LIMIT, LIMIT, LIMIT, 1_000, 300, 80, 5, 0))
        shown = shorten(text, ID, limit)
        assert len(shown) <= limit
        if len(text) <= limit:
            assert shown == text
            continue
        shown.encode()
        if limit >= 300:
            kept, _, note = shown.rpartition("\n\n[Shortened: ")
            assert text.startswith(kept)
            assert not text[len(kept) :].startswith(MARKS), "a character was split"
            assert ID in note
            assert "read_result" in note
            assert f"{len(text):,} characters" in note


def test_a_result_that_fits_is_not_touched() -> None:
    assert shorten("x" * LIMIT, ID) == "x" * LIMIT
    assert shorten("x" * (LIMIT + 1), ID) != "x" * LIMIT


def test_a_table_ends_after_a_whole_row_and_says_which_rows_are_shown() -> None:
    text = "| n | square |\n|---|---|\n" + "".join(f"| {n} | {n * n} |\n" for n in range(3_000))
    shown = shorten(text, ID)
    table, _, note = shown.partition("\n\n[Shortened")
    last = table.strip().splitlines()[-1]
    number = int(last.split("|")[1])
    assert last == f"| {number} | {number * number} |"
    assert f"rows 1 to {number + 1:,} of 3,000" in note
    assert "first_row" in note


def test_a_cut_in_prose_falls_between_words() -> None:
    shown = shorten("lorem ipsum dolor " * 1_000, ID)
    assert shown.partition("\n\n[")[0].split()[-1] in ("lorem", "ipsum", "dolor")


@pytest.mark.parametrize("character", ["e\u0301", "👩🏽\u200d🚀", "🇩🇪", "👍🏿", "❤\ufe0f"])
def test_a_character_of_several_code_points_is_kept_whole(character: str) -> None:
    for before in range(len(character)):
        shown = shorten("x" * before + character * 9_000, ID)
        kept = shown.partition("\n\n[")[0][before:]
        assert kept == character * (len(kept) // len(character))


@pytest.mark.timeout(20)
def test_ten_megabytes_without_structure_are_cut() -> None:
    """Peers' case 35."""
    for text in ("row of a log\n" * 800_000, "x" * 10_000_000, "| cell " * 1_500_000):
        assert len(shorten(text, ID)) <= LIMIT


ROWS = [{"n": n, "city": f"City {n}", "note": None} for n in range(1, 1_201)]
TABLES = {
    "structure": evidence("1,200 cities", {"title": "cities", "rows": ROWS}),
    "list in structure": evidence("", {"result": ROWS}),
    "json": evidence(json.dumps(ROWS)),
    "markdown": evidence(
        "Cities\n\n| n | city | note |\n| --- | --- | --- |\n"
        + "\n".join(f"| {row['n']} | {row['city']} |  |" for row in ROWS)
    ),
    "csv": evidence("n,city,note\n" + "\n".join(f"{row['n']},{row['city']}," for row in ROWS)),
    "csv with semicolons": evidence(
        "n;city;note\n" + "\n".join(f'{row["n"]};"{row["city"]}";' for row in ROWS)
    ),
}


@pytest.mark.parametrize("kind", TABLES)
def test_rows_and_columns_of_a_table_can_be_read_again(kind: str) -> None:
    shown = read_result(TABLES[kind], {"first_row": 700, "last_row": 702, "columns": ["CITY", "n"]})
    assert shown.startswith("Rows 700 to 702 of 1,200.")
    assert "| city | n |" in shown
    assert "| City 701 | 701 |" in shown
    assert "City 703" not in shown


def test_a_long_range_is_cut_at_a_row_and_says_where_to_go_on() -> None:
    seen: list[int] = []
    start = 1
    for _ in range(20):
        shown = read_result(TABLES["structure"], {"first_row": start})
        assert len(shown) <= LIMIT
        seen += [
            int(line.split("|")[1])
            for line in shown.splitlines()
            if line.startswith("| ") and line.split("|")[1].strip().isdigit()
        ]
        if "Read on" not in shown:
            break
        start = int(shown.partition("first_row ")[2].split(".")[0])
    assert seen == list(range(1, 1_201)), "every row exactly once"


def test_the_whole_text_can_be_read_in_pieces() -> None:
    text = "".join(random.Random(1).choices("abc dé漢\n", k=30_000))
    read, start = "", 0
    while start < len(text):
        shown = read_result(evidence(text), {"from_character": start})
        assert len(shown) <= LIMIT
        body = shown.partition(":\n")[2]
        more = body.rpartition("\n[")
        piece = more[0] if "read on from_character" in body else body
        read += piece
        start += len(piece)
    assert read == text


def test_a_request_that_cannot_be_met_says_what_is_there() -> None:
    table = TABLES["structure"]
    for arguments, sentence in (
        ({"first_row": 5_000}, "rows 1 to 1,200"),
        ({"columns": ["citty"]}, "did you mean 'city'"),
        ({"first_row": 1, "from_character": 1}, "not for both"),
        ({"from_character": 99_999}, "12 characters"),
    ):
        with pytest.raises(BadArguments, match=sentence):
            read_result(table, arguments)
    with pytest.raises(BadArguments, match="no table"):
        read_result(evidence("just words"), {"first_row": 1})
    with pytest.raises(BadArguments, match="fewer columns"):
        read_result(
            evidence("", {"rows": [{f"c{n}": "x" * 400 for n in range(40)}]}), {"first_row": 1}
        )


def test_words_with_commas_are_no_table() -> None:
    assert rows_of(evidence("Dear Ann,\nthank you, and best regards,\nBo")) == []


def test_the_tool_that_reads_again_describes_its_arguments() -> None:
    validate(READ_RESULT, {"evidence": ID, "first_row": 1, "columns": ["a"]})
    with pytest.raises(BadArguments):
        validate(READ_RESULT, {"evidence": ID, "first_row": 0})
    assert READ_RESULT.key == "host/read_result"
