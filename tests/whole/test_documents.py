"""A document from the thread to the chip: read, asked about, cited, opened at its place."""

import re
from pathlib import Path

import aiohttp

from tests.fakes.papers import Sheet, pdf
from tests.house import house

POLICY = pdf(
    [
        Sheet(heading="Booking", lines=["Booking", "Trips are booked ten days ahead by the team."]),
        Sheet(
            heading="Hotels",
            lines=["Hotels", "A hotel night in Paris may cost 180 euros with breakfast."],
            rows=[["City", "Night"], ["Paris", "180 EUR"], ["Oslo", "210 EUR"]],
        ),
    ]
)
ASKED = "What may a hotel night in Paris cost?"


async def chips_of(message: dict) -> list[str]:
    return re.findall(r"http://[^\s|>\"\\)]+/documents/passage\?key=[\w\-]+#here", str(message))


async def test_a_pdf_in_the_thread_is_quoted_with_a_chip_that_opens_its_page(
    tmp_path: Path,
) -> None:
    async with house(tmp_path) as home:
        file = home.slack.add_file("mara", "policy.pdf", POLICY)
        [said] = await home.ask(f"<@U0COUNTER> {ASKED}", files=[file])
        assert "A hotel night in Paris may cost 180 euros with breakfast." in str(said)
        assert "policy.pdf, page 2" in str(said)
        [chip, *_] = await chips_of(said)
        async with aiohttp.ClientSession() as browser, browser.get(chip) as page:
            text = await page.text()
            assert page.status == 200
        cited = re.search(r'<section class="cited" id="here">(.*?)</section>', text, re.S)
        assert cited is not None and "may cost 180 euros" in cited[1]
        assert "<td>210 EUR</td>" in cited[1]
