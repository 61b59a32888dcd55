"""What is refused before a question is acknowledged."""

import dataclasses

import pytest

from core.policy.guards import Admitted, Choice, Limits, Refused, admit, directives
from core.records import Person, PersonId, Place, Question, ThreadId

NOW = 1_800_000_000.0
QUESTION = Question(
    delivery="slack:T1/C1/1",
    thread=ThreadId("slack:T1/C1/1"),
    place=Place(surface="slack", tenant="T1", channel="C1", kind="public"),
    person=Person(id=PersonId("slack:T1/U1")),
    text="What did we sell?",
    said_at=NOW,
)


def asked(text: str, *, said_at: float = NOW) -> Admitted | Refused:
    return admit(
        dataclasses.replace(QUESTION, text=text, said_at=said_at),
        models=("demo", "openai:gpt-5.5"),
        agents={"analyst": "openai:gpt-5.5", "plain": ""},
        default=Choice(model="demo", agent=""),
        limits=Limits(characters=100, age=600),
        now=NOW,
    )


def test_a_plain_question_is_answered_by_the_default() -> None:
    assert asked("What did we sell?") == Admitted(text="What did we sell?", model="demo", agent="")


@pytest.mark.parametrize(
    ("text", "model", "agent"),
    [
        ("model:openai:gpt-5.5 What did we sell?", "openai:gpt-5.5", ""),
        ("What did we sell? model:openai:gpt-5.5", "openai:gpt-5.5", ""),
        ("agent:analyst What did we sell?", "openai:gpt-5.5", "analyst"),
        ("agent:plain What did we sell?", "demo", "plain"),
        ("agent:analyst model:demo What did we sell?", "demo", "analyst"),
        ("Model:demo\nAgent:plain\nWhat did we sell?", "demo", "plain"),
    ],
)
def test_a_person_may_name_the_model_and_the_agent(text: str, model: str, agent: str) -> None:
    assert asked(text) == Admitted(text="What did we sell?", model=model, agent=agent)


def test_a_directive_in_the_middle_is_part_of_the_question() -> None:
    assert directives("what does model:t mean here") == ("what does model:t mean here", {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model:gpt-9 hello", "There is no model named “gpt-9”"),
        ("agent:nobody hello", "There is no agent named “nobody”"),
        ("", "without a question"),
        ("model:demo", "without a question"),
        ("x" * 101, "101 characters"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_sentence(text: str, said: str) -> None:
    refused = asked(text)

    assert isinstance(refused, Refused)
    assert said in refused.sentence


@pytest.mark.promise("O5", "core.policy")
@pytest.mark.parametrize(
    ("age", "said"),
    [(601, "10 minutes"), (4_000, "an hour"), (18_000, "5 hours"), (400_000, "5 days")],
)
def test_a_question_that_arrives_late_is_asked_about_first(age: float, said: str) -> None:
    refused = asked("What did we sell?", said_at=NOW - age)

    assert isinstance(refused, Refused)
    assert said in refused.sentence
    assert "Is it still of interest?" in refused.sentence


@pytest.mark.promise("O5", "core.policy")
def test_a_question_of_ten_minutes_is_answered() -> None:
    assert isinstance(asked("What did we sell?", said_at=NOW - 600), Admitted)
