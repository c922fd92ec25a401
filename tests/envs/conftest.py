"""What several files of this folder need."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Deal = Callable[..., list[str]]


@pytest.fixture
def deal() -> Deal:
    """`deal("4 K Q", "5 J J", draws="6 5")`: the cards in the order of the deal, hands in seat order."""

    def stacked(*hands: str, draws: str = "") -> list[str]:
        rounds = zip(*(hand.split() for hand in hands), strict=True)
        return [card for cards in rounds for card in cards] + draws.split()

    return stacked
