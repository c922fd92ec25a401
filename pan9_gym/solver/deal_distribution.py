"""Exact counts of ordered deals to one player and the banker.

With counts n_v of each point value v in a shoe of N cards, and k first cards each, the number of ordered
deals that give the player the multiset h and the banker b, and then the cards x and y, is

    ways(h) ways(b) * prod_v falling(n_v, h_v + b_v) * (n_x - h_x - b_x) * (n_y - h_y - b_y - [x = y])

where ways(h) = k! / prod_v h_v! and falling(n, m) = n (n - 1) ... (n - m + 1). A card that is not taken is
counted as any card, so every count is over the same falling(N, 2k + 2) deals. With replacement a power takes
the place of the falling factorial and nothing is subtracted. Counts exceed 64 bits: Python integers
throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from math import factorial, prod

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import info_states
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import as_int
from pan9_gym.rules.scoring import hand_total
from pan9_gym.rules.terms import Role

IntMatrix = npt.NDArray[np.object_]
"""Python integers, axes [player hand, banker hand]."""

ShoeCounts = tuple[int, ...]
"""Cards left of each point value, lowest value first."""


def falling(number: int, length: int, with_replacement: bool) -> int:
    """Ways to deal `length` cards in order out of `number`; with replacement a power."""
    step = 0 if with_replacement else 1
    return prod(number - step * taken for taken in range(length))


def num_orders(composition: Sequence[int]) -> int:
    """In how many orders cards of this composition can be dealt: k! / prod_v c_v!."""
    return factorial(sum(composition)) // prod(map(factorial, composition))


class DealDistribution:
    """Counts of ordered deals from one shoe; made by `deal_distribution`.

    Args:
        rules: The pack, and whether cards are dealt with replacement.
        shoe: Cards left of each point value, lowest value first.
    """

    def __init__(self, rules: RulesConfig, shoe: ShoeCounts) -> None:
        self.values = rules.values
        self.shoe = shoe
        self.hands = info_states(rules, Role.PLAYER).hands
        self._naturals = rules.naturals
        self._step = 0 if rules.with_replacement else 1
        self._num_cards = sum(shoe)
        self._num_first = rules.num_initial_cards
        counts = np.array([[hand.count(value) for value in self.values] for hand in self.hands])
        self._in_hands: npt.NDArray[np.int64] = counts[:, None, :] + counts[None, :, :]

    @property
    def num_deals(self) -> int:
        """All ordered deals of 2k + 2 cards: the denominator of every probability."""
        return falling(self._num_cards, 2 * self._num_first + 2, self._step == 0)

    @cached_property
    def _first_cards(self) -> IntMatrix:
        """Ordered deals of the first cards alone."""
        ways = [num_orders([hand.count(value) for value in self.values]) for hand in self.hands]
        deals: IntMatrix = np.multiply.outer(np.array(ways, dtype=object), np.array(ways, dtype=object))
        for column, number in enumerate(self.shoe):
            ordered = [falling(number, length, self._step == 0) for length in range(2 * self._num_first + 1)]
            deals = deals * np.array(ordered, dtype=object)[self._in_hands[:, :, column]]
        return deals

    def _left(self, value: int) -> IntMatrix:
        """Cards of a value left after the first cards."""
        column = self.values.index(value)
        left: IntMatrix = self.shoe[column] - self._step * self._in_hands[:, :, column].astype(object)
        return left

    def deals(self, player_card: int | None, banker_card: int | None) -> IntMatrix:
        """Ordered deals in which the seats then take cards of these values; `None` is any card or no card."""
        left = self._num_cards - self._step * 2 * self._num_first
        counts: IntMatrix
        if player_card is not None and banker_card is not None:
            same = self._step if player_card == banker_card else 0
            counts = self._player_card_deals[player_card] * (self._left(banker_card) - same)
            return counts
        one = banker_card if player_card is None else player_card
        counts = self._first_cards * left if one is None else self._player_card_deals[one]
        counts = counts * (left - self._step)
        return counts

    @cached_property
    def decided(self) -> npt.NDArray[np.bool_]:
        """Which pairs of hands a natural on either side decides at once (K1)."""
        natural = np.array([hand_total(hand) in self._naturals for hand in self.hands])
        decided: npt.NDArray[np.bool_] = natural[:, None] | natural[None, :]
        return decided

    @cached_property
    def _player_card_deals(self) -> dict[int, IntMatrix]:
        return {value: self._first_cards * self._left(value) for value in self.values}


@lru_cache(maxsize=16)
def deal_distribution(rules: RulesConfig, shoe: ShoeCounts | None = None) -> DealDistribution:
    """The deal counts for a shoe, a full one by default.

    Raises:
        ValueError: If `shoe` does not fit the pack or holds too few cards.
    """
    return DealDistribution(rules, read_shoe(rules, shoe))


def read_shoe(rules: RulesConfig, shoe: Sequence[int] | None) -> ShoeCounts:
    """Counts per point value, checked; a full shoe for `None`.

    Raises:
        ValueError: If a count is missing, negative or too many, or too few cards are left for one hand.
    """
    full = rules.initial_counts
    if shoe is None:
        return full
    if isinstance(shoe, str) or not isinstance(shoe, Sequence | np.ndarray):
        raise ValueError(f"shoe {shoe!r}: one count for each of the point values {rules.values} is needed")
    given = [as_int(number) for number in shoe]
    counts = tuple(number if type(number) is int else -1 for number in given)
    if len(counts) != len(full):
        raise ValueError(f"shoe {shoe!r}: one count for each of the point values {rules.values} is needed")
    for value, number, most in zip(rules.values, counts, full, strict=True):
        if number < 0 or (number > most and not rules.with_replacement):
            raise ValueError(
                f"shoe {shoe!r}: the count of value {value} must be a whole number from 0 to {most}"
            )
    need = 1 if rules.with_replacement else 2 * rules.num_initial_cards + 2
    if sum(counts) < need:
        raise ValueError(f"shoe {shoe!r}: holds {sum(counts)} cards; one hand may need {need}")
    return counts
