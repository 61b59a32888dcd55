"""The page about MCP says of each scenario what the command expects of it."""

import re

import pytest

from tests.architecture.sources import ROOT
from tests.conformance import __main__ as command
from tests.conformance import suite
from tests.conformance.scenarios import CLIENT, SERVER, VERSION, Scenario

PAGE = (ROOT / "docs/mcp.md").read_text("utf-8")


def row(scenario: Scenario) -> list[str]:
    found = re.search(rf"^\| `{re.escape(scenario.name)}` \|(.*)\|(.*)\|$", PAGE, re.MULTILINE)
    assert found is not None, scenario.name
    return [cell.strip() for cell in found.groups()]


@pytest.mark.parametrize("scenario", (*CLIENT, *SERVER), ids=lambda one: one.name)
def test_the_page_says_what_fails_and_why(scenario: Scenario) -> None:
    passing, failing = row(scenario)
    if scenario.fails:
        assert failing == f"{len(scenario.fails)}: {scenario.why}"
    else:
        assert passing.startswith("all") and failing == ""


def test_the_page_names_no_other_scenario_and_the_version_that_is_run():
    named = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)
    assert named == [scenario.name for scenario in (*CLIENT, *SERVER)]
    assert VERSION in PAGE


def test_a_check_that_was_made_several_times_failed_when_it_failed_once():
    made = [("a", "SKIPPED"), ("a", "SUCCESS"), ("b", "SUCCESS"), ("b", "FAILURE"), ("b", "INFO")]
    assert suite.weighed(made) == {"a": "SUCCESS", "b": "FAILURE"}


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ({"a": "FAILURE", "b": "SUCCESS"}, 0),
        ({"a": "SUCCESS", "b": "SUCCESS"}, 1),
        ({"a": "FAILURE", "b": "FAILURE"}, 1),
        ({}, 1),
    ],
)
def test_what_comes_out_otherwise_is_told_in_either_direction(found, wrong, capsys):
    scenario = Scenario(name="s", fails=frozenset({"a"}), why="not offered")
    assert command.differences([scenario], lambda _: found, "client") == wrong
    assert ("OTHERWISE" in capsys.readouterr().out) == bool(wrong)


def test_without_npm_nothing_is_run_and_that_is_said(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert command.main([]) == 0
    assert "SKIPPED" in capsys.readouterr().out
