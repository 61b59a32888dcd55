"""Chunks keep the headings, the page and the offsets of where they were cut."""

from core.specialists.documents.chunks import SIZE, cut
from core.specialists.documents.parsing.pages import Page

LONG = "\n\n".join(f"Sentence {n} tells of something else entirely. " * 4 for n in range(12))


def test_a_chunk_knows_its_headings_from_the_outermost_to_the_innermost() -> None:
    text = f"# Travel\n\n{LONG}\n\n## Hotels\n\n{LONG}\n\n### Paris\n\n{LONG}\n\n## Meals\n\n{LONG}"
    headings = list(dict.fromkeys(piece.heading for piece in cut([Page(text=text)])))
    assert headings == [
        ("Travel",),
        ("Travel", "Hotels"),
        ("Travel", "Hotels", "Paris"),
        ("Travel", "Meals"),
    ]


def test_a_heading_goes_on_over_pages_until_another_one_comes() -> None:
    pages = [
        Page(number=1, text=f"# Hotels\n\n{LONG}"),
        Page(number=2, text=LONG),
        Page(number=3, text=f"# Meals\n\n{LONG}"),
    ]
    found = {(piece.page, piece.heading) for piece in cut(pages)}
    assert found == {(1, ("Hotels",)), (2, ("Hotels",)), (3, ("Meals",))}


def test_offsets_lead_to_the_words_and_nothing_is_lost() -> None:
    text = f"# A\n\n{LONG}\n\n# B\n\n{LONG}"
    pieces = cut([Page(text=text)])
    for piece in pieces:
        assert text[piece.start : piece.stop].strip() == piece.text
        assert len(piece.text) <= SIZE
    joined = "".join("".join(piece.text.split()) for piece in pieces)
    assert joined == "".join(text.split())


def test_small_sections_stand_together_and_headings_alone_are_no_chunk() -> None:
    text = "# Rules\n\n## One\n\nShort.\n\n## Two\n\nShort as well.\n\n## Empty\n"
    [piece, *rest] = cut([Page(text=text)])
    assert "Short." in piece.text and "Short as well." in piece.text and rest == []
    assert cut([Page(text="# Nothing below\n\n---\n")]) == []


def test_a_table_that_is_cut_keeps_its_head_in_each_chunk() -> None:
    rows = "\n".join(f"| City {n} | {n} EUR |" for n in range(120))
    pieces = cut([Page(text=f"# Prices\n\n| City | Night |\n| --- | --- |\n{rows}")])
    assert len(pieces) > 2
    assert all("| City | Night |\n| --- | --- |" in piece.text for piece in pieces)
    assert sum(piece.text.count("EUR") for piece in pieces) == 120


def test_a_sign_in_a_code_block_is_no_heading() -> None:
    [piece] = cut([Page(text="# Shell\n\n```\n# a remark\nls\n```")])
    assert piece.heading == ("Shell",)


def test_languages_without_spaces_are_cut_as_well() -> None:
    pieces = cut([Page(text="# 規則\n\n" + "出張の宿泊費は一泊一万八千円までです。" * 200)])
    assert len(pieces) > 3 and all(len(piece.text) <= SIZE for piece in pieces)
