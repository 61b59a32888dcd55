"""What a person stopped is over: nobody finishes it, and only what was meant is stopped."""

from dataclasses import replace

from core.records import Person, PersonId, Rating, Stop, TurnId
from core.storage import inbox, outbox, ratings, stops, threads
from core.storage.database import Database
from tests.storage.examples import ADA, SALES, post, put, question, thread
from tests.storage.test_inbox import claim, finish

TOM = Person(id=PersonId("slack:T1/U2"), name="Tom")


async def test_a_stopped_turn_can_not_be_finished_any_more_and_says_nothing(
    database: Database,
) -> None:
    await put(database, question("d1"))
    [taken] = await claim(database)
    wanted = Stop(place=SALES.id, person=ADA.id, thread=thread())

    assert await stops.stop(database, wanted, now=250.0) == ["t_d1"]

    assert await stops.stopped(database, 200.0) == {"t_d1"}
    assert await inbox.beat(database, taken.turn, "one", lease=400.0) == "over"
    assert not await finish(database, taken.turn)
    assert await outbox.due(database, "slack", now=999.0) == []
    assert await threads.finished(database, thread()) == []
    assert await stops.stop(database, wanted, now=260.0) == []


async def test_a_thread_goes_on_after_a_stop(database: Database) -> None:
    await put(database, question("d1"))
    await claim(database)
    await stops.stop(database, Stop(place=SALES.id), now=250.0)
    await put(database, question("d2"))
    assert [taken.turn.id for taken in await claim(database)] == ["t_d2"]


async def test_only_what_is_meant_is_stopped(database: Database) -> None:
    await put(database, question("d1", in_thread=1))
    await put(database, question("d2", in_thread=2))
    await put(database, replace(question("d3", in_thread=3), person=TOM))
    await put(database, question("d4", in_thread=4))
    stopped = [
        await stops.stop(database, wanted, now=250.0)
        for wanted in (
            Stop(place="slack:T1/C2"),
            Stop(place=SALES.id, person=TOM.id, thread=thread(1)),
            Stop(place=SALES.id, person=TOM.id, delivery="d1"),
            Stop(place=SALES.id, person=ADA.id, delivery="d4"),
            Stop(place=SALES.id, thread=thread(2)),
            Stop(place=SALES.id, person=ADA.id),
        )
    ]
    assert stopped == [[], [], [], ["t_d4"], ["t_d2"], ["t_d1"]]
    assert [taken.turn.id for taken in await claim(database)] == ["t_d3"]


async def test_the_newest_opinion_of_each_person_is_kept_with_the_answer(
    database: Database,
) -> None:
    await put(database, question("d1"))
    [taken] = await claim(database)
    await finish(database, taken.turn)
    turn = TurnId("t_d1")
    good = Rating(turn=turn, place=SALES.id, person=ADA.id, is_good=True)

    assert await ratings.put(database, good, now=1.0)
    assert await ratings.put(database, replace(good, person=TOM.id), now=2.0)
    assert await ratings.put(database, replace(good, is_good=False, words="No. \x00"), now=3.0)

    found = await ratings.of_turn(database, turn)
    kept = [(rated.person, rated.is_good, rated.words.strip("\ufffd ")) for rated in found]
    assert kept == [(TOM.id, True, ""), (ADA.id, False, "No.")]
    assert await ratings.prune(database, 2.5) == 1


async def test_an_answer_of_another_place_can_not_be_rated(database: Database) -> None:
    await put(database, question("d1"))
    [taken] = await claim(database)
    await finish(database, taken.turn)
    rating = Rating(turn=TurnId("t_d1"), place="slack:T1/C2", person=ADA.id, is_good=True)
    assert not await ratings.put(database, rating, now=1.0)
    assert not await ratings.put(database, replace(rating, turn=TurnId("t_x")), now=1.0)
    assert await ratings.of_turn(database, TurnId("t_d1")) == []


async def test_cards_are_brought_before_other_posts(database: Database) -> None:
    for number in range(3):
        await outbox.put(database, post(f"t{number}", channel=f"C{number}"))
    await outbox.put(database, post("t9", channel="C9", kind="card"))
    due = await outbox.due(database, "slack", now=999.0, limit=2)
    assert [one.id for one in due] == ["t9.answer", "t0.answer"]
