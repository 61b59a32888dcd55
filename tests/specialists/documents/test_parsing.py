"""A file is read within limits, or a sentence says why not, and nothing else is harmed."""

import io
from pathlib import Path

import pytest

from core.errors import SourceFailed
from core.specialists.documents.parsing.parse import Limits, parse
from tests.fakes import papers
from tests.fakes.papers import Sheet

TABLE = [("City", "Night"), ("Paris", "180 EUR"), ("Oslo", "210 EUR")]


async def text_of(content: bytes, name: str) -> str:
    return "\n".join(page.text for page in await parse(content, name))


async def fault_of(content: bytes, name: str, limits: Limits | None = None) -> str:
    with pytest.raises(SourceFailed) as caught:
        await parse(content, name, limits=limits)
    return str(caught.value)


async def test_a_pdf_gives_pages_with_headings_of_its_outline_and_ruled_tables() -> None:
    content = papers.pdf(
        [
            Sheet(lines=["First words"]),
            Sheet(heading="Hotels", lines=["Hotels", "Per night:"], rows=TABLE, after=["The end."]),
        ]
    )
    first, second = await parse(content, "policy.pdf")
    assert (first.number, first.text) == (1, "First words")
    assert second.number == 2 and second.text.startswith("# Hotels\n")
    rows = "| City | Night |\n| --- | --- |\n| Paris | 180 EUR |\n| Oslo | 210 EUR |"
    assert rows in second.text
    assert second.text.count("180 EUR") == 1
    assert second.text.index("Per night:") < second.text.index("Paris") < second.text.index("The e")


async def test_a_word_document_keeps_headings_and_tables() -> None:
    content = papers.docx([(1, "Travel"), (0, "By <train>."), (2, "Hotels")], TABLE)
    assert await text_of(content, "a.docx") == (
        "# Travel\n\nBy <train>.\n\n## Hotels\n\n"
        "| City | Night |\n| --- | --- |\n| Paris | 180 EUR |\n| Oslo | 210 EUR |"
    )


async def test_slides_give_titles_points_tables_and_notes() -> None:
    import pptx
    from pptx.util import Inches

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Plan"
    slide.placeholders[1].text = "Grow"
    table = slide.shapes.add_table(2, 1, *[Inches(1)] * 4).table
    table.cell(0, 0).text, table.cell(1, 0).text = "Year", "2027"
    slide.notes_slide.notes_text_frame.text = "Say it slowly"
    out = io.BytesIO()
    deck.save(out)
    [page] = await parse(out.getvalue(), "plan.pptx")
    assert page.number == 1
    assert page.text.startswith("## Plan\n\nGrow")
    assert "| Year |\n| --- |\n| 2027 |" in page.text and "Notes: Say it slowly" in page.text


async def test_a_spreadsheet_is_read_as_text_sheet_by_sheet() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "Prices"
    for row in (["Bike", "Price"], ["Fell", 1200.0], ["Fjord | 2", 1350.5]):
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    [page] = await parse(out.getvalue(), "prices.xlsx")
    assert page.name == "Prices"
    assert page.text.endswith("| Fell | 1200 |\n| Fjord ¦ 2 | 1350.5 |")


HTML = (
    "<html><head><title>T</title><script>alert(1)</script></head><body><h2>Rules</h2>"
    "<p>See <a href='https://evil.example/x'>here</a><img src='https://evil.example/y'></p>"
    "<ul><li>one<ul><li>two</li></ul></li></ul><pre>a  b</pre>"
    "<table><tr><th>k</th></tr><tr><td>v</td></tr></table></body></html>"
)


async def test_html_becomes_text_without_addresses_and_scripts() -> None:
    text = await text_of(HTML.encode(), "rules.html")
    assert text.startswith("# T\n\n## Rules\n\nSee here\n\n- one\n  - two")
    assert "a  b" in text and "| k |\n| --- |\n| v |" in text
    assert "evil" not in text and "alert" not in text


async def test_a_mail_gives_its_heads_its_words_and_the_names_of_what_was_attached() -> None:
    mail = (
        b"From: Mara <m@x.example>\nTo: t@x.example\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n"
        b'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n'
        b"--b\nContent-Type: text/plain; charset=utf-8\n\nThe deal stands.\n"
        b"--b\nContent-Type: application/pdf\n"
        b'Content-Disposition: attachment; filename="deal.pdf"\n\nxx\n--b--\n'
    )
    text = await text_of(mail, "deal.eml")
    assert text.startswith("# Grüße\n\nFrom: Mara <m@x.example>")
    assert "The deal stands." in text and text.endswith("Attached: deal.pdf")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
async def test_text_is_read_in_whatever_it_was_written(encoding: str) -> None:
    assert await text_of("Grüße aus Århus – 5 €".encode(encoding), "a.txt") == (
        "Grüße aus Århus – 5 €"
    )


GOOD = papers.pdf([Sheet(lines=["words"] * 30)])
BAD: list[tuple[str, bytes, str]] = [
    ("cut.pdf", GOOD[:700], "is no PDF that can be opened: it is damaged or cut off"),
    ("fake.pdf", b"%PDF-1.7\n" + b"\xff" * 5_000, "is no PDF that can be opened"),
    ("text.pdf", b"hello", "is called .pdf, and is damaged or something else"),
    ("locked.docx", papers.locked(), "is protected by a password"),
    ("bomb.docx", papers.bomb(), "unpacks to more than 256 MB"),
    ("laughing.docx", papers.laughing(), "could not be read: it is damaged, or made to do harm"),
    ("cut.docx", papers.docx([(0, "x" * 500)])[:300], "is damaged or cut off"),
    ("none.docx", papers.zipped({"word/x.xml": "y"}), "is no Word document that can be opened"),
    ("many.zip", papers.zipped({"../../etc/passwd": "root"}), "is an archive of files"),
    ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 900, "is in an old format"),
    ("bad.pptx", papers.zipped({"ppt/x.xml": "<a"}), "is no presentation that can be opened"),
    ("bad.xlsx", papers.zipped({"xl/x.xml": "<a"}), "is no spreadsheet that can be opened"),
    ("empty.md", b" \n ", "is empty"),
    ("binary.txt", bytes(range(256)) * 40, "is called text, and is not"),
    ("program.exe", b"MZ" + b"\x90" * 400, "is of a kind that cannot be read here"),
    ("blank.html", b"<html><script>x</script></html>", "holds no text that can be read"),
]


@pytest.mark.promise("E8", "core.specialists")
@pytest.mark.parametrize(("name", "content", "told"), BAD, ids=[case[0] for case in BAD])
async def test_what_cannot_be_read_is_a_sentence(name: str, content: bytes, told: str) -> None:
    said = await fault_of(content, name)
    assert said.startswith(f"{name} {told}") and said.endswith(".")


@pytest.mark.promise("E8", "core.specialists")
@pytest.mark.parametrize(
    "name", ["../../etc/passwd.md", "/etc/shadow.md", "a\nb.md", "-c.md", "--x.md", "$(id).md"]
)
async def test_the_name_of_a_file_leads_nowhere(name: str, tmp_path: Path) -> None:
    [page] = await parse(b"plain words", name)
    assert page.text == "plain words"


@pytest.mark.promise("E8", "core.specialists")
async def test_a_file_that_takes_too_long_is_stopped() -> None:
    sheets = [Sheet(lines=["words that say something"] * 40, rows=TABLE)] * 150
    said = await fault_of(papers.pdf(sheets), "slow.pdf", Limits(seconds=1.0))
    assert said == "slow.pdf took longer than 1 seconds to read, so I stopped."


@pytest.mark.promise("E8", "core.specialists")
async def test_a_file_that_needs_too_much_memory_is_stopped() -> None:
    sheets = [Sheet(lines=["words"] * 40, rows=TABLE)] * 40
    said = await fault_of(papers.pdf(sheets), "wide.pdf", Limits(memory=60 * 2**20))
    assert "wide.pdf" in said and ("memory" in said or "damaged" in said)


@pytest.mark.promise("E8", "core.specialists")
async def test_size_and_length_are_bounded() -> None:
    assert "larger than 0 MB" in await fault_of(b"x" * 11, "a.md", Limits(bytes=10))
    many = papers.pdf([Sheet(lines=["some words that count"])] * 5)
    assert "longer than" in await fault_of(many, "a.pdf", Limits(pages=4))
    assert "longer than" in await fault_of(b"word " * 50, "a.md", Limits(characters=100))


async def test_a_page_that_is_a_picture_is_told_apart_and_comes_as_one_where_asked() -> None:
    content = papers.pdf([Sheet(is_picture=True), Sheet(lines=["these are four words"])])
    first, second = await parse(content, "scan.pdf")
    assert (first.is_scanned, first.image) == (True, b"") and not second.is_scanned
    first, _ = await parse(content, "scan.pdf", most_images=5)
    assert first.image.startswith(b"\x89PNG")
