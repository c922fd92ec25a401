"""The suits of the player's own cards, counted exactly.

Formula:
    A_S(c) = prod_v falling(sum_{s in S} n[v, s], c_v)

    suited                                sum_s A_s(h)
    same colour                           sum_C A_C(h) - suited
    off suit                              A_*(h) - sum_C A_C(h)
    suited, then in its colour            sum_s A_s(h) (n[x, C(s)] - h_x)
    one colour, then in it                sum_C A_C(h + x)
    any of these classes, then any card   its ways above times (n[x, *] - h_x)
    share of a class                      its ways / A_*(h), with a drawn card / A_*(h + x)

    The other transitions are differences of these. With replacement falling(n, m) is n^m and nothing is
    subtracted.

Symbols:
    h, x: the player's first cards, h_v of value v; the value of the card he draws; h + x: all of them
    n[v, s]: cards of value v in suit s; n[x, C]: in a colour; n[x, *]: in all suits
    s, C, *: a suit, a colour (two suits), all four suits; C(s): the colour of s
    A_S(c): ways to deal cards of composition c, in a given order of values, from the suits S

Source:
    Classes: S6, S7 ("same colour" excludes suited hands). Derivation: this module; the tests count card by
    card. Given the values of all cards dealt, which cards of a value the player holds is an even choice among
    all of that value, whatever values the other seats hold. So the share of a class depends on the values of
    his own cards alone, and multiplies the counts of `deal_distribution`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np
import numpy.typing as npt

from pan9_gym.game.info_state import Hand, info_states
from pan9_gym.rules.cards import RED_SUITS, SUITS, Card
from pan9_gym.rules.config import RulesConfig
from pan9_gym.rules.side_bets import BC_RANK
from pan9_gym.rules.terms import Role, SuitClass
from pan9_gym.solver.deal_distribution import SuitCounts, falling

IntArray = npt.NDArray[np.object_]
"""Python integers."""

ALL = tuple(range(len(SUITS)))
COLOURS = tuple(tuple(s for s in ALL if (SUITS[s] in RED_SUITS) is red) for red in (False, True))
NUM_CLASSES = len(SuitClass)

OTHER_RANK = "A"
"""Any rank but `BC_RANK`: what side bets see of all others, apart from their totals."""


@dataclass(frozen=True)
class OwnCards:
    """How deals of a player's own cards fall into suit classes; made by `own_cards`.

    A key is the value of the card drawn, `None` for none.

    Attributes:
        parts: Ways to deal a hand's values and the drawn card's in each class, axes [hand, class of the first
            cards, class of the final hand]; where suits do not matter 1, with one class.
        labels: Which of `stand_ins` the final hand is paid as, the same axes.
        stand_ins: Final hands of every kind that side bets tell apart, apart from the totals.
    """

    parts: Mapping[int | None, IntArray]
    labels: Mapping[int | None, npt.NDArray[np.int64]]
    stand_ins: tuple[tuple[Card, ...], ...]

    def share_out(self, deals: IntArray, card: int | None, parts: IntArray) -> IntArray:
        """Deals multiplied by parts and divided by the whole they are parts of, exactly.

        Args:
            deals: Sums of ordered deals in which the player holds a hand and takes `card`, axes [hand, ...].
            card: The value of the card drawn, `None` for none.
            parts: Integer combinations of `parts[card]`, axes [hand, *].

        Returns:
            Integers, axes [hand, *, ...].
        """
        whole = np.maximum(self.parts[card].sum(axis=(1, 2)), 1)  # a hand that cannot be dealt has no deals
        each = deals // whole.reshape(-1, *[1] * (deals.ndim - 1))
        shared: IntArray = parts.reshape(*parts.shape, *[1] * (deals.ndim - 1)) * each[:, None]
        return shared


@lru_cache(maxsize=16)
def own_cards(rules: RulesConfig, suits: SuitCounts | None) -> OwnCards:
    """The player's own cards by suit class; one class for `None`."""
    hands = info_states(rules, Role.PLAYER).hands
    cards: tuple[int | None, ...] = (None, *rules.values)
    if suits is None:
        one, first = np.ones((len(hands), 1, 1), dtype=object), np.zeros((len(hands), 1, 1), dtype=np.int64)
        return OwnCards(dict.fromkeys(cards, one), dict.fromkeys(cards, first), ((),))
    count = _SuitCount(rules, suits)
    parts = {card: np.array([count.parts(hand, card) for hand in hands], dtype=object) for card in cards}
    threes = np.array([set(hand) == {rules.point_values.get(BC_RANK)} for hand in hands])
    kinds = np.arange(NUM_CLASSES**2).reshape(NUM_CLASSES, NUM_CLASSES)
    labels = {
        card: (2 * threes[:, None, None] + (card is not None)) * NUM_CLASSES**2 + kinds for card in cards
    }
    stand_ins = tuple(
        _stand_in(rank, drawn, first, final)
        for rank in (OTHER_RANK, BC_RANK)
        for drawn in (False, True)
        for first in SuitClass
        for final in SuitClass
    )
    return OwnCards(parts, labels, stand_ins)


def _stand_in(rank: str, drawn: bool, first: SuitClass, final: SuitClass) -> tuple[Card, ...]:
    """Three cards of a rank and a suit class, with a fourth that makes the final class if one is drawn."""
    black, red = COLOURS
    other = {SuitClass.SUITED: black[0], SuitClass.SAME_COLOUR: black[1], SuitClass.OFF_SUIT: red[0]}
    suits = [black[0], black[0], other[first], *([other[final]] if drawn else [])]
    return tuple(Card(rank, SUITS[suit]) for suit in suits)


class _SuitCount:
    """The formulas of this module for one shoe."""

    def __init__(self, rules: RulesConfig, suits: SuitCounts) -> None:
        self._values = rules.values
        self._suits = suits
        self._with_replacement = rules.with_replacement

    def parts(self, hand: Hand, card: int | None) -> list[list[int]]:
        """Ways by class of the first cards and of the final hand, 3 x 3."""
        first = [hand.count(value) for value in self._values]
        suited, colour = self._ways(first, [(suit,) for suit in ALL]), self._ways(first, COLOURS)
        if card is None:
            return [[suited, 0, 0], [0, colour - suited, 0], [0, 0, self._ways(first, [ALL]) - colour]]
        column = self._values.index(card)
        final = [number + (place == column) for place, number in enumerate(first)]
        taken = 0 if self._with_replacement else first[column]
        suited_twice = self._ways(final, [(suit,) for suit in ALL])
        suited_in_colour = sum(
            self._ways(first, [(suit,)]) * (self._number(column, pair) - taken)
            for pair in COLOURS
            for suit in pair
        )
        colour_twice = self._ways(final, COLOURS)
        left = self._number(column, ALL) - taken
        same_twice = colour_twice - suited_in_colour
        return [
            [suited_twice, suited_in_colour - suited_twice, suited * left - suited_in_colour],
            [0, same_twice, (colour - suited) * left - same_twice],
            [0, 0, self._ways(final, [ALL]) - colour * left],
        ]

    def _number(self, column: int, suits: Sequence[int]) -> int:
        return sum(self._suits[column][suit] for suit in suits)

    def _ways(self, composition: Sequence[int], groups: Sequence[Sequence[int]]) -> int:
        """A_S(c) added up over groups of suits S."""
        return sum(
            prod(
                falling(self._number(column, suits), length, self._with_replacement)
                for column, length in enumerate(composition)
            )
            for suits in groups
        )
