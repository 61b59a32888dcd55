"""Finding the value that a person meant."""

import pytest

from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import Source
from core.specialists.sql.values import Match, Values, index, match

NAMES = (
    "Contoso Ltd",
    "Contoso Limited Denmark",
    "Fabrikam GmbH",
    "Northwind Traders",
    "Ørsted A/S",
    "Müller AG",
    "Store 12",
    "Store 13",
)
CUSTOMERS = Relation(name="customers", columns=(Column(name="name", type="text"),))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("contoso ltd.", "Contoso Ltd"),
        ("CONTOSO", "Contoso Ltd"),
        ("orsted", "Ørsted A/S"),
        ("Oersted A/S", "Ørsted A/S"),
        ("Mueller", "Müller AG"),
        ("store 12", "Store 12"),
    ],
)
def test_case_accents_and_legal_forms_do_not_matter(wanted: str, found: str) -> None:
    assert match(wanted, index(NAMES)) == Match(how="exact", values=(found,))


def test_a_slip_of_the_pen_is_taken_for_the_one_name_that_it_is_near_to() -> None:
    for wanted, meant in (("Northwnd Traders", "Northwind Traders"), ("fabrikan", "Fabrikam GmbH")):
        assert match(wanted, index(NAMES)) == Match(how="close", values=(meant,))


def test_a_name_that_is_part_of_another_one_is_asked_about() -> None:
    found = match("Contoso Sweden", index(NAMES))
    assert found.how == "ask"
    assert set(found.values) == {"Contoso Ltd", "Contoso Limited Denmark"}


def test_another_number_is_never_a_slip() -> None:
    assert match("store 21", index(NAMES)).how == "ask"


def test_nothing_like_it_is_said_to_be_nothing() -> None:
    assert match("Adventure", index(("Zzyzx",))) == Match(how="none")
    assert match("…", index(NAMES)) == Match(how="none")


def test_values_that_only_look_different_are_all_meant_unless_one_is_spelt_so() -> None:
    known = index(("ACME", "Acme Inc", "acme"))
    assert set(match("Acme", known).values) == {"ACME", "Acme Inc", "acme"}
    assert match("ACME", known).values == ("ACME",)


class Engine:
    """Answers with what each token may see, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def values(self, relation: Relation, column: str, token: str) -> tuple[str, ...]:
        self.asked.append(token)
        return ("Contoso Ltd",) if token == "token-ann" else ("Fabrikam GmbH",)

    async def schema(self, token: str) -> Schema:
        raise NotImplementedError

    async def run(self, *_: object) -> object:
        raise NotImplementedError

    async def profile(self, *_: object) -> object:
        raise NotImplementedError

    async def close(self) -> None: ...


async def test_each_person_finds_only_what_their_own_rights_show_and_it_is_read_once() -> None:
    engine = Engine()
    values = Values(Source(id="x", title="X", kind="sqlite"), engine)  # pyright: ignore[reportArgumentType]
    for _ in range(2):
        ann = await values.find(CUSTOMERS, "name", "contoso", "ann", "token-ann")
        bo = await values.find(CUSTOMERS, "name", "contoso", "bo", "token-bo")
    assert ann.values == ("Contoso Ltd",)
    assert bo.how != "exact"
    assert engine.asked == ["token-ann", "token-bo"]
