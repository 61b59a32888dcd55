"""What the bot says in Teams: once, where it belongs, in a shape that Teams takes."""

import json

import pytest

from adapters.teams.pacing import Pacing
from adapters.teams.render import limits, markdown, messages
from bot.workspace.teams.records import Fault
from bot.workspace.teams_server import cards
from core.errors import DeliveryFailed
from core.figures import Figure
from core.records import Answer, Chip, Cost, PersonId, Post, TurnId
from tests.door import Hand
from tests.teams.conftest import running, settings_for

COST = Cost(models=("gpt-5.5",), calls=2, tokens=8_200, price="0.021", seconds=6.0)
TABLE = "| region | sold |\n| --- | ---: |\n| Nordics | **12** |\n| Alps | 7 |"


def post(question, text="Nordics lead. [1]", **more):
    answer = Answer(text=text, chips=(Chip(number=1, label="Sales", url=""),), cost=COST)
    made = {
        "id": "t_1.answer",
        "turn": TurnId("t_1"),
        "surface": "teams",
        "address": question.address,
        "kind": "answer",
        "person": question.person.id,
        "answer": answer,
    }
    return Post(**(made | more))


async def question(bot, teams, person="mara", place="sales", **how):
    before = len(bot.door.questions)
    await teams.say(person, place, "what did we sell?", **how)
    return await teams.wait_for(
        lambda: bot.door.questions[before] if len(bot.door.questions) > before else None
    )


async def test_an_answer_carries_label_source_cost_and_buttons_for_feedback(bot, teams):
    asked = await question(bot, teams)
    await bot.adapter.surface.deliver(post(asked), None)

    [said] = teams.by_bot("sales")
    assert said["thread"] == asked.address["message"] and said["textFormat"] == "markdown"
    [entity] = said["entities"]
    assert entity["additionalType"] == ["AIGeneratedContent"] and entity["@type"] == "Message"
    [claim] = entity["citation"]
    assert (claim["position"], claim["appearance"]["name"]) == (1, "Sales")
    assert said["text"].endswith("_gpt-5.5 · 2 calls · 8.2k tokens · $0.021 · 6 s_")
    assert said["channelData"]["feedbackLoop"] == {"type": "default"}


async def test_an_answer_says_how_confidential_it_is_where_the_operator_says_so(teams):
    label = "Internal: for people of Larkspur alone"
    async with running(teams, settings_for(teams, sensitivity=label)) as bot:
        asked = await question(bot, teams)
        await bot.adapter.surface.deliver(post(asked), None)
    [said] = teams.by_bot("sales")
    usage = said["entities"][0]["usageInfo"]
    assert (usage["name"], usage["description"]) == ("Internal", "for people of Larkspur alone")
    assert usage["@type"] == "CreativeWork"


async def test_two_threads_that_cross_get_their_own_answers(bot, teams):
    one, two = await question(bot, teams), await question(bot, teams, "tomas")
    await bot.adapter.surface.deliver(post(two, "Two.", id="2"), None)
    await bot.adapter.surface.deliver(post(one, "One.", id="1"), None)
    for asked, words in ((one, "One."), (two, "Two.")):
        [said] = teams.by_bot("sales", asked.address["message"])
        assert said["text"].startswith(words)


async def test_the_answer_takes_the_place_of_the_sign_of_work(bot, teams):
    asked = await question(bot, teams)
    await bot.adapter.surface.progress(asked.address, "reading the sales tables…")
    [shown] = teams.by_bot("sales")
    assert "reading the sales tables" in shown["text"]

    where = await bot.adapter.surface.deliver(post(asked), None)
    [said] = teams.by_bot("sales")
    assert said["id"] == shown["id"] and said["text"].startswith("Nordics")
    assert where.endswith(f"/{shown['id']}")
    assert not any(key.startswith("placeholder:") for key in bot.memory.kept)


async def test_a_sign_of_work_goes_where_no_answer_takes_its_place(bot, teams):
    asked = await question(bot, teams)
    await bot.adapter.surface.progress(asked.address, "reading…")
    await bot.adapter.surface.progress(asked.address, "")
    assert teams.by_bot("sales") == [] and teams.calls[-1].method == "DELETE"
    await bot.adapter.surface.deliver(post(asked), None)
    assert len(teams.by_bot("sales")) == 1


async def test_a_sign_of_work_is_found_again_after_a_restart(bot, teams):
    asked = await question(bot, teams)
    await bot.adapter.surface.progress(asked.address, "reading…")
    bot.adapter.surface._placeholders._ids.clear()
    await bot.adapter.surface.deliver(post(asked), None)
    assert len(teams.by_bot("sales")) == 1


async def test_a_chat_shows_typing_and_not_too_often(bot, teams):
    asked = await question(bot, teams, place="@mara")
    for _ in range(20):
        await bot.adapter.surface.progress(asked.address, "reading…")
    assert [call.body["type"] for call in teams.calls if call.method == "POST"] == ["typing"]
    assert teams.by_bot("@mara") == []


@pytest.mark.parametrize("place", ["sales", "@mara"])
async def test_a_post_that_is_asked_for_again_stands_there_once(bot, teams, place):
    asked = await question(bot, teams, place=place)
    await bot.adapter.surface.progress(asked.address, "reading…")
    text = "\n\n".join("word " * 900 for _ in range(18))
    first = await bot.adapter.surface.deliver(post(asked, text), None)
    again = await bot.adapter.surface.deliver(post(asked, text, attempt=1), None)
    assert first == again
    assert len(teams.by_bot(place)) == len(messages.render(post(asked, text).answer)) > 1


async def test_a_tables_rows_are_cells_with_lines_of_text_for_older_clients(bot, teams):
    asked = await question(bot, teams)
    await bot.adapter.surface.deliver(post(asked, f"Here:\n\n{TABLE}\n\nThat is all. [1]"), None)
    [said] = teams.by_bot("sales")
    assert "|" not in said["text"] and "_The table is below._" in said["text"]
    [card] = cards(said)
    [table] = card["body"]
    cells = [
        [cell["items"][0]["inlines"][0]["text"] for cell in row["cells"]] for row in table["rows"]
    ]
    assert cells == [["region", "sold"], ["Nordics", "12"], ["Alps", "7"]]
    assert "Nordics · 12" in json.dumps(table["fallback"], ensure_ascii=False)


def test_figures_are_elements_of_cards_with_the_same_in_a_table_for_older_clients():
    rows = (("Nordics", 12.5), ("Alps", 7))
    made = [
        Figure(kind=kind, title="Sales", columns=("region", "sold"), rows=rows, total=9)
        for kind in ("bar", "line", "pie", "table")
    ]
    [said] = messages.render(Answer(text="Here. [1]", figures=tuple(made), cost=COST))
    shown = [card["body"] for card in cards(said)]
    kinds = [body[0]["type"] for body in shown[:3]]
    assert kinds == ["Chart.VerticalBar", "Chart.Line", "Chart.Pie"]
    assert all(body[0]["fallback"]["type"] == "Table" for body in shown[:3])
    assert shown[0][0]["data"] == [{"x": "Nordics", "y": 12.5}, {"x": "Alps", "y": 7}]
    assert all("The first 2 of 9 rows." in json.dumps(body) for body in shown)
    words = Figure(kind="bar", title="x", columns=("a", "b"), rows=(("x", "y"),), total=1)
    [said] = messages.render(Answer(text="x", figures=(words,), cost=COST))
    assert cards(said)[0]["body"][1]["type"] == "Table"


async def test_what_is_private_is_said_in_the_persons_own_chat_and_never_in_public(bot, teams):
    asked = await question(bot, teams)
    await bot.adapter.surface.deliver(post(asked, "Only you.", kind="private"), None)
    assert teams.by_bot("sales") == []
    [said] = teams.by_bot("@mara")
    assert said["text"].startswith("Only you.")

    teams.place("@tomas").has_bot = False
    asked = await question(bot, teams, "tomas")
    with pytest.raises(DeliveryFailed) as failure:
        await bot.adapter.surface.deliver(post(asked, "Only you.", kind="private", id="p"), None)
    assert failure.value.is_final and teams.by_bot("sales") == []


async def test_a_person_is_reached_by_name_alone_once_they_were_met(bot, teams):
    asked = await question(bot, teams, place="@mara")
    to = {"person": asked.person.id}
    await bot.adapter.surface.deliver(post(asked, "Hello.", address=to), None)
    assert len(teams.by_bot("@mara")) == 1
    stranger = {"person": PersonId(f"teams:{teams.world.tenant}/nobody")}
    with pytest.raises(DeliveryFailed) as failure:
        await bot.adapter.surface.deliver(post(asked, address=stranger, id="s"), None)
    assert failure.value.is_final


@pytest.mark.promise("L5", "adapters.teams")
@pytest.mark.parametrize(
    ("fault", "is_final", "pause"),
    [
        (Fault(status=429, code="429", retry_after=7), False, 7.0),
        (Fault(status=412, code="PreconditionFailed"), False, 2.0),
        (Fault(status=502, code="ServiceError"), False, 0.0),
        (Fault(status=504), False, 0.0),
        (Fault(status=403, code="BotNotInConversationRoster"), True, 0.0),
        (Fault(status=413, code="MessageSizeTooBig"), True, 0.0),
    ],
)
async def test_a_refusal_says_whether_another_try_can_help(bot, teams, fault, is_final, pause):
    asked = await question(bot, teams)
    teams.world.faults.append(fault)
    with pytest.raises(DeliveryFailed) as failure:
        await bot.adapter.surface.deliver(post(asked), None)
    assert (failure.value.is_final, failure.value.retry_after) == (is_final, pause)
    assert len([call for call in teams.calls if call.method == "POST"]) == 1


async def test_a_token_is_minted_once_and_anew_where_it_was_taken_back(bot, teams):
    asked = await question(bot, teams)
    for number in range(5):
        await bot.adapter.surface.deliver(post(asked, id=str(number)), None)
    assert teams.signing.token_reads == 1
    teams.signing.tokens.clear()
    await bot.adapter.surface.deliver(post(asked, id="after"), None)
    assert teams.signing.token_reads == 2 and len(teams.by_bot("sales")) == 6


@pytest.mark.promise("I4", "adapters.teams")
async def test_no_token_is_shown_to_an_address_off_the_list(bot, teams):
    asked = await question(bot, teams)
    for service in ("https://evil.trafficmanager.net/x/", "http://127.0.0.1:9/", ""):
        address = {**asked.address, "service": service}
        with pytest.raises(DeliveryFailed) as failure:
            await bot.adapter.surface.deliver(post(asked, address=address), None)
        assert failure.value.reason == "service_refused" and failure.value.is_final
    assert teams.calls == []


async def test_feedback_is_kept_for_the_post_that_it_is_about(bot, teams):
    asked = await question(bot, teams)
    where = await bot.adapter.surface.deliver(post(asked), None)
    value = {
        "actionName": "feedback",
        "actionValue": {"reaction": "like", "feedback": '{"feedbackText":"good"}'},
    }
    found = await teams.happen(
        "tomas",
        "sales",
        "invoke",
        name="message/submitAction",
        value=value,
        replyToId=where.rpartition("/")[2],
    )
    assert found.status == 200
    [rating] = bot.door.ratings
    assert rating.person.endswith(teams.member("tomas").oid)
    assert (rating.turn, rating.place, rating.is_good) == ("t_1", asked.place.id, True)
    assert rating.words == "good"


async def test_messages_keep_to_the_pace_that_microsoft_publishes():
    hand = Hand(1_000.0)
    pacing = Pacing(hand, hand.sleep)
    sent = []
    for _ in range(70):
        await pacing.turn("19:a")
        sent.append(hand.now)
    for count, seconds in ((7, 1.0), (8, 2.0), (60, 30.0)):
        assert all(
            later - earlier >= seconds for earlier, later in zip(sent, sent[count:], strict=False)
        )
    before = hand.now
    await pacing.turn("19:b")
    assert hand.now == before, "another conversation waits for nothing"


def test_a_long_answer_is_cut_at_a_paragraph_and_a_medium_one_is_not():
    medium = messages.render(Answer(text="word " * 2_000))
    assert len(medium) == 1
    long = messages.render(Answer(text="\n\n".join(["word " * 900] * 10), cost=COST))
    assert len(long) == 2
    for one in long:
        assert limits.size(one) <= limits.MESSAGE_BYTES
        assert one["text"].strip().startswith("word")
    assert [("_gpt" in one["text"]) for one in long] == [False, True]


def test_a_code_block_that_is_cut_is_closed_and_opened_again():
    code = "```\n" + "\n".join(["x = 1" * 40] * 300) + "\n```"
    parts = markdown.parts(code)
    assert len(parts) > 1
    for part in parts:
        assert part.count("```") == 2


@pytest.mark.promise("E5", "adapters.teams")
def test_what_a_model_writes_mentions_nobody_and_loads_nothing():
    for text in ("<at>Mara</at>", "<img src=x>", "</at>", "<!-- x", "<script>"):
        [said] = messages.render(Answer(text=f"a {text} b"))
        assert "<" not in said["text"]
    [said] = messages.render(Answer(text="1 < 2 and a<-b"))
    assert said["text"] == "1 < 2 and a<-b"


def test_an_address_that_is_not_https_is_no_source_to_click():
    for url in ("http://x.example", "javascript:alert(1)", "https://", "https://a b"):
        answer = Answer(text="x [1]", chips=(Chip(number=1, label="S", url=url),), cost=COST)
        [said] = messages.render(answer)
        assert "url" not in said["entities"][0]["citation"][0]["appearance"]
