"""Files, both ways: handed over where the person agrees, read where Teams says what they are."""

import json
from dataclasses import replace

import pytest

from core.errors import DeliveryFailed
from core.figures import Figure
from core.records import Answer, FileId, MadeFile
from tests.teams.conftest import running
from tests.teams.test_outbound import post, question

FILE = MadeFile(id=FileId("f_1"), name="q3.csv", media_type="text/csv", size=12)
BYTES = b"region,sold\n"


@pytest.fixture
async def bot(teams):
    async def made(file):
        return BYTES if file == FILE.id else None

    async with running(teams, made=made, patience=2.0) as running_bot:
        yield running_bot


def file_post(asked, **more):
    return post(asked, kind="file", id="t_1.file", answer=Answer(text="", files=(FILE,)), **more)


async def offered(bot, teams, place="@mara"):
    asked = await question(bot, teams, place=place)
    await bot.adapter.surface.deliver(file_post(asked), BYTES)
    return next(one for one in teams.by_bot("@mara") if one.get("attachments"))


async def test_a_file_goes_where_the_person_says_and_is_shown_there(bot, teams):
    asked = await offered(bot, teams)
    [card] = asked["attachments"]
    assert card["contentType"] == "application/vnd.microsoft.teams.card.file.consent"
    assert (card["name"], card["content"]["sizeInBytes"]) == ("q3.csv", len(BYTES))

    assert (await teams.take_file("mara", asked["id"])).status == 200
    assert teams.world.uploads == {"q3.csv": BYTES}
    [shown] = teams.by_bot("@mara")
    [card] = shown["attachments"]
    assert card["contentType"] == "application/vnd.microsoft.teams.card.file.info"
    assert card["contentUrl"].endswith("/uploads/q3.csv")


async def test_who_does_not_want_it_gets_nothing(bot, teams):
    asked = await offered(bot, teams)
    assert (await teams.take_file("mara", asked["id"], yes=False)).status == 200
    assert teams.world.uploads == {} and teams.by_bot("@mara") == []


@pytest.mark.promise("I4", "adapters.teams")
@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data",
        "https://evil.example/upload",
        "https://contoso.sharepoint.com.evil.example/upload",
        "https://user@contoso.sharepoint.com/upload",
        "file:///etc/passwd",
    ],
)
async def test_a_place_that_is_none_of_teams_gets_no_byte(bot, teams, address):
    asked = await offered(bot, teams)
    found = await teams.take_file("mara", asked["id"], upload_url=address)
    assert found.status == 200
    assert "none of its own" in json.dumps(teams.by_bot("@mara"))


async def test_nobody_else_can_take_it(bot, teams):
    asked = await offered(bot, teams)
    teams.world.put(teams.place("@tomas"), {**asked})
    assert (await teams.take_file("tomas", asked["id"])).status == 200
    assert teams.world.uploads == {}


@pytest.mark.parametrize("place", ["sales", "planning"])
async def test_elsewhere_the_file_is_in_the_own_chat_and_the_thread_says_so(bot, teams, place):
    await offered(bot, teams, place)
    [said] = teams.by_bot(place)
    assert "q3.csv is in our own chat" in said["text"].replace("\\", "")


async def test_a_file_that_is_asked_for_again_is_offered_once(bot, teams):
    asked = await question(bot, teams, place="@mara")
    first = await bot.adapter.surface.deliver(file_post(asked), BYTES)
    again = await bot.adapter.surface.deliver(file_post(asked, attempt=1), BYTES)
    assert first == again and len(teams.by_bot("@mara")) == 1


async def test_a_person_who_cannot_be_written_to_gets_no_file_and_the_failure_is_known(bot, teams):
    asked = await question(bot, teams, place="sales")
    teams.place("@mara").has_bot = False
    with pytest.raises(DeliveryFailed) as failed:
        await bot.adapter.surface.deliver(file_post(asked), BYTES)
    assert failed.value.is_final and teams.by_bot("sales") == []


async def test_rows_that_no_card_holds_are_offered_as_a_file_once(teams):
    kept = {}

    async def make(turn, file, content):
        kept[file.id] = content

    async def made(file):
        return kept.get(file)

    rows = tuple((f"=r{n}", n) for n in range(200))
    figure = Figure(kind="table", title="Orders", columns=("name", "n"), rows=rows, total=200)
    async with running(teams, made=made, make=make, patience=2.0) as bot:
        asked = await question(bot, teams, place="sales")
        long = Answer(text="Here.", figures=(figure,))
        await bot.adapter.surface.deliver(post(asked, answer=long), None)
        await bot.adapter.surface.deliver(post(asked, answer=long, attempt=1), None)
        [offered] = [one for one in teams.by_bot("@mara") if one.get("attachments")]
        assert offered["attachments"][0]["name"] == "Orders.csv"
        await teams.take_file("mara", offered["id"])
        lines = teams.world.uploads["Orders.csv"].decode("utf-8-sig").splitlines()
        assert len(lines) == 201 and lines[1] == "'=r0,0"

        short = replace(figure, rows=rows[:5], total=5)
        asked = await question(bot, teams, place="sales")
        brief = Answer(text="Here.", figures=(short,))
        await bot.adapter.surface.deliver(post(asked, answer=brief, id="t_2.answer"), None)
        assert [one for one in teams.by_bot("@mara") if "consent" in str(one)] == []
