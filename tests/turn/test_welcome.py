"""What `help` says, made from what a person is offered."""

from core.policy.guards import Choice
from core.records import Tool
from core.turn.permitted import Offer
from core.turn.setup import Agent, Setup
from core.turn.welcome import SHOWN, capabilities_text, in_turn

SETUP = Setup(models=("demo",), default=Choice(model="demo", agent=""))


def tool(server: str, name: str, *tags: str) -> Tool:
    description = f"Answers {name}. And more."
    return Tool(server=server, name=name, description=description, schema={}, tags=frozenset(tags))


def said(
    *tools: Tool,
    setup: Setup = SETUP,
    waits: tuple[str, ...] = (),
    outages: tuple[str, ...] = (),
    is_admin: bool = False,
) -> str:
    offer = Offer(
        tools=tools,
        by_alias={},
        withheld=(),
        accepted={},
        problems=(*outages, *waits),
        outages=outages,
    )
    return capabilities_text(offer, setup, is_admin=is_admin)


def test_a_long_list_hides_no_server() -> None:
    many = [tool("a", f"a{n:02}") for n in range(20)]

    text = said(*many, tool("b", "b1"))

    assert "- Answers b1" in text
    assert f"… and {21 - SHOWN} more" in text
    assert [t.name for t in in_turn([*many[:2], tool("b", "b1")])] == ["a00", "b1", "a01"]


def test_what_needs_an_approval_is_told_apart() -> None:
    text = said(tool("a", "find_it"), tool("a", "send_mail", "requires_approval"))

    looking, acting = text.split("once somebody has agreed to it")
    assert "Answers find_it" in looking
    assert "send mail" in acting
    assert "send_mail" not in text


def test_nobody_is_left_with_an_empty_list() -> None:
    assert "No data source is open to you here yet" in said()


def test_there_is_only_a_choice_where_there_are_several() -> None:
    assert "begin with" not in said()
    text = said(
        setup=Setup(models=("demo", "openai:x"), default=SETUP.default, agents={"analyst": Agent()})
    )
    assert "`model:openai:x`" in text
    assert "`agent:analyst`" in text


def test_a_source_that_is_down_is_named() -> None:
    assert "server crm did not answer" in said(outages=("server crm did not answer",))


def test_what_waits_for_an_admin_is_said_to_admins_alone() -> None:
    waits = ("not yet accepted by an admin, so not offered: crm/create_lead",)
    assert "crm" not in said(waits=waits)
    assert "accept SERVER/TOOL" not in said(outages=("server erp did not answer",), is_admin=True)
    text = said(waits=waits, outages=("server erp did not answer",), is_admin=True)
    for part in ("erp did not answer", "crm/create_lead", "`accept SERVER/TOOL`"):
        assert part in text
