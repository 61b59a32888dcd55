"""The name by which a model calls a tool always means one tool."""

import random
import re
import string

import pytest

from core.capabilities.aliases import aliases
from core.capabilities.reading import READ_RESULT
from core.records import Tool


def tool(server: str, name: str) -> Tool:
    return Tool(server=server, name=name, description="", schema={})


def test_a_plain_name_is_server_and_tool() -> None:
    assert list(aliases([tool("crm", "create_lead")])) == ["crm_create_lead"]


def test_two_long_names_with_one_beginning_stay_two() -> None:
    """Peers' case 50."""
    long = "resource_manager_configuration_entry_for_the_whole_organisation_"
    create, delete = tool("cloud", f"{long}create"), tool("cloud", f"{long}delete")
    named = aliases([create, delete])
    assert len(named) == 2
    assert {each.name for each in named.values()} == {create.name, delete.name}
    assert all(len(alias) <= 64 for alias in named)
    alone = aliases([delete])
    assert next(alias for alias, t in named.items() if t == delete) in alone


def test_one_tool_name_on_two_servers_is_two_tools() -> None:
    """Peers' case 51."""
    assert set(aliases([tool("a", "search"), tool("b", "search")])) == {"a_search", "b_search"}


def test_names_that_read_the_same_are_told_apart() -> None:
    same = [tool("a_b", "c"), tool("a", "b_c")]
    assert len(aliases(same)) == 2
    assert all(alias.startswith("a_b_c_") for alias in aliases(same))


def test_the_hosts_own_tool_keeps_its_name_whatever_others_are_called() -> None:
    named = aliases([READ_RESULT, tool("read", "result")])
    assert named["read_result"] is READ_RESULT
    assert len(named) == 2


def test_a_tool_named_like_anothers_suffixed_alias_does_not_become_it() -> None:
    odd = tool("crm", "lösche!")
    taken = next(iter(aliases([odd])))
    imitation = tool("crm", taken.removeprefix("crm_"))
    named = aliases([odd, imitation])
    assert sorted(t.name for t in named.values()) == sorted([odd.name, imitation.name])


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_names_every_alias_is_valid_unique_and_independent_of_order(seed: int) -> None:
    dice = random.Random(seed)
    letters = string.ascii_letters + string.digits + "_-.äß漢 !🎉" + "aab__"
    tools = [
        tool(
            dice.choice(("a", "a_b", "crm", "x-y")),
            "".join(dice.choices(letters, k=dice.choice((1, 2, 3, 60, 120)))),
        )
        for _ in range(300)
    ]
    tools = list({each.key: each for each in tools}.values())
    named = aliases(tools)
    assert len(named) == len(tools)
    assert all(re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}", alias) for alias in named)
    dice.shuffle(tools)
    assert aliases(tools) == named
