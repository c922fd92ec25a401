"""Exact counts of ordered deals to one player and the banker.

Formula:
    deals(h, b, x, y) = ways(h) ways(b) * prod_v falling(n_v, h_v + b_v)
                        * (n_x - h_x - b_x) * (n_y - h_y - b_y - [x = y])
    ways(h) = k! / prod_v h_v!,        falling(n, m) = n (n - 1) ... (n - m + 1)
    probability = deals / falling(N, 2k + 2)

    Where only one of x and y is named, the other's factor is N - 2k - 1; where neither is, the two factors
    are (N - 2k) (N - 2k - 1). With replacement falling(n, m) is n^m and nothing is subtracted.

Symbols:
    h, b: first cards of the player and of the banker, k each; h_v, b_v of them have the value v
    x, y: values of the cards that the player and the banker then take; not named: any card, or none taken
    k: first cards of a hand, 3 in Pan 9 and 2 in baccarat
    n_v, N: cards in the shoe of value v, and in all
    [x = y]: 1 if the values are equal, else 0

Source:
    Cards and packs: C1, C2, K1. Derivation: this module. All orders of a shuffled shoe are equally likely, so
    it does not matter from which places a seat's cards come. A card that is not taken is counted as any card:
    it changes nothing in the hand, and every count is over the same falling(N, 2k + 2) deals. Counts exceed
    64 bits: Python integers throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from math import factorial, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import info_states
from pan9_gym.rules.cards import SUITS
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.fields import as_int
from pan9_gym.rules.scoring import hand_total
from pan9_gym.rules.terms import Role

IntMatrix = npt.NDArray[np.object_]
"""Python integers, axes [player hand, banker hand]."""

ShoeCounts = tuple[int, ...]
"""Cards left of each point value, lowest value first."""

SuitCounts = tuple[tuple[int, ...], ...]
"""Cards left of each point value and suit, axes [value, suit]: lowest value first, suits as in `SUITS`."""

MOST_CARDS = 10**8
"""Cards of a kind in floating point; with replacement, where only shares count, more may be given."""

ShoeLike = Sequence[int] | Sequence[Sequence[int]]
"""A shoe as it may be given: counts per point value or, where suits matter, counts[value, suit]."""


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


def read_shoe(rules: RulesConfig, shoe: ShoeLike | None) -> ShoeCounts:
    """Counts per point value, checked; a full shoe for `None`; counts by suit are added up.

    Raises:
        ValueError: If a count is missing, negative or too many, or too few cards are left for one hand.
    """
    full = rules.initial_counts
    if shoe is None:
        _check_size(rules, "a full one", sum(full))
        return full
    given = _as_lists(shoe)
    if _is_by_suit(given):
        return tuple(sum(row) for row in read_suits(rules, given))
    if not _is_list(given) or len(given) != len(full):
        raise ValueError(f"shoe {given!r}: one count for each of the point values {rules.values} is needed")
    counts = tuple(
        _read_count(rules, given, number, most, f"value {value}")
        for value, number, most in zip(rules.values, given, full, strict=True)
    )
    _check_size(rules, given, sum(counts))
    return counts


def read_suits(rules: RulesConfig, shoe: ShoeLike | None) -> SuitCounts:
    """Counts per point value and suit, checked; a full shoe for `None`.

    Raises:
        ValueError: If a count is missing, negative or too many, too few cards are left for one hand, or a
            shoe that is not full has no counts by suit.
    """
    full = tuple((number // len(SUITS),) * len(SUITS) for number in rules.initial_counts)
    given = _as_lists(shoe)
    if not _is_by_suit(given):
        if read_shoe(rules, given) == rules.initial_counts:
            return full
        raise ValueError(f"shoe {given!r}: suits settle a side bet, so {_suit_counts_text(rules)} is needed")
    if len(given) != len(full) or any(not _is_list(row) or len(row) != len(SUITS) for row in given):
        raise ValueError(f"shoe {given!r}: {_suit_counts_text(rules)} is needed")
    counts = tuple(
        tuple(
            _read_count(rules, given, number, most, f"value {value} in suit {suit}")
            for suit, number, most in zip(SUITS, row, limits, strict=True)
        )
        for value, row, limits in zip(rules.values, given, full, strict=True)
    )
    _check_size(rules, given, sum(map(sum, counts)))
    return counts


def _suit_counts_text(rules: RulesConfig) -> str:
    suits = ", ".join(SUITS)
    return (
        f"counts[value, suit], a row for each of the point values {rules.values} and in it the suits {suits},"
    )


def _as_lists(shoe: Any) -> Any:
    return shoe.tolist() if isinstance(shoe, np.ndarray) else shoe


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def _is_by_suit(shoe: Any) -> bool:
    return _is_list(shoe) and any(_is_list(row) for row in shoe)


def _read_count(rules: RulesConfig, shoe: object, number: object, most: int, kind: str) -> int:
    count = as_int(number)
    if type(count) is not int or count < 0 or (count > most and not rules.with_replacement):
        raise ValueError(f"shoe {shoe!r}: the count of {kind} must be a whole number from 0 to {most}")
    return count


def read_shoe_for_float(rules: RulesConfig, shoe: ShoeLike | None) -> ShoeCounts:
    """`read_shoe` for floating point, which holds no power of a larger count.

    Raises:
        ValueError: As `read_shoe`, or if a count with replacement is above `MOST_CARDS`.
    """
    counts = read_shoe(rules, shoe)
    if max(counts) > MOST_CARDS:
        raise ValueError(f"shoe {shoe!r}: in floating point a count may be at most {MOST_CARDS}")
    return counts


def _check_size(rules: RulesConfig, shoe: object, num_cards: int) -> None:
    need = 1 if rules.with_replacement else 2 * rules.num_initial_cards + 2
    if num_cards < need:
        raise ValueError(f"shoe {shoe!r}: holds {num_cards} cards; one hand may need {need}")
