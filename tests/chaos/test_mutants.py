"""The tests can fail: each named way to break what they are about is noticed."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.chaos.mutants import AT_ONCE, EARLY, MUTANTS, NAMED, ROOT, is_caught


@pytest.mark.promise("D5", "core.approvals")
@pytest.mark.timeout(300)
def test_six_named_mutants_are_caught() -> None:
    assert len(NAMED) == 6
    with ThreadPoolExecutor(AT_ONCE) as pool:
        caught = dict(zip((one.name for one in NAMED), pool.map(is_caught, NAMED), strict=True))
    assert caught == dict.fromkeys(caught, True)


def test_every_mutant_is_of_the_source_as_it_is() -> None:
    for mutant in (*MUTANTS, EARLY):
        assert mutant.right in (ROOT / mutant.file).read_text("utf-8"), mutant.name


@pytest.mark.timeout(120)
def test_an_acknowledgement_before_the_commit_is_noticed() -> None:
    assert is_caught(EARLY)


@pytest.mark.timeout(120)
def test_the_source_as_it_is_is_not_taken_for_a_mutant() -> None:
    assert not is_caught(None, "test_deciding.py", "older or second")
