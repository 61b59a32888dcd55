"""Private papers asked about in a public channel are answered privately, and shared by a click."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.specialists.documents.sync import Sync
from core.storage import documents
from core.storage.documents import Source
from tests.fakes.model_script import Asked, Step, calls, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION, chat

SECRET = "The merger with Bergström closes on the third of March."
OPEN = "The office closes at six in the evening."
OFFLINE = {"COUNTERSIGN_EMBEDDINGS": "minilm"}


async def stocked(home: House, folder: Path) -> None:
    """A paper for Mara alone, and one for everybody."""
    for name, readers, text in (
        ("own", f"person:{home.side.person('mara')}", SECRET),
        ("open", "group:everyone", OPEN),
    ):
        (folder / "papers" / name).mkdir(parents=True)
        (folder / "papers" / name / f"{name}.md").write_text(f"# {name}\n\n{text}")
        (folder / "papers" / name / ".readers").write_text(readers)
    papers = home.bot.rooms.papers
    assert papers is not None
    ingest: Any = papers.ingest  # type: ignore[attr-defined]
    await documents.add_source(
        ingest.db,
        Source(
            id="s", kind="folder", name="papers", place=str(folder / "papers"), readers=("nobody",)
        ),
    )
    await Sync(ingest).all()


def deciding(asked: Asked) -> Step:
    """A model that asks the documents, and answers from the passages that it is shown."""
    if "numbered passages below" in asked.text:
        if "Bergström" not in asked.text:
            return say("NOT IN THE DOCUMENTS")
        return say("It says “The merger with Bergström closes” soon [1].")
    if asked.messages[-1]["role"] == "tool":
        return say("I could not find that in what I may say here.")
    return calls(("documents_ask_documents", {"question": "When does the merger close?"}))


@pytest.mark.promise("E4", "core.turn")
@pytest.mark.parametrize("is_clicked", [True, False])
async def test_what_only_the_asker_may_read_is_told_privately_and_shared_once(
    tmp_path: Path, is_clicked: bool
) -> None:
    async with ModelServer() as models:
        models.answer(deciding)
        async with house(tmp_path, models=models, environment=OFFLINE) as home:
            await stocked(home, tmp_path)
        # A bot that starts with documents offers the tool that asks them.
        async with house(tmp_path, models=models, environment=OFFLINE) as home:
            [public] = await home.ask(f"{MENTION} When does the merger close?")
            assert "Bergström" not in json.dumps(home.side.public("sales"), ensure_ascii=False)
            for asked in chat(models):
                if "numbered passages below" not in asked.text:
                    assert "Bergström" not in asked.text
            [told] = [m for m in home.slack.ephemerals("mara", "sales") if "Bergström" in str(m)]
            assert home.slack.ephemerals("tomas", "sales") == []
            assert "own.md" in str(told)

            if is_clicked:
                await home.slack.click("mara", told, "answer.share")
                await home.slack.click("mara", told, "answer.share")
            else:
                thread = public["thread_ts"]
                await home.side.say("mara", "sales", f"{MENTION} share", thread_ts=thread)
            thread = public["thread_ts"]
            shared = (await home.answers("sales", thread, 2))[-1]
            await home.settled()
            assert "Bergström" in str(shared) and "documents/passage" not in str(shared)
            assert len(home.side.replies("sales", thread)) == 2


@pytest.mark.promise("E4", "core.turn")
async def test_somebody_else_is_neither_told_nor_may_they_share(tmp_path: Path) -> None:
    async with ModelServer() as models:
        models.answer(deciding)
        async with house(tmp_path, models=models, environment=OFFLINE) as home:
            await stocked(home, tmp_path)
        # A bot that starts with documents offers the tool that asks them.
        async with house(tmp_path, models=models, environment=OFFLINE) as home:
            await home.ask(f"{MENTION} When does the merger close?", person="tomas")
            await home.settled()
            assert not [m for m in home.slack.ephemerals("tomas", "sales") if "Bergst" in str(m)]
            assert all("Bergström" not in asked.text for asked in chat(models))


@pytest.mark.promise("E4", "core.turn")
async def test_what_the_thread_said_before_is_not_told_on_once_its_paper_is_for_others(
    tmp_path: Path,
) -> None:
    said, reading = "It closes at six in the evening [1].", ("read_result", {"evidence": ""})
    async with ModelServer() as models:
        async with house(tmp_path, models=models, environment=OFFLINE) as home:
            await stocked(home, tmp_path)
            models.answer(lambda _: say(said))
            [first] = await home.ask(f"{MENTION} When does the office close in the evening?")
            thread, [begun] = first["thread_ts"], chat(models)
            assert OPEN in begun.text
            turn = (await home.bot.rooms.db.fetch_one("SELECT turn FROM turns") or {})["turn"]
            reading[1]["evidence"] = f"{turn}.0"

            async def again(number: int) -> str:
                """All that the model is shown for one more question in the thread."""
                before = len(chat(models))

                def read_it(asked: Asked) -> Step:
                    is_done = asked.messages[-1]["role"] == "tool"
                    return say(f"Answer {number}.") if is_done else calls(reading)

                models.answer(read_it)
                await home.side.say("mara", "sales", f"{MENTION} And then?", thread_ts=thread)
                await home.answers("sales", thread, number)
                return "".join(json.dumps(asked.messages) for asked in chat(models)[before:])

            assert "six in the evening" in await again(2)
            rule = tmp_path / "papers" / "open" / ".readers"
            rule.write_text("group:finance")
            barred = await again(3)
            assert "six in the evening" not in barred and "closes at six" not in barred
            assert "rests on a document" in barred and "there is no evidence" in barred
            rule.write_text("group:everyone")
            papers: Any = home.bot.rooms.papers
            await Sync(papers.ingest).all()
            assert "six in the evening" in await again(4)
