"""Asked to do something, the demo model prepares one call from what it finds, or asks back."""

from typing import Any

import pytest

from tests.llm.office import RESULTS, TOOLS, Talk, tool

TEXT = {"type": "string"}
MANY = {"type": "array", "items": TEXT}
WHEN = {"type": "string", "description": "Like 2026-10-06T14:30."}
DESK = (
    tool(
        "dispatch_letter",
        "Send an e-mail to one or several people.",
        "recipients subject body",
        recipients=MANY,
        subject=TEXT,
        body=TEXT,
        cc=MANY,
        attachments=MANY,
    ),
    tool(
        "look_up_staff",
        "Finds colleagues by name, with their mail address.",
        "name",
        name={"type": "string", "description": "A name."},
    ),
    tool("find_mails", "Search the mailbox for mails.", words=TEXT, sender=TEXT),
    tool(
        "answer_letter",
        "Answer a mail.",
        "letter_id to body",
        letter_id={"type": "string", "description": "As find_mails gives it."},
        to=MANY,
        body=TEXT,
    ),
    tool(
        "plan_appointment",
        "Create an event in the calendar and invite people.",
        "subject start end",
        subject=TEXT,
        start=WHEN,
        end=WHEN,
        attendees=MANY,
    ),
    tool("agenda", "The calendar between two times.", "start end", start=WHEN, end=WHEN),
    tool("announce", "Post a text to a channel.", "channel text", channel=TEXT, text=TEXT),
)
PARKED = "Parked as #3: a person decides about it. It has not happened."
STAFF = "{n} found.\n\n| name | address |\n|---|---|\n"
ANNA = STAFF.format(n=1) + "| Anna Berg | anna.berg@aurora.example |"
TWO = STAFF.format(n=2) + (
    "| Anna Berg | anna.berg@aurora.example |\n| Anna Holm | anna.holm@aurora.example |"
)


def at_desk(**results: str) -> Talk:
    told = {
        **RESULTS,
        "look_up_staff": ANNA,
        "dispatch_letter": PARKED,
        "answer_letter": PARKED,
        "plan_appointment": PARKED,
        "announce": PARKED,
        "find_mails": (
            "1 mail.\n\n| letter_id | from | subject |\n|---|---|---|\n"
            "| AA1 | Anna Berg <anna.berg@aurora.example> | Paint |"
        ),
        "agenda": "1 event.",
    }
    return Talk(tools=(*TOOLS, *DESK), results=told | results)


def names(talk: Talk) -> list[str]:
    return [name for name, _ in talk.made]


def last(talk: Talk) -> dict[str, Any]:
    return talk.made[-1][1]


def test_a_summary_is_looked_up_and_mailed_to_an_address() -> None:
    talk = at_desk()

    text = talk.ask("Mail the Q3 summary to buyer@fjord.example")

    assert names(talk) == ["turnover_report", "dispatch_letter"]
    assert last(talk)["recipients"] == ["buyer@fjord.example"]
    assert last(talk)["subject"] == "Q3 summary"
    assert "- North: 120,400 revenue, 310 units" in last(talk)["body"]
    assert text.endswith(
        "It is prepared from [1]. #3 waits for a decision on its card. It has not happened yet."
    )


def test_a_name_becomes_an_address_while_the_content_is_looked_up() -> None:
    talk = at_desk()

    talk.ask("mail Anna the revenue per region in Q3")

    assert talk.rounds == [2, 1]
    assert last(talk)["recipients"] == ["anna.berg@aurora.example"]
    assert last(talk)["body"].startswith("Hello Anna,")


@pytest.mark.parametrize(
    "reply", ["Holm", "Anna Holm", "the second", "2", "anna.holm@aurora.example"]
)
def test_of_two_people_with_a_name_a_person_picks_one(reply: str) -> None:
    talk = at_desk(look_up_staff=TWO)

    text = talk.ask("mail the Q3 summary to Anna")
    assert names(talk) == ["look_up_staff", "turnover_report"]
    assert "2 people are called “Anna”" in text
    assert text.endswith("Which one do you mean?")

    talk.ask(reply)
    assert last(talk)["recipients"] == ["anna.holm@aurora.example"]
    assert "North" in last(talk)["body"]


def test_nothing_is_prepared_when_a_name_cannot_be_looked_up() -> None:
    failed = "Error: No account is connected. To connect it, write `connect` to me."
    talk = at_desk(look_up_staff=failed)

    text = talk.ask("mail the Q3 summary to Anna")

    assert "dispatch_letter" not in names(talk)
    assert "No account is connected. To connect it, write `connect` to me." in text
    assert text.endswith("So I prepared nothing.")


def test_somebody_who_is_not_named_is_asked_for_and_so_is_a_text() -> None:
    talk = at_desk()

    assert "Who should get it?" in talk.ask("send a mail to a colleague")
    assert "What should it say?" in talk.ask("buyer@fjord.example")
    talk.ask("The offer is out on Monday.")

    assert names(talk) == ["dispatch_letter"]
    assert last(talk)["recipients"] == ["buyer@fjord.example"]
    assert "The offer is out on Monday." in last(talk)["body"]


def test_a_question_in_place_of_a_reply_is_a_question() -> None:
    talk = at_desk()
    talk.ask("send a mail to buyer@fjord.example")

    talk.ask("What did we sell per region in Q3?")

    assert names(talk) == ["turnover_report"]


def test_that_means_what_was_answered_last() -> None:
    talk = at_desk()
    talk.ask("What did we sell per region in Q3?")

    talk.ask("mail that to buyer@fjord.example")

    assert names(talk) == ["dispatch_letter"]
    assert "North" in last(talk)["body"]
    assert "[1]" not in last(talk)["body"]
    assert "language model" not in last(talk)["body"]


@pytest.mark.parametrize(
    ("request_", "expected", "arguments"),
    [
        (
            "email buyer@fjord.example: we are closed",
            "dispatch_letter",
            {"subject": "We are closed"},
        ),
        (
            "Show sales per region in Q3 and mail it to buyer@fjord.example",
            "dispatch_letter",
            {"recipients": ["buyer@fjord.example"]},
        ),
        (
            "set up a meeting with Anna tomorrow at 10 for an hour about paint",
            "plan_appointment",
            {
                "subject": "Paint",
                "start": "2026-12-01T10:00",
                "end": "2026-12-01T11:00",
                "attendees": ["anna.berg@aurora.example"],
            },
        ),
        (
            "post hello everybody to #news",
            "announce",
            {"channel": "news", "text": "Hello everybody"},
        ),
        ("what is in my calendar tomorrow", "agenda", {"start": "2026-12-01T00:00"}),
        ("what is in my calendar", "agenda", {"start": "2026-11-30T00:00"}),
        ("find the mail about the paint job", "find_mails", {"words": "paint job"}),
        ("show the mails from Anna", "find_mails", {"sender": "Anna"}),
        (
            "reply to Anna's mail about paint saying blue is fine",
            "answer_letter",
            {"letter_id": "AA1", "to": ["anna.berg@aurora.example"], "body": "Blue is fine"},
        ),
    ],
)
def test_each_request_ends_at_the_tool_that_does_it(
    request_: str, expected: str, arguments: dict[str, object]
) -> None:
    talk = at_desk()

    talk.ask(request_)

    assert names(talk)[-1] == expected
    assert last(talk) | arguments == last(talk)


@pytest.mark.parametrize(
    "question",
    [
        "What did we mail to Anna?",
        "Who sends the most orders?",
        "Which products are posted to #news?",
        "Give me that as a spreadsheet",
    ],
)
def test_a_question_never_does_anything(question: str) -> None:
    talk = at_desk()

    talk.ask(question)

    assert not {"dispatch_letter", "announce", "plan_appointment"} & set(names(talk))


def test_what_came_of_a_call_is_told_as_the_host_says_it() -> None:
    talk = at_desk()
    talk.ask("Mail the Q3 summary to buyer@fjord.example")
    talk.past = (
        "Calls of this thread that people decide about.\n"
        "#3 desk/dispatch_letter (to: buyer@fjord.example): HAS happened, decided at 10:42. Sent."
    )

    text = talk.ask("did it go out?")

    assert talk.made == []
    assert "**#3** (to: buyer@fjord.example): HAS happened, decided at 10:42. Sent." in text


@pytest.mark.parametrize(
    "request_",
    [
        "mail x" + " " * 8000 + "y",
        "mail x" + " \n" * 4000 + "y",
        "mail the " + "to " * 2500,
        "mail x " + "cc " * 2500,
        "set up a meeting " + "at 10 with " * 700,
    ],
)
@pytest.mark.timeout(20)
def test_a_hostile_request_holds_nothing_up(request_: str) -> None:
    assert at_desk().ask(request_)
