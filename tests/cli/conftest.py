"""What all tests of the command need."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are as wide as where there is no terminal; pytest-xdist gives its workers the width of one."""
    monkeypatch.delenv("COLUMNS", raising=False)
