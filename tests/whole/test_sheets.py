"""Spreadsheets that are posted in a thread are read there, once, and answered from."""

import io
import re

import openpyxl

from core.storage import evidence
from tests.fakes.model_script import Asked, Step, call, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.specialists.sheets.test_tables import book
from tests.turn.reading import MENTION
from tests.whole.scripted_sql import Scripted
from tests.whole.test_sql import brought, chinook, offered, rows_of, said

CSV = "Dato;Beløb\n01.02.2026;1.234,50\n13.02.2026;-5,05\nI alt;1.229,45\n".encode("cp1252")
QUESTION = "What is the sum of the invoices?"
SQL = 'SELECT SUM(i."beløb") AS total FROM invoices AS i'


def told(**more) -> Scripted:
    return Scripted(**{"sql": {QUESTION: [SQL]}, "tool": "posted_ask_posted"} | more)


async def test_a_posted_csv_is_answered_from_with_every_judgement(tmp_path):
    async with ModelServer() as models, house(tmp_path, models=models) as bot:
        models.answer(told().step)
        await offered(bot, "posted/ask_posted")
        file = bot.slack.add_file("mara", "invoices.csv", CSV)
        [answer, *_] = await said(bot, f"{MENTION} {QUESTION}", files=[file])
        piece = await brought(bot)
        assert rows_of(piece) == [("1229.45",)]
        shown = str(bot.side.replies("sales", answer["thread_ts"]))
        assert "left out a totals row: row 4 (I alt)" in shown and "decimal comma" in shown


async def test_a_file_that_somebody_posted_before_is_read_as_well(tmp_path):
    async with ModelServer() as models, house(tmp_path, models=models) as bot:
        models.answer(told().step)
        await offered(bot, "posted/ask_posted")
        file = bot.slack.add_file("jonas", "invoices.csv", CSV)
        root = await bot.slack.say("jonas", "sales", "The invoices of February", files=[file])
        await said(bot, f"{MENTION} {QUESTION}", thread_ts=root)
        assert rows_of(await brought(bot)) == [("1229.45",)]
        assert "Files posted in the thread before: invoices.csv" in models.asked[-1].text


async def test_the_second_question_does_not_fetch_the_file_again(tmp_path):
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.answer(told().step)
        await offered(bot, "posted/ask_posted")
        file = bot.slack.add_file("mara", "invoices.csv", CSV)
        [answer, *_] = await said(bot, f"{MENTION} {QUESTION}", files=[file])
        fetched = len(bot.slack.calls("files.info"))
        root = answer["thread_ts"]
        before = len(bot.side.replies("sales", root))
        await said(bot, f"{MENTION} Again: {QUESTION}", thread_ts=root, answers=before)
        assert len(bot.slack.calls("files.info")) == fetched >= 1


async def test_a_hidden_sheet_is_left_alone_and_named(tmp_path):
    content = book(["Region", "Sales"], ["North", 1], ["South", 2], state="hidden")
    async with ModelServer() as models, house(tmp_path, models=models) as bot:
        model = told(sql={QUESTION: ["SELECT s.a FROM report_seen AS s"]})
        models.answer(model.step)
        await offered(bot, "posted/ask_posted")
        file = bot.slack.add_file("mara", "report.xlsx", content)
        await said(bot, f"{MENTION} {QUESTION}", files=[file])
        shown = " ".join(one.text for one in model.seen)
        assert "report_seen" in shown and "report_salg" not in shown


async def test_where_all_is_hidden_nothing_is_read_unasked(tmp_path):
    made = openpyxl.load_workbook(
        io.BytesIO(book(["Region", "Sales"], ["North", 1], ["South", 2], state="hidden"))
    )
    made["Seen"].delete_rows(1, 9)
    file_of = io.BytesIO()
    made.save(file_of)
    async with ModelServer() as models, house(tmp_path, models=models) as bot:
        model = told(words="Nothing.")
        models.answer(model.step)
        await offered(bot, "posted/ask_posted")
        file = bot.slack.add_file("mara", "report.xlsx", file_of.getvalue())
        await said(bot, f"{MENTION} {QUESTION}", files=[file])
        piece = await brought(bot)
        assert piece.is_error and "they have to be named" in piece.text and model.seen == []


async def test_a_damaged_file_ends_in_a_sentence(tmp_path):
    async with ModelServer() as models, house(tmp_path, models=models) as bot:
        models.answer(told(words="Sorry.").step)
        await offered(bot, "posted/ask_posted")
        file = bot.slack.add_file("mara", "broken.xlsx", b"PK\x03\x04 nothing")
        await said(bot, f"{MENTION} {QUESTION}", files=[file])
        piece = await brought(bot)
        assert piece.is_error and "damaged" in piece.text


async def test_the_demo_model_shows_the_rows_and_works_nothing_out(tmp_path):
    async with house(tmp_path) as bot:
        await offered(bot, "posted/ask_posted", "sources/ask_workshop")
        file = bot.slack.add_file("mara", "invoices.csv", CSV)
        question = "What is in the posted file?"
        [answer, *_] = await said(bot, f"{MENTION} {question}", files=[file])
        shown = str(bot.side.replies("sales", answer["thread_ts"]))
        assert "writes no SQL" in shown and "1234.50" in shown.replace(",", "")


async def test_the_demo_model_answers_verified_queries_of_the_sample(tmp_path):
    async with house(tmp_path) as bot:
        await offered(bot, "sources/ask_workshop")
        question = "Which spare parts are below their minimum stock?"
        [answer, *_] = await said(bot, f"{MENTION} {question}")
        shown = str(bot.side.replies("sales", answer["thread_ts"]))
        assert "chain 12-speed" in shown and "Ingrid Solberg" in shown
        assert "the demo model writes no SQL and answers by verified queries alone" in shown


class ShowThenMail:
    """First asks the source, then mails what was kept of it."""

    def __init__(self, asking: Scripted) -> None:
        self._asking = asking

    def step(self, asked: Asked) -> Step:
        if "mail it" not in str(asked.messages[-1].get("content", "")) and "mail it" not in (
            self._question(asked)
        ):
            return self._asking.step(asked)
        results = [one for one in asked.messages if one["role"] == "tool"]
        if not results:
            kept = re.search(r"(t_\w+\.\d+) \(sources/ask_music\)", asked.text)
            assert kept, "the model is told of what the thread brought before"
            return call("read_result", evidence=kept[1], first_row=1, last_row=5)
        if len(results) == 1:
            body = str(results[0]["content"])
            assert "3503" in body
            return call(
                "office_send_mail", to=["priya@larkspur-cycles.example"], subject="t", body=body
            )
        return say("It waits for you.")

    def _question(self, asked: Asked) -> str:
        said = [str(one["content"]) for one in asked.messages if one["role"] == "user"]
        return said[-1] if said else ""


async def test_mail_it_after_show_it_runs_no_query_again(tmp_path):
    question = "How many tracks are there?"
    sql = "SELECT COUNT(*) AS tracks FROM Track"
    model = ShowThenMail(Scripted(sql={question: [sql]}, tool="sources_ask_music"))
    async with ModelServer() as models, house(tmp_path, models=models, sources=(chinook(),)) as bot:
        models.answer(model.step)
        await offered(bot, "sources/ask_music", "office/send_mail")
        [answer, *_] = await said(bot, f"{MENTION} {question}")
        root = answer["thread_ts"]
        before = len(bot.side.replies("sales", root))
        await said(bot, f"{MENTION} mail it to Priya", thread_ts=root, answers=before)
        assert await queries(bot) == 1
        (row,) = await bot.bot.rooms.db.fetch("SELECT state, body FROM parked")
        assert row["state"] == "parked" and "3503" in row["body"]


async def queries(bot: House) -> int:
    rows = await bot.bot.rooms.db.fetch("SELECT id FROM evidence WHERE tool LIKE 'sources/%'")
    assert all([await evidence.read(bot.bot.rooms.db, row["id"]) for row in rows])
    return len(rows)
