"""Totals and comparison: the last digit of the points counts (C1), the higher total wins (B6, S4, U8)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from pan9_gym.rules.cards import Card
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.terms import Outcome


def hand_total(values: Iterable[int]) -> int:
    """The total of a hand from its point values.

    >>> hand_total([6, 5, 0, 3])
    4
    """
    return sum(values) % 10


def hand_totals(values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The totals of many hands.

    Args:
        values: Integer point values, shape (..., cards); a missing card is 0.

    Returns:
        int64 totals, shape (...).
    """
    points: npt.NDArray[np.int64] = np.asarray(values, dtype=np.int64).sum(axis=-1)
    return points % 10


def card_values(rules: RulesConfig, cards: Iterable[Card]) -> tuple[int, ...]:
    """Point values of cards.

    Raises:
        ValueError: If a rank is not in the pack of these rules.
    """
    values = []
    for card in cards:
        if card.rank not in rules.point_values:
            raise ValueError(
                f"card {str(card)!r} is not in the pack of {rules.name!r}; "
                f"ranks allowed: {', '.join(rules.point_values)}"
            )
        values.append(rules.point_values[card.rank])
    return tuple(values)


def compare(player_total: int, banker_total: int) -> Outcome:
    """How a player's final total stands against the banker's; equal totals are a tie."""
    if player_total == banker_total:
        return Outcome.TIE
    return Outcome.WIN if player_total > banker_total else Outcome.LOSS
