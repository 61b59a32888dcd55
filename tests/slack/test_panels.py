"""Panels in Slack: buttons that type an order for whoever presses them, and the App Home."""

import json

from adapters.slack.render import panels
from core.figures import Figure
from core.panels import Choice, Panel

TABLE = Figure(
    kind="table", title="Cost", columns=("Person", "Cost"), rows=(("Mara", "$1"),), total=1
)
BARS = Figure(
    kind="bar", title="USD", columns=("Person", "USD"), rows=(("Mara", 1.5), ("Tom", 2.0)), total=2
)


async def test_a_button_types_its_words_for_whoever_presses_it(slack, bot):
    await slack.command("mara", "sales", "/countersign", "usage")
    [shown] = slack.ephemerals("mara", "sales")
    delivery = await slack.click("mara", shown, "panel.0")
    assert delivery.status == 200
    order = bot.door.orders[-1]
    assert (order.words, order.is_typed) == ("usage 7d", True)
    assert order.person.id == "slack:T00000001/U0MARA"
    assert order.place.id == "slack:T00000001/C0SALES"
    assert order.person.time_zone == "Europe/Berlin"
    [told] = slack.ephemerals("mara", "sales")
    assert "Carried out: usage 7d." in json.dumps(told)


async def test_the_usage_command_is_an_order_of_its_own(slack, bot):
    await slack.command("mara", "sales", "/usage", "30d by model")
    assert bot.door.orders[-1].words == "usage 30d by model"


async def test_the_home_is_published_for_the_one_who_opens_it(slack, bot):
    slack.open_home("mara")
    view = await slack.wait_for(lambda: slack.world.homes.get("U0MARA"))
    assert "Carried out: home." in json.dumps(slack.world.views[view]["blocks"])
    assert bot.door.orders[-1].place.kind == "dm"


async def test_a_guest_sees_a_sentence_in_their_home_and_orders_nothing(slack, bot):
    slack.open_home("jonas")
    view = await slack.wait_for(lambda: slack.world.homes.get("U0JONAS"))
    assert "I answer people who belong" in json.dumps(slack.world.views[view]["blocks"])
    assert bot.door.orders == []


def test_a_panel_of_a_message_has_one_table_and_rows_of_buttons():
    choices = tuple(Choice(label=f"b{n}", words=f"usage {n}") for n in range(7))
    shown = panels.message(Panel(text="**Hi** <!channel>", figures=(BARS, TABLE), choices=choices))
    kinds = [block["type"] for block in shown["blocks"]]
    assert kinds == [
        *("markdown", "data_visualization", "context", "table"),
        *("actions", "actions"),
    ]
    assert "<!channel>" not in json.dumps(shown)
    two = panels.message(Panel(text="x", figures=(TABLE, TABLE)))
    assert [b["type"] for b in two["blocks"]].count("table") == 1


def test_a_button_that_cannot_be_taken_back_asks_first():
    choice = Choice(label="Erase", words="forget me now", is_danger=True, confirm="Sure?")
    [row] = panels.rows([choice])
    [button] = row["elements"]
    assert button["style"] == "danger" and button["confirm"]["text"]["text"] == "Sure?"
    assert panels.rows([Choice(label="x", words="w" * 2_000)]) == []


def test_a_home_has_lines_in_the_place_of_tables():
    view = panels.home([Panel(text="**One**\n- two & <three>", figures=(BARS, TABLE))])
    text = json.dumps(view["blocks"])
    assert "*One*" in text and "\\u2022 two &amp; &lt;three&gt;" in text
    assert "Person  Cost" in text and view["type"] == "home"
