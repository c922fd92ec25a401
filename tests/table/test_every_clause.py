"""Every clause of the table has a test of its own whose name begins with its id."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CLAUSES = {"T": 7, "U": 13, "B": 8, "S": 9, "H": 17, "R": 2}
IDS = [f"{letter}{number}" for letter, last in CLAUSES.items() for number in range(1, last + 1)]
BY_STATED_REASON = {"U6", "U12", "H3", "H16"}
SOURCES = "\n".join(path.read_text() for path in sorted(Path(__file__).parent.glob("test_clauses_*.py")))
TESTS = re.split(r"(?=^def test_)", SOURCES, flags=re.MULTILINE)


@pytest.mark.parametrize("clause", IDS)
def test_the_clause_has_a_test(clause: str) -> None:
    own = [test for test in TESTS if test.startswith(f"def test_{clause}_")]
    assert own
    if clause in BY_STATED_REASON:
        assert any("Stated reason:" in test for test in own)
    else:
        assert not any("Stated reason:" in test for test in own)
        assert any(".net" in test or '["net"]' in test for test in own)  # every seat's money


def test_no_test_names_a_clause_that_is_not_there() -> None:
    named = set(re.findall(r"^def test_([TUBSHR]\d+)_", SOURCES, flags=re.MULTILINE))
    assert named == set(IDS)
