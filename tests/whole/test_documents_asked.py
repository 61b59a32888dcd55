"""The documents tool: rewritten in the thread's light, answered from passages, or honestly not."""

from pathlib import Path
from typing import Any

from core.specialists.documents.sync import Sync
from core.storage import documents
from core.storage.documents import Source
from tests.fakes.model_script import Asked, Step, calls, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.turn.reading import MENTION

POLICY = "# Travel\n\n## Hotels\n\nA hotel night in Paris may cost 180 euros, breakfast included."
OFFLINE = {"COUNTERSIGN_EMBEDDINGS": "minilm"}


def deciding(asked: Asked) -> Step:
    if "Rewrite the last question" in asked.text:
        return say("What may a hotel night in Oslo cost?")
    if "numbered passages below" in asked.text:
        is_paris = "cost in Paris?" in asked.last
        return say("It may cost 180 euros [1]." if is_paris else "NOT IN THE DOCUMENTS")
    if asked.messages[-1]["role"] == "tool":
        found = "[1.1]" in asked.last
        return say("It may cost 180 euros [1.1]." if found else "The documents do not say it.")
    question = "What may a hotel night cost in Paris?" if "Oslo" not in asked.last else "and Oslo?"
    return calls(("documents_ask_documents", {"question": question}))


async def test_a_follow_up_is_rewritten_and_what_is_not_there_is_said(tmp_path: Path) -> None:
    async with ModelServer() as models:
        models.answer(deciding)
        (tmp_path / "papers").mkdir()
        (tmp_path / "papers" / "policy.md").write_text(POLICY)
        async with house(tmp_path, models=models, environment=OFFLINE) as home:
            papers = home.bot.rooms.papers
            assert papers is not None
            ingest: Any = papers.ingest  # type: ignore[attr-defined]
            source = Source(
                id="s",
                kind="folder",
                name="papers",
                place=str(tmp_path / "papers"),
                readers=("group:everyone",),
            )
            await documents.add_source(ingest.db, source)
            await Sync(ingest).all()
        async with house(tmp_path, models=models, environment=OFFLINE) as home:
            [first] = await home.ask(f"{MENTION} What may a hotel night cost in Paris?")
            assert "It may cost 180 euros [1]." in str(first)
            assert "policy.md › Travel › Hotels" in str(first)
            thread = first["thread_ts"]
            asked = f"{MENTION} and in Oslo?"
            second = (await home.ask(asked, thread_ts=thread, answers=1))[-1]
            assert "The documents do not say it." in str(second)
            rows = await home.bot.rooms.db.fetch(
                "SELECT seq FROM entries WHERE purpose = 'specialist' AND kind = 'chat'"
            )
        assert len(rows) == 3, "two answers, one rewriting"
        answering = [one for one in models.asked if "numbered passages below" in one.text]
        assert "Question: What may a hotel night in Oslo cost?" in answering[-1].last
