"""Tables and charts are blocks that Slack takes, whatever the rows hold."""

import csv
import io

from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block, MarkdownBlock, TableBlock

from adapters import spreadsheet
from adapters.slack.render import blocks, figures, limits
from bot.workspace.slack.checks import check_message
from bot.workspace.slack.records import Fault
from core.figures import Figure
from core.records import Answer, Cost
from tests.slack.streaming import COST, kinds, pen, prose, showing


def figure(count: int = 3, columns: int = 2, kind: str = "table", **more) -> Figure:
    return Figure(
        **{
            "kind": kind,
            "title": "Sales by region",
            "columns": ("region", *(f"c{place}" for place in range(1, columns))),
            "rows": tuple(
                (f"region {row}", *(row * 10 + place for place in range(1, columns)))
                for row in range(count)
            ),
            "total": count,
            **more,
        }
    )


def test_a_short_table_is_shown_whole_and_a_long_one_page_by_page():
    assert figures.block(figure(3))["type"] == "table"
    long = figures.block(figure(40))
    assert (long["type"], long["page_size"], len(long["rows"])) == ("data_table", 10, 41)


def test_a_table_beyond_slacks_limits_shows_its_beginning_and_says_so():
    for big in (figure(240, 6), figure(12, 25)):
        shown = figures.block(big)
        check_message({"text": "x", "blocks": [shown]})
        assert not figures.is_whole(big)
    assert figures.title(figure(240, 6)) == "Sales by region (99 of 240)"


def test_charts_are_drawn_where_slack_draws_them_and_are_tables_elsewhere():
    bar = figures.block(figure(5, 3, "bar"))
    assert bar["type"] == "data_visualization" and len(bar["chart"]["series"]) == 2
    assert figures.block(figure(5, 2, "line"))["chart"]["type"] == "line"
    pie = figure(2, 2, "pie", rows=(("a", 1), ("b", 2)), total=2)
    assert figures.block(pie)["chart"]["type"] == "pie"
    negative = figure(2, 2, "pie", rows=(("a", -1), ("b", 2)), total=2)
    assert figures.block(negative)["chart"]["type"] == "bar"
    for undrawable in (
        figure(30, 2, "bar"),
        figure(2, 2, "bar", rows=(("a", 1), ("a", 2))),
        figure(2, 2, "bar", rows=(("a", "x"), ("b", "y"))),
        figure(2, 2, "bar", total=9),
    ):
        assert figures.block(undrawable)["type"] in ("table", "data_table")


def test_a_spreadsheet_runs_nothing_of_it():
    made = figure(2, 2, rows=(("=HYPERLINK(1)", -5), ("@x", 2)))
    rows = list(csv.reader(io.StringIO(spreadsheet.as_csv(made).decode("utf-8-sig"))))
    assert rows == [["region", "c1"], ["'=HYPERLINK(1)", "-5"], ["'@x", "2"]]


def test_slacks_own_models_take_what_they_know_of():
    shown = blocks.render(Answer(text="Words.", figures=(figure(3),), cost=COST), "t_1").messages
    for block in (block for message in shown for block in message.blocks):
        made = Block.parse(block)
        assert made is not None, block
        made.validate_json()
    assert isinstance(Block.parse(shown[0].blocks[0]), MarkdownBlock)
    assert isinstance(Block.parse(shown[1].blocks[1]), TableBlock)


CELLS = st.one_of(st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False),
                  st.text(max_size=300))  # fmt: skip


@st.composite
def anything(draw) -> Figure:
    columns = draw(st.lists(st.text(max_size=60), min_size=1, max_size=40))
    row = st.lists(CELLS, min_size=len(columns), max_size=len(columns)).map(tuple)
    rows = draw(st.lists(row, max_size=5)) * draw(st.integers(1, 60))
    return Figure(
        kind=draw(st.sampled_from(["table", "bar", "line", "pie"])),
        title=draw(st.text(max_size=200)),
        columns=tuple(columns),
        rows=tuple(rows),
        total=len(rows),
    )


@settings(deadline=None, derandomize=True, max_examples=60)
@given(anything())
def test_every_figure_is_a_message_that_slack_takes(made: Figure):
    answer = Answer(text="", figures=(made,), cost=Cost(models=("m",), calls=1))
    for message in blocks.render(answer, "t_1").messages:
        check_message({"text": message.text, "blocks": list(message.blocks)})
        assert blocks.size(message.blocks) <= limits.MESSAGE_TOTAL
        assert all(len(piece) <= 4_000 for piece in blocks.plain_pieces(message))
    spreadsheet.as_csv(made)


async def test_figures_stand_behind_the_words_and_what_they_do_not_show_is_a_file(slack):
    async with pen(slack) as at:
        answer = Answer(text="Nordics lead.", figures=(figure(3), figure(240, 6)), cost=COST)
        await at.deliver(answer=answer)
        words, short, long, file = at.replies()
        assert kinds(words) == ["markdown"]
        assert kinds(short) == ["context", "table"]
        assert kinds(long) == ["context", "data_table", "context", "context_actions"]
        assert file["files"][0]["name"] == "Sales by region.csv"
        await at.deliver(answer=answer, attempt=1)
        assert len(at.replies()) == 4


async def test_figures_stand_behind_words_that_were_streamed(slack):
    async with pen(slack) as at:
        async with showing(at):
            await at.write(prose(2))
        answer = Answer(text=prose(2).rstrip("\n"), figures=(figure(3),), cost=COST)
        await at.deliver(answer=answer)
        words, table = at.replies()
        assert kinds(words) == ["plan", "markdown"]
        assert kinds(table) == ["context", "table", "context", "context_actions"]


async def test_a_table_that_slack_refuses_is_shown_in_words(slack):
    async with pen(slack) as at:
        slack.fail("chat.postMessage", Fault(error="invalid_blocks"))
        await at.deliver(answer=Answer(text="", figures=(figure(2),), cost=COST))
        said = "\n".join(reply["text"] for reply in at.replies())
        assert "| region 1 | 11 |" in said and "Sales by region" in said
