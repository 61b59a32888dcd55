"""An edit is held against the tool's own schema, policy and the revision that was shown."""

import random
from typing import Any

import pytest

from core.approvals.digest import digest, is_intact
from core.parked import Form
from core.records import Json
from core.storage import decisions
from core.storage.database import Database
from tests.approvals.office import ADA, MAIL, PRIYA, office

WHOLE: Json = {**MAIL, "amount": 10.5, "priority": 2, "cc": ["bo@larkspur.example"]}


async def test_the_form_is_typed_by_the_tools_schema(sqlite: Database) -> None:
    async with office(sqlite) as room:
        call = await room.park(WHOLE)
        form = await room.desk.form(room.clicked(call, "edit"))
        assert isinstance(form, Form)
        assert {field.name: (field.kind, field.value) for field in form.fields} == {
            "to": ("list", ["priya@larkspur.example"]),
            "subject": ("text", "Q3"),
            "body": ("long_text", "Attached."),
            "cc": ("list", ["bo@larkspur.example"]),
            "bcc": ("list", None),
            "amount": ("number", 10.5),
            "urgent": ("flag", None),
            "priority": ("integer", 2),
            "attachments": ("list", None),
        }
        assert [field.name for field in form.fields if field.is_required] == [
            "to", "subject", "body",
        ]  # fmt: skip


async def test_what_no_input_fits_is_shown_and_stays(sqlite: Database) -> None:
    async with office(sqlite) as room:
        lead: Json = {"name": "Acme", "revenue": 1.5, "contacts": [{"name": "Bo"}]}
        call = await room.park(lead, key="crm/create_lead")
        form = await room.desk.form(room.clicked(call, "edit"))
        assert isinstance(form, Form)
        assert [field.name for field in form.fields if field.is_fixed] == ["contacts"]
        values = {"contacts": [{"name": "Mallory"}]}
        verdict = await room.click(call, "edit", values=values, is_edit=True)
        assert (verdict.kind, verdict.sentence) == (
            "refused",
            "Not changed: Contacts cannot be edited here.",
        )


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"amount": "10,5"}, "Amount: '10,5' is not a number; write 10.5"),
        ({"amount": "ten"}, "Amount: 'ten' is not a number"),
        ({"amount": "1e999"}, "something that JSON cannot"),
        ({"amount": True}, "Amount must be a number"),
        ({"priority": "2.5"}, "Priority: '2.5' is not a whole number"),
        ({"urgent": "perhaps"}, "Urgent must be yes or no"),
        ({"to": []}, "to: [] should be non-empty"),
        ({"to": [1]}, "To must be a list of texts"),
        ({"subject": 3}, "Subject must be text"),
        ({"subject": None}, "Subject must not be empty"),
        ({"tool": "files/delete"}, "'tool' is not a field of this call"),
        ({"subject": "x", "token": "t"}, "'token' is not a field of this call"),
        ({"subject": "Q3"}, "nothing was changed"),
    ],
)
async def test_a_wrong_edit_is_refused_with_a_sentence(
    sqlite: Database, typed: Json, sentence: str
) -> None:
    """Peers' case 28."""
    async with office(sqlite) as room:
        call = await room.park(WHOLE)
        verdict = await room.click(call, "edit", values=typed, is_edit=True)
        assert verdict.kind == "refused"
        assert sentence in verdict.sentence
        assert await room.now(call) == call


async def test_a_number_stays_a_number(database: Database) -> None:
    """Peers' case 28."""
    async with office(database) as room:
        call = await room.park(WHOLE)
        values = {"amount": "12.50", "priority": "4", "urgent": "yes", "to": "a@x.example\nb@y.z"}
        assert (await room.click(call, "edit", values=values, is_edit=True)).kind == "recorded"
        await room.click(await room.now(call))
        await room.carry_out()
        [sent] = room.box.sent
        assert sent.arguments == {
            **WHOLE, "amount": 12.5, "priority": 4, "urgent": True, "to": ["a@x.example", "b@y.z"],
        }  # fmt: skip
        assert type(sent.arguments["amount"]) is float


async def test_an_emptied_field_is_left_out_and_the_card_says_so(sqlite: Database) -> None:
    async with office(sqlite) as room:
        call = await room.park(WHOLE)
        await room.click(call, "edit", values={"cc": [], "subject": "Q4"}, is_edit=True)
        edited = await room.now(call)
        assert "cc" not in edited.arguments
        [card] = await room.desk.waiting(ADA.id)
        changed = {one.label: (one.before, one.value) for one in card.fields if one.before}
        assert changed == {"Subject": ("Q3", "Q4"), "Cc": ("bo@larkspur.example", "(left out)")}
        assert card.revision == 2
        assert "Edited by Ada: agree to it as it stands now." in card.notices


async def test_policy_is_asked_again_about_what_was_edited(database: Database) -> None:
    rules: list[Json] = [
        {"withhold": "tool:mail/send", "when": {"argument": "amount", "over": 1000}},
        {"approve": "tool:mail/send", "when": {"argument": "to", "is": "external"},
         "by": "person:U2"},
    ]  # fmt: skip
    async with office(database, *rules, domains=["larkspur.example"]) as room:
        call = await room.park(WHOLE)
        verdict = await room.click(call, "edit", values={"amount": 2000.0}, is_edit=True)
        assert verdict.kind == "refused"
        assert "rule 2 withholds tool:mail/send" in verdict.sentence
        assert (await room.now(call)).revision == 1
        await room.click(call, "edit", values={"to": ["x@evil.example"]}, is_edit=True)
        outward = await room.now(call)
        assert (await room.click(outward)).kind == "not_yours"
        assert (await room.click(outward, "send", PRIYA)).kind == "recorded"


async def test_an_edit_is_recorded_with_the_digest_of_what_it_made(database: Database) -> None:
    async with office(database) as room:
        call = await room.park()
        await room.click(call, "edit", values={"subject": "Q4"}, is_edit=True)
        edited = await room.now(call)
        [row] = await decisions.of_call(database, call.id)
        assert (row["verdict"], row["revision"], row["digest"]) == ("edited", 2, edited.digest)


def some_edit(chance: random.Random) -> dict[str, Any]:
    """A few fields, valid and not, as a forged or mistyped form might hold them."""
    values: dict[str, list[Any]] = {
        "to": [["a@x.example"], [], "b@y.example", [1], None, {"x": 1}, "\n", ["a\u202eb@x.y"]],
        "subject": ["Q4", "", None, 3, "x" * 400, "\u0000", "\ud800", ["a"]],
        "body": ["Hello", "", "a\nb", 5, None],
        "cc": [[], ["c@x.example"], "c@x.example", 7],
        "amount": ["10.5", "10,5", 3, 3.5, "nan", "-1", "", True, float("nan"), "1e400", []],
        "urgent": [True, False, "yes", "2", 1, ""],
        "priority": ["3", "3.5", 3.5, 4, "four", ""],
        "attachments": [["e1"], None, "e2"],
        "tool": ["files/delete"],
        "authority": ["slack:T1/U666"],
        "__proto__": [{}],
        "password": ["x"],
    }
    names = chance.sample(list(values), chance.randint(1, 3))
    return {name: chance.choice(values[name]) for name in names}


VALID: dict[str, type | tuple[type, ...]] = {
    "to": list, "subject": str, "body": str, "cc": list, "bcc": list, "amount": (int, float),
    "urgent": bool, "priority": int, "attachments": list,
}  # fmt: skip


@pytest.mark.promise("P3", "core.approvals")
async def test_two_thousand_edits_are_valid_or_refused_and_what_runs_was_shown(
    sqlite: Database,
) -> None:
    chance = random.Random(11)
    kinds: dict[str, int] = {"recorded": 0, "refused": 0}
    async with office(sqlite) as room:
        call = await room.park(WHOLE)
        for _ in range(2000):
            before = await room.now(call)
            verdict = await room.click(
                before, "edit", values=some_edit(chance), is_edit=True, delivery="e"
            )
            kinds[verdict.kind] += 1
            after = await room.now(call)
            if verdict.kind == "refused":
                assert after == before
                continue
            assert after.revision == before.revision + 1
            assert is_intact(after)
            assert set(after.arguments) <= set(VALID)
            assert {"to", "subject", "body"} <= set(after.arguments)
            for name, value in after.arguments.items():
                assert isinstance(value, VALID[name])
                assert name == "urgent" or not isinstance(value, bool)
            assert after.arguments["to"]
            assert after.arguments.get("amount") == after.arguments.get("amount")
        assert kinds["recorded"] > 250
        assert kinds["refused"] > 800
        shown = await room.now(call)
        await room.desk.full(room.clicked(shown, "open"))
        assert (await room.click(shown)).kind == "recorded"
        await room.carry_out()
        [sent] = room.box.sent
        assert (sent.digest, digest(sent)) == (shown.digest, shown.digest)
