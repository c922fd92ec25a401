"""A hand as OpenSpiel walks through it: a `Round`, and before it the hands that are dealt so far.

Chance deals a seat's first cards as one multiset of point values, seat 0 first, and each drawn card by
itself. One card at a time, as `Round` consumes them, says the same with many more histories, since it tells
the orders of a hand's cards apart (counted: 126,848 against 11,198 on 17 cards of `bicycle`, 8,813 against
2,833 on 16 of chemin de fer; 7^6 against 84^2 deals on a full shoe). Nothing else differs: every order of the
cards is equally likely, so that whose card comes first changes no probability.

Formula:
    P(hand) = n! / prod_v k_v!  *  prod_v c_v (c_v - 1) ... (c_v - k_v + 1)  /  c (c - 1) ... (c - n + 1)
    P(hand) = n! / prod_v k_v!  *  prod_v (c_v / c)^k_v          with replacement

Symbols:
    c_v, c: cards worth v that are left, and all of them
    k_v, n: cards worth v in the hand, and all of them

Source:
    The multivariate hypergeometric and the multinomial distribution, as counts of ordered deals.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from math import factorial, perm, prod
from typing import Any

from pan9_gym.game.info_state import Hand
from pan9_gym.game.round import Game, Round

Outcome = tuple[int, float]
"""The number of what chance may do, with its probability."""


@dataclass(frozen=True, slots=True)
class Position:
    """A state of a hand; immutable.

    Attributes:
        round: The hand; at its start until all first cards are known.
        dealt: The numbers of the hands that are dealt so far, seat 0 first.
    """

    round: Round
    dealt: tuple[int, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self  # OpenSpiel copies what a state holds for every child

    def __str__(self) -> str:
        game, state = self.round.game, self.round
        hands = state.hands if state.num_dealt else [_hands(game)[number] for number in self.dealt]
        cards = "; ".join(" ".join(map(str, hand)) for hand in hands)
        return " | ".join([cards, *(choice.name for choice in state.choices)])

    @property
    def deals_hands(self) -> bool:
        """Whether a seat's first cards are due."""
        return len(self.dealt) < self.round.game.num_seats

    @property
    def is_chance(self) -> bool:
        """Whether cards are due."""
        return self.deals_hands or self.round.is_chance

    @property
    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        return not self.deals_hands and self.round.is_terminal

    def hand(self, seat: int) -> Hand | None:
        """A seat's first cards; `None` before they are dealt."""
        return _hands(self.round.game)[self.dealt[seat]] if seat < len(self.dealt) else None

    def chance_outcomes(self) -> list[Outcome]:
        """What may come: the number of a hand, or the points of a drawn card; empty where nothing is due."""
        state = self.round
        if self.deals_hands:
            rules = state.game.rules
            return list(hand_outcomes(self._left(), rules.num_initial_cards, rules.with_replacement))
        cards = ((card, float(prob)) for card, prob in state.chance_outcomes() if isinstance(card, int))
        return sorted(cards)

    def _left(self) -> tuple[int, ...]:
        """Cards of each point value that are left while first cards are dealt, lowest value first."""
        game, left = self.round.game, Counter(self.round.shoe)
        if not game.rules.with_replacement:
            for number in self.dealt:
                left.subtract(_hands(game)[number])
        return tuple(left[value] for value in game.rules.values)

    def apply(self, move: int) -> Position:
        """The position after an outcome of chance or a seat's action.

        Raises:
            ValueError: If it is not possible here.
        """
        state = self.round
        if not self.deals_hands:
            return Position(state.apply(move), self.dealt)
        hands = _hands(state.game)
        if not 0 <= move < len(hands):
            raise ValueError(f"hand {move!r}: must be a number from 0 to {len(hands) - 1}")
        dealt = (*self.dealt, move)
        if len(dealt) == state.game.num_seats:
            state = state.deal_first_cards(_in_order(state.game, [hands[number] for number in dealt]))
        return Position(state, dealt)


def _hands(game: Game) -> tuple[Hand, ...]:
    """Every hand of first cards by its number, the same for all seats."""
    return game.states[0].hands


def _in_order(game: Game, hands: list[Hand]) -> list[int]:
    """The first cards in the order in which they are dealt, from each seat's hand."""
    seats = [(game.first_to_deal + step) % game.num_seats for step in range(game.num_seats)]
    return [hands[seat][number] for number in range(game.rules.num_initial_cards) for seat in seats]


@lru_cache(maxsize=4096)
def hand_outcomes(left: tuple[int, ...], num_cards: int, with_replacement: bool) -> tuple[Outcome, ...]:
    """The numbers of the hands that the next cards may be, with their probabilities.

    Args:
        left: Cards of each point value, lowest first.
        num_cards: Cards in a hand.
        with_replacement: Whether a dealt card goes back.
    """
    deals = num_ordered_deals(left, num_cards, with_replacement)
    total = sum(deals)
    return tuple((number, ways / total) for number, ways in enumerate(deals) if ways)


def num_ordered_deals(left: tuple[int, ...], num_cards: int, with_replacement: bool) -> list[int]:
    """In how many ways each hand, by its number, comes as the next cards, one after another."""
    ways = [
        [count**copies if with_replacement else perm(count, copies) for copies in range(num_cards + 1)]
        for count in left
    ]
    return [
        orders * prod(ways[value][copies] for value, copies in wanted)
        for orders, wanted in _wanted(len(left), num_cards)
    ]


@cache
def _wanted(num_values: int, num_cards: int) -> tuple[tuple[int, tuple[tuple[int, int], ...]], ...]:
    """For each hand its number of orders, and its pairs of a value's place and how often it has the value."""
    found = []
    for hand in combinations_with_replacement(range(num_values), num_cards):
        pairs = tuple(Counter(hand).items())
        found.append((factorial(num_cards) // prod(factorial(copies) for _, copies in pairs), pairs))
    return tuple(found)
