"""A PDF dropped into the thread is asked about, and the chip opens it at the passage."""

from pathlib import Path

import pytest

from tests.browser import needs_chromium, shoot
from tests.fakes.papers import Sheet, pdf
from tests.whole.test_browser_flow import reply, visited, write

pytestmark = [pytest.mark.browser, needs_chromium]

MANUAL = pdf(
    [
        Sheet(heading="Assembly", lines=["Assembly", "The frame is bolted to the fork first."]),
        Sheet(
            heading="Torque",
            lines=["Torque", "The stem bolts of the Heron are tightened to six newton metres."],
            rows=[["Bolt", "Newton metres"], ["Stem", "6"], ["Seat post", "5"], ["Pedals", "35"]],
            after=["Whoever has no torque wrench asks the workshop."],
        ),
    ]
)


async def test_a_pdf_is_dropped_asked_about_and_opened_at_its_page(tmp_path: Path) -> None:
    upload = {"name": "heron-manual.pdf", "mimeType": "application/pdf", "buffer": MANUAL}
    async with visited(tmp_path) as page:
        await page.locator(".conversation input[type=file]").set_input_files(upload)
        await write(page, "@Countersign how tight are the stem bolts of the Heron?")
        said = reply(page, 1)
        await said.get_by_text("six newton metres").first.wait_for()
        words = await said.inner_text()
        assert "the documents say, word for word" in words
        chip = said.get_by_role("link", name="heron-manual.pdf, page 2").first
        await chip.wait_for()
        await shoot(page, "documents-answer")

        async with page.context.expect_page() as opening:
            await chip.click()
        opened = await opening.value
        cited = opened.locator("section.cited")
        await cited.wait_for()
        assert "tightened to six newton metres" in await cited.inner_text()
        assert await cited.locator("td").nth(1).inner_text() == "6"
        assert (await opened.title()) == "heron-manual.pdf, page 2"
        await shoot(opened, "documents-passage")


async def test_the_sample_papers_are_there_to_be_asked(tmp_path: Path) -> None:
    async with visited(tmp_path) as page:
        said = None
        for _ in range(6):
            await write(page, "@Countersign when is a stolen laptop reported to IT?")
            said = reply(page, 1)
            await said.get_by_text("I am no language model").wait_for()
            if "two hours" in await said.inner_text():
                break
        assert said is not None and "within two hours" in await said.inner_text()
        assert "it-security.html" in await said.inner_text()
