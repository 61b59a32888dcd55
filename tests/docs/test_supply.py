"""What the look at the supply chain takes for a fault, and for a licence that is known."""

from tests.supply import __main__ as supply


def test_a_licence_that_nobody_looked_at_is_told():
    packages = [
        {"Name": "a", "License": "MIT License"},
        {"Name": "b", "License": "GNU Affero General Public License v3"},
        {"Name": "c", "License": "UNKNOWN"},
        {"Name": "psycopg", "License": "LGPL-3.0-only"},
        {"Name": "d", "License": "BSD-3-Clause"},
    ]
    assert supply.unknown(packages) == [
        ("b", "GNU Affero General Public License v3"),
        ("c", "UNKNOWN"),
    ]


def test_each_known_fault_is_told_with_what_mends_it():
    answer = {
        "dependencies": [
            {"name": "a", "version": "1", "vulns": []},
            {"name": "skipped", "skip_reason": "not found"},
            {"name": "b", "version": "2", "vulns": [{"id": "X-1", "fix_versions": ["3"]}]},
        ]
    }
    assert supply.faults(answer) == ["b 2: X-1, mended in 3"]
