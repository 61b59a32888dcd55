"""Pictures of text are read by a model that sees, each one metered; or a sentence says why not."""

import zlib
from pathlib import Path

from tests.fakes.model_script import Asked, Step, say
from tests.fakes.model_server import ModelServer
from tests.fakes.papers import Sheet, pdf
from tests.house import house
from tests.turn.reading import MENTION, chat

SCAN = pdf([Sheet(is_picture=True), Sheet(is_picture=True), Sheet(lines=["These words are text."])])
SEEING = {"COUNTERSIGN_VISION": "openai:gpt-5.5-mini"}


def png() -> bytes:
    """A white dot."""

    def part(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return len(content).to_bytes(4, "big") + checked + zlib.crc32(checked).to_bytes(4, "big")

    head = part(b"IHDR", bytes((0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0)))
    dots = part(b"IDAT", zlib.compress(b"\0\xff"))
    return b"\x89PNG\r\n\x1a\n" + head + dots + part(b"IEND", b"")


def deciding(asked: Asked) -> Step:
    if "Write down the text in this picture" in asked.text:
        return say("# Invoice 77\n\nThe amount due is 4,200 euros.")
    return say("The amount is 4,200 euros [0.1].")


async def test_scanned_pages_and_pictures_are_read_and_each_one_is_metered(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.answer(deciding)
        async with house(tmp_path, models=models, environment=SEEING) as home:
            files = [
                home.slack.add_file("mara", "scan.pdf", SCAN),
                home.slack.add_file("mara", "photo.png", png()),
            ]
            [said] = await home.ask(f"{MENTION} what is the amount due?", files=files)
            assert "4,200 euros" in str(said)
            assert "scan.pdf, page 1" in str(said) or "photo.png" in str(said)
            rows = await home.bot.rooms.db.fetch(
                "SELECT model, images FROM entries WHERE kind = 'vision' ORDER BY seq"
            )
        assert [(row["model"], row["images"]) for row in rows] == [("gpt-5.5-mini", 1)] * 3
        assert sum("data:image/png;base64," in asked.text for asked in chat(models)) == 3


async def test_without_such_a_model_a_sentence_says_so(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        file = home.slack.add_file("mara", "photo.png", png())
        [said] = await home.ask(f"{MENTION} what is the amount due?", files=[file])
        assert "photo.png is a picture of text, and no model that can see is set up" in str(said)


async def test_the_text_of_a_file_with_some_pictures_is_read_all_the_same(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        file = home.slack.add_file("mara", "scan.pdf", SCAN)
        [said] = await home.ask(f"{MENTION} which words are text?", files=[file])
        assert "These words are text." in str(said)


async def test_a_file_is_named_with_a_tag_and_its_passages_come_first(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.answer(lambda asked: say("It is so [0.1]."))
        async with house(tmp_path, models=models) as home:
            text = "The hotel costs what the hotel costs, says the hotel of number {}."
            files = [
                home.slack.add_file("mara", f"Plan {n}.md", text.format(n).encode())
                for n in range(1, 6)
            ]
            [said] = await home.ask(f"{MENTION} what does #plan-4 say of hotel?", files=files)
            assert "Plan 4.md" in str(said)
