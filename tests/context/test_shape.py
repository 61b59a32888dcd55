"""What the model is shown of a thread."""

from core.context import prompts, shape
from core.context.skills import Skill, chosen
from core.records import Chunk, FileId, FileRef, ModelMessage, Person, PersonId, Place

PLACE = Place(surface="slack", tenant="T1", channel="C1", kind="public", name="sales")
PERSON = Person(id=PersonId("slack:T1/U1"), name="Lena", time_zone="Asia/Tokyo")


def finished(count: int) -> list[shape.Finished]:
    return [shape.Finished(question=f"q{n}", answer=f"a{n}") for n in range(1, count + 1)]


def test_only_the_newest_turns_are_shown_in_order() -> None:
    messages = shape.history(finished(50), shape.Room(turns=2))

    assert [(m.role, m.text) for m in messages] == [
        ("user", "q49"),
        ("assistant", "a49"),
        ("user", "q50"),
        ("assistant", "a50"),
    ]


def test_a_small_room_shows_no_past() -> None:
    assert shape.history(finished(5), shape.Room(turns=0)) == []


def test_a_long_answer_is_cut_and_its_evidence_stays_readable() -> None:
    past = [shape.Finished(question="q", answer="x" * 9_000, handles=("ev_1 (sample/sales_by)",))]

    answer = shape.history(past, shape.Room(answer=100))[1].text

    assert answer.startswith("x" * 90)
    assert len(answer) < 200
    assert "ev_1 (sample/sales_by)" in answer


def test_the_skill_is_one_system_message_after_the_history() -> None:
    active = [ModelMessage(role="user", text="now")]
    messages = shape.prompt(
        system="house", history=shape.history(finished(1), shape.Room()), skill="be brief",
        past="", active=active,
    )  # fmt: skip

    assert [m.role for m in messages] == ["system", "user", "assistant", "system", "user"]
    assert messages[3].text == "be brief"


def test_a_skill_is_chosen_by_a_whole_word_or_by_its_name() -> None:
    skills = [
        Skill(name="memo", text="…", when=("memo", "board paper")),
        Skill(name="Terse", text="…", when=()),
    ]

    assert chosen(skills, "write a memo on sales") is skills[0]
    assert chosen(skills, "a board paper, please") is skills[0]
    assert chosen(skills, "skill:terse what did we sell") is skills[1]
    assert chosen(skills, "memories of sales") is None


def test_found_past_stays_within_its_limit_and_never_half_a_piece() -> None:
    chunks = [
        Chunk(id=str(n), scope="s", source="turn:t", title=f"piece {n}", text="y" * 300)
        for n in range(20)
    ]

    past = prompts.past(chunks, 1_000)

    assert len(past) <= 1_000
    assert past.startswith(prompts.PAST)
    assert past.endswith("y" * 300)
    assert prompts.past([], 1_000) == ""


def test_the_day_is_the_persons_day() -> None:
    # 2026-11-30 17:30 UTC is already the first of December in Tokyo.
    text = prompts.system(
        person=PERSON, place=PLACE, now=1_796_059_800, instructions="Use euros.", rounds=4,
        reader="host_read_result",
    )  # fmt: skip

    assert "Tuesday, 01 December 2026" in text
    assert "Use euros." in text
    assert "the public channel sales" in text


def test_files_are_known_by_id_and_never_by_address() -> None:
    file = FileRef(id=FileId("slack:T1/F1"), name="q3.pdf", media_type="application/pdf", size=1234)

    text = prompts.question("read this", [file])

    assert "q3.pdf (application/pdf, 1,234 bytes), id slack:T1/F1" in text
    assert "http" not in text


def system_text(person: Person = PERSON, place: Place = PLACE, instructions: str = "") -> str:
    return prompts.system(
        person=person, place=place, now=1_796_059_800, instructions=instructions, rounds=4,
        reader="host_read_result",
    )  # fmt: skip


def test_a_direct_message_and_somebody_without_a_name_are_called_what_they_are() -> None:
    direct = Place(surface="slack", tenant="T1", channel="D1", kind="dm", name="")
    nameless = Person(id=PersonId("slack:T1/U1"))

    assert "You are asked by Lena in a direct message." in system_text(place=direct)
    assert "by a colleague in the public channel sales." in system_text(person=nameless)


def test_without_instructions_nothing_follows_the_house_rules() -> None:
    assert system_text().endswith("in the public channel sales.")
    assert system_text(instructions=" Use euros. ").endswith("sales.\nUse euros.")


def test_a_question_without_files_is_only_its_words() -> None:
    assert prompts.question("read this", []) == "read this"


def test_found_past_that_fits_exactly_is_shown() -> None:
    chunk = Chunk(id="1", scope="s", source="turn:t", title="piece", text="y" * 20)
    whole = f"{prompts.PAST}\n\npiece\n{'y' * 20}"

    assert prompts.past([chunk], len(whole)) == whole
    assert prompts.past([chunk], len(whole) - 1) == ""


def test_a_text_is_cut_only_past_its_limit_and_to_no_more_than_it() -> None:
    assert shape.cut("x" * 50, 50) == "x" * 50
    assert shape.cut("x" * 51, 50) == "x" * 48 + " …"


def test_at_most_six_pieces_of_evidence_are_named_beside_an_answer() -> None:
    handles = tuple(f"ev_{n} (sample/sales_by)" for n in range(1, 9))
    past = [shape.Finished(question="q", answer="a", handles=handles)]

    answer = shape.history(past, shape.Room())[1].text

    assert "ev_6" in answer and "ev_7" not in answer


def test_a_tightened_turn_is_cut_in_its_tool_results_alone() -> None:
    asked = ModelMessage(role="user", text="q" * 2_000)
    result = ModelMessage(role="tool", text="r" * 2_000)

    tight = shape.tightened([asked, result])

    assert tight[0] == asked
    assert tight[1].role == "tool" and len(tight[1].text) == 1_500
