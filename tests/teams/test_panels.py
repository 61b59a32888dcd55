"""Panels in Teams: one card, buttons that type an order for whoever presses them."""

import json

from adapters.teams.render import panels
from core.figures import Figure
from core.panels import Choice, Panel

TABLE = Figure(
    kind="table", title="Cost", columns=("Person", "Cost"), rows=(("Mara", "$1"),), total=1
)


async def test_a_button_types_its_words_for_whoever_presses_it(bot, teams):
    await teams.say("mara", "sales", "usage")
    [told] = await teams.wait_for(lambda: teams.by_bot("@mara") or None)
    answer = await teams.click("mara", "@mara", told["id"], "7 days")
    order = bot.door.orders[-1]
    assert (order.words, order.is_typed) == ("usage 7d", True)
    assert order.person.id == f"teams:{teams.world.tenant}/{teams.member('mara').oid}"
    assert "Carried out: usage 7d." in json.dumps(answer)


async def test_words_in_a_card_that_are_no_order_do_nothing(bot, teams):
    await teams.say("mara", "sales", "usage")
    [told] = await teams.wait_for(lambda: teams.by_bot("@mara") or None)
    forged = {"type": "Action.Execute", "verb": "order", "data": {"words": "what did we sell?"}}
    before = len(bot.door.orders)
    answer = await teams.press("tomas", "@mara", told["id"], forged, {})
    assert len(bot.door.orders) == before and "I do not know that word" in json.dumps(answer)


async def test_a_button_that_cannot_be_taken_back_asks_first(bot, teams):
    await teams.say("mara", "sales", "usage")
    [told] = await teams.wait_for(lambda: teams.by_bot("@mara") or None)
    data = {"words": "forget me now", "confirm": "Sure?"}
    first = {"type": "Action.Execute", "verb": "order", "data": data}
    before = len(bot.door.orders)
    answer = await teams.press("mara", "@mara", told["id"], first, {})
    assert "Sure?" in json.dumps(answer) and len(bot.door.orders) == before
    [again] = answer["value"]["actions"]
    await teams.press("mara", "@mara", told["id"], again, {})
    assert bot.door.orders[-1].words == "forget me now"


def test_bold_and_code_are_runs_and_nothing_else_is_markup():
    card = panels.content(Panel(text="**Why** `crm/x` [y](https://evil.example)\n- item"))
    runs = [run for block in card["body"] for run in block["inlines"]]
    assert runs[0] == {"type": "TextRun", "text": "Why", "weight": "Bolder"}
    assert {"type": "TextRun", "text": "crm/x", "fontType": "Monospace"} in runs
    assert any("[y](https://evil.example)" in run["text"] for run in runs)


def test_figures_that_do_not_fit_are_named():
    wide = Figure(
        kind="table",
        title="T",
        columns=("A",),
        rows=tuple((f"{n} {'x' * 200}",) for n in range(200)),
        total=200,
    )
    panel = Panel(text="x", figures=(TABLE, wide), choices=(Choice(label="A", words="usage"),))
    shown = json.dumps(panels.content(panel))
    assert "do not fit here" in shown
