"""The platforms on which scenarios are asked."""

import pytest


@pytest.fixture(params=["slack", "teams"])
def side(request: pytest.FixtureRequest) -> str:
    return request.param
