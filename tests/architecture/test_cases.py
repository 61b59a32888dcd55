"""Each complaint about other bots in Slack that was listed has a test with its number."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
LISTED = (
    *(1, 3, 4, 5, 6, 7),  # delivered twice, or not at all
    *(8, 9, 11, 12, 13, 14, 16, 17, 18, 19, 21),  # length, blocks, what is shown
    *(22, 23, 24, 25, 26, 27, 28, 29),  # threads, edits, loops
    *(30, 31, 32, 33),  # streams
    *(44, 45, 46, 47, 48, 49, 51, 52),  # the platform
)
"""Their numbers; the gaps are cases of which no regression was asked for, or of other rooms."""


def test_every_listed_case_has_a_test_with_its_number():
    named = re.compile(r"def test_case_(\d+)_")
    found = {int(n) for path in TESTS.rglob("test_*.py") for n in named.findall(path.read_text())}
    assert found == set(LISTED)
